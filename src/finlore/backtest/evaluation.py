"""What scores of the whole universe are worth: the three numbers to which every analyst is held, and the market beside
them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from finlore.backtest import measures, significance
from finlore.backtest.assess import weekly_areas
from finlore.backtest.composite import Scores
from finlore.backtest.measures import NAN
from finlore.backtest.results import Figure
from finlore.records.panel import Mask, Prices

_BASIS_POINTS: Final = 1e4


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Of the whole universe, week by week (weeks, m): what each security made from entry to exit, NaN where it was not
    quoted or has no outcome; `bought`: whether it could be. `index` (weeks,): what the first benchmark made between the
    same two closes."""

    returns: Prices
    bought: Mask
    index: Prices

    @property
    def beats(self) -> Mask:
        """Whether it made more than the median of its week."""
        return np.asarray(self.returns > medians(self.returns)[:, None], np.bool_)


def medians(returns: Prices) -> Prices:
    """(weeks,) of those that have a return."""
    return np.array([float(np.median(made[known])) if (known := np.isfinite(made)).any() else NAN for made in returns])


def evaluated(scores: Sequence[Scores], outcomes: Outcomes, on_reports: tuple[Prices, Prices]) -> Iterator[Figure]:
    """The three numbers. `on_reports`: P(rise) of the securities that reports spoke of, and what these made."""
    known = np.isfinite(outcomes.returns)
    weeks = np.nonzero(known)[0]
    percentile = np.array([score.percentile for score in scores])[known]
    area, interval, n = weekly_areas(percentile, outcomes.beats[known], weeks)
    yield Figure("AUC of beating the median of the week", area, interval.low, interval.high, n, "weekly mean")
    said, made = on_reports
    counted = np.isfinite(said) & np.isfinite(made)
    yield _figure("Brier of P(rise) on reports", measures.brier(said[counted], made[counted] > 0), int(counted.sum()))
    rises = np.array([score.p_rise for score in scores])[known]
    brier = measures.brier(rises, outcomes.returns[known] > 0)
    yield _figure("Brier of P(rise) on the universe", brier, int(np.isfinite(rises).sum()))
    priors = np.broadcast_to(np.array([[score.prior] for score in scores]), known.shape)[known]
    alone = measures.brier(priors, outcomes.returns[known] > 0)
    yield _figure("Brier of its prior alone on the universe", alone, len(priors))
    top = np.array([score.is_top_half for score in scores])
    worst = np.array([score.is_avoided for score in scores])
    yield _difference("top half less universe", top, outcomes)
    yield _difference("worst fifth less universe", worst, outcomes)


def of_market(outcomes: Outcomes) -> Iterator[Figure]:
    """What the universe did on the same dates."""
    known, index = np.isfinite(outcomes.returns), outcomes.index
    yield _share("share of the universe that rose", np.where(known, outcomes.returns > 0, np.nan))
    if np.isfinite(index).any():
        beat = np.where(known & np.isfinite(index)[:, None], outcomes.returns > index[:, None], np.nan)
        yield _share("share of the universe that beat the index", beat)


def _share(label: str, outcomes: Prices) -> Figure:
    """Of (weeks, m)."""
    weeks = np.broadcast_to(np.arange(len(outcomes))[:, None], outcomes.shape)
    return _mean(label, outcomes.ravel(), weeks.ravel(), least=0.0, most=1.0)


def _difference(label: str, chosen: Mask, outcomes: Outcomes) -> Figure:
    """Mean over weeks, in basis points; both sides pay the same costs, so that these cancel."""
    held = outcomes.bought & np.isfinite(outcomes.returns)
    weekly = [
        made[all_ & some].mean() - made[all_].mean() if (all_ & some).any() else NAN
        for made, all_, some in zip(outcomes.returns, held, chosen, strict=True)
    ]
    return _mean(label, np.array(weekly) * _BASIS_POINTS, np.arange(len(weekly)), "bp a week")


def _mean(
    label: str, values: Prices, weeks: NDArray[np.int64], note: str = "", *, least: float = -inf, most: float = inf
) -> Figure:
    """Of the values (k,) that are known."""
    known, interval = values[np.isfinite(values)], significance.clustered(values, weeks, least=least, most=most)
    return Figure(label, float(known.mean()) if len(known) else NAN, interval.low, interval.high, len(known), note)


def _figure(label: str, value: float, n: int) -> Figure:
    return Figure(label, value, NAN, NAN, n, "a coin gets 0.25")
