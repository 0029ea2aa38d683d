"""The strategies that a backtest holds results against: brokers, constants, the whole universe, the composite."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Final

import numpy as np

from finlore.backtest.calls import Candidate, weekly_calls
from finlore.backtest.composite import Scores
from finlore.backtest.quotes import Rows
from finlore.records.backtest import Label, Signal, Strategy
from finlore.records.panel import Mask, PricePanel, week_of

ALL_BROKERS: Final = "brokers"
BROKER: Final = "broker:"
ALWAYS_RISE: Final = "always-rise"
ALWAYS_FALL: Final = "always-fall"
UNIVERSE: Final = "equal-weight"
TOP_HALF: Final = "composite"
AVOIDING: Final = "avoid-worst-fifth"
RANDOM_HALF: Final = "random-half"
OF_CALLS: Final = (ALL_BROKERS, ALWAYS_RISE, ALWAYS_FALL)
OF_PRICES: Final = (UNIVERSE, TOP_HALF, AVOIDING, RANDOM_HALF)
SEED: Final = 20_240_828


def following(signals: Sequence[Signal], *, at_least: int) -> Iterator[Strategy]:
    """All brokers as one, then each that has so many signals, the busiest first; `source` is the broker."""
    of: dict[str, list[Signal]] = defaultdict(list)
    for signal in signals:
        of[signal.source].append(signal)
    if signals:
        yield Strategy(ALL_BROKERS, tuple(signals))
    for broker, said in sorted(of.items(), key=lambda item: (-len(item[1]), item[0])):
        if broker and len(said) >= at_least:
            yield Strategy(BROKER + broker, tuple(said))


def always(label: Label, signals: Iterable[Signal]) -> Strategy:
    """The same securities at the same instants, and one label for all."""
    name = ALWAYS_RISE if label == "Rise" else ALWAYS_FALL
    return Strategy(name, tuple(replace(signal, label=label, confidence=None) for signal in signals))


def of_prices(panel: PricePanel, rows: Rows, scores: Sequence[Scores]) -> Iterator[Candidate]:
    """What is said of all securities at the last close of each week, `rows` (weeks,), where they have these scores."""
    quoted = panel.traded[rows] & (panel.close[rows] > 0)
    percentile = np.array([score.percentile for score in scores]).reshape(quoted.shape)
    score = Scores(percentile, np.array([[score.prior] for score in scores]).reshape(-1, 1))
    rated = np.isfinite(percentile)
    yield Candidate(UNIVERSE, "Every security that traded, each week.", weekly_calls(panel, rows, quoted))
    for name, words, chosen in (
        (TOP_HALF, "The better half by the composite, each week.", score.is_top_half),
        (AVOIDING, "All but the worst fifth by the composite, each week.", rated & ~score.is_avoided),
    ):
        if rated.any():
            yield Candidate(name, words, weekly_calls(panel, rows, quoted & chosen, score.p_rise))
    drawn = quoted & _by_chance(panel, rows)
    yield Candidate(RANDOM_HALF, "A half drawn by chance, each week.", weekly_calls(panel, rows, drawn))


def _by_chance(panel: PricePanel, rows: Rows) -> Mask:
    """(weeks, m) whether a security is drawn in a week. Each has a sequence of its own, by its code, so that neither
    what is listed beside it nor when a test begins changes a draw."""
    weeks = week_of(panel.days[rows])
    drawn = np.zeros((len(rows), len(panel.codes)), bool)
    for column, code in enumerate(panel.codes if len(rows) else ()):
        seed = int.from_bytes(blake2b(code.encode(), digest_size=8).digest(), "big")
        drawn[:, column] = np.random.default_rng([SEED, seed]).random(int(weeks[-1]) + 1)[weeks] < 0.5
    return drawn
