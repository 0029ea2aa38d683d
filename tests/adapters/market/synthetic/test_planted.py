"""What is planted can be recomputed, and is worth what is said of it."""

import numpy as np
import pytest

from finlore.adapters.market.synthetic.planted import FACTOR, LEAK, WEEKLY_IC
from tests.adapters.market.synthetic.markets import FIRST, LAST, market, panel, rank_correlations, returns, week_ends

SEEDS = (3, 4, 5, 6)


def weekly(name: str, seed: int) -> np.ndarray:
    p, ends = panel(seed), week_ends(panel(seed))
    levels = (p.close * p.factor)[ends]
    return rank_correlations(market(seed).fields(FIRST, LAST)[name][ends[:-1]], levels[1:] / levels[:-1] - 1)


def test_the_factor_follows_from_the_panel_by_its_formula() -> None:
    p, factor = panel(), market().fields(FIRST, LAST)[FACTOR]
    amounts = p.close * p.volume
    expected = -amounts[95:100].mean(axis=0) / amounts[80:100].mean(axis=0)
    assert factor[99] == pytest.approx(expected, nan_ok=True)
    assert np.isnan(factor[:19]).all()
    assert np.isfinite(factor[99]).mean() > 0.8


def test_the_factor_has_the_stated_rank_correlation_with_the_returns_of_the_next_week() -> None:
    found = np.concatenate([weekly(FACTOR, seed) for seed in SEEDS])
    error = found.std(ddof=1) / np.sqrt(len(found))
    assert error < 0.005
    assert abs(found.mean() - WEEKLY_IC) < 3 * error


def test_what_a_week_made_says_nothing_of_the_next() -> None:
    found = []
    for seed in SEEDS:
        p = panel(seed)
        weeks = np.diff((p.close * p.factor)[week_ends(p)], axis=0) / (p.close * p.factor)[week_ends(p)][:-1]
        found.append(rank_correlations(weeks[:-1], weeks[1:]))
    each = np.concatenate(found)
    assert abs(each.mean()) < 3 * each.std() / np.sqrt(len(each))


def test_a_shuffled_factor_has_no_correlation() -> None:
    p, ends = panel(), week_ends(panel())
    levels = (p.close * p.factor)[ends]
    shuffled = np.random.default_rng(1).permuted(market().fields(FIRST, LAST)[FACTOR][ends[:-1]], axis=1)
    nothing = rank_correlations(shuffled, levels[1:] / levels[:-1] - 1)
    assert abs(nothing.mean()) < 3 * nothing.std() / np.sqrt(len(nothing))


def test_the_leak_is_too_good_to_be_true() -> None:
    leak, moved = market().fields(FIRST, LAST)[LEAK], returns(panel())
    assert rank_correlations(leak[:-1], moved).mean() > 0.9
    assert weekly(LEAK, 3).mean() > 0.3
    assert (
        abs(rank_correlations(leak[1:-1], moved[:-1]).mean()) < 0.1
    )  # of the day on which it is stamped it knows nothing
