from itertools import combinations
from math import comb, isnan, log

import numpy as np
import pytest

from finlore.backtest import significance
from finlore.backtest.measures import returns_of
from finlore.backtest.significance import mean_to_spread, stationary_bootstrap
from tests.backtest.published import CSI_300


def drawn(n: int, *, mean: float = 0.0, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(mean, 0.02, n)


def test_the_same_seed_gives_the_same_interval() -> None:
    one, same = (stationary_bootstrap(drawn(40), mean_to_spread, seed=3) for _ in range(2))
    assert one == same != stationary_bootstrap(drawn(40), mean_to_spread, seed=4)


def test_an_interval_of_95_percent_holds_the_truth_about_as_often() -> None:
    """Of independent returns; short series make it somewhat too narrow."""
    held = 0
    for seed in range(200):
        found = stationary_bootstrap(
            drawn(100, mean=0.002, seed=seed), lambda series: series.mean(axis=1), n_replicates=400, seed=seed
        )
        held += found.low <= 0.002 <= found.high
    assert 0.86 <= held / 200 <= 0.99


def test_replicates_are_made_of_runs_of_the_series() -> None:
    seen: list[np.ndarray] = []

    def remember(series: np.ndarray) -> np.ndarray:
        seen.append(series)
        return series[:, 0]

    stationary_bootstrap(np.arange(50.0), remember, n_replicates=100, block=10)
    follows = (seen[0][:, 1:] - seen[0][:, :-1]) % 50 == 1
    assert 0.85 <= follows.mean() <= 0.95


def test_blocks_of_one_forget_the_order() -> None:
    turns = np.tile([0.02, -0.02], 50)
    alone = stationary_bootstrap(turns, compounded, block=1)
    together = stationary_bootstrap(turns, compounded, block=20)
    assert together.high - together.low < 0.5 * (alone.high - alone.low)


def compounded(series: np.ndarray) -> np.ndarray:
    return np.prod(1.0 + series, axis=1)


def test_of_too_little_there_is_no_interval() -> None:
    assert isnan(stationary_bootstrap(np.array([0.1]), compounded).low)
    assert isnan(stationary_bootstrap(np.zeros(5), mean_to_spread).low)
    assert isnan(significance.sharpe_interval(np.array([0.1])).low)
    three, four = np.arange(3), np.arange(4)
    assert isnan(significance.clustered(np.array([1.0, 0.0, 1.0]), three).low)
    assert isnan(significance.clustered(np.ones(4), four).low)
    assert np.isfinite(significance.clustered(np.array([1.0, 0.0, 1.0, 0.0]), four).low)


def test_outcomes_that_move_together_are_worth_fewer() -> None:
    weeks = np.repeat(np.arange(20), 50)
    same = np.repeat(np.arange(20) % 2, 50).astype(float)
    mixed = np.tile([1.0, 0.0], 500)
    assert significance.design_effect(same, weeks) == pytest.approx(50, rel=0.1)
    assert significance.design_effect(mixed, weeks) == 1.0
    by_week, by_one = significance.clustered(same, weeks), significance.clustered(same, np.arange(1000))
    assert by_week.high - by_week.low > 5 * (by_one.high - by_one.low)


def test_of_clusters_of_one_the_interval_is_that_of_the_textbook() -> None:
    """Mean, standard error s / sqrt(n), t of three degrees of freedom."""
    found = significance.clustered(np.array([1.0, 2.0, 3.0, 6.0]), np.arange(4))
    reach = 3.182446 * np.std([1, 2, 3, 6], ddof=1) / 2
    assert (found.low, found.high) == pytest.approx((3 - reach, 3 + reach), abs=1e-5)
    within = significance.clustered(np.array([1.0, 0.0, 1.0, 1.0]), np.arange(4), least=0.0, most=1.0)
    assert (within.low, within.high) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("freedom", "expected"), [(1.0, 12.706205), (3.0, 3.182446), (25.0, 2.059539), (1000.0, 1.962339)]
)
def test_students_t(freedom: float, expected: float) -> None:
    assert significance.student(freedom) == pytest.approx(expected, abs=2e-5)


@pytest.mark.parametrize("weeks", [4, 8, 26])
def test_an_interval_of_few_uneven_weeks_holds_the_truth_as_often_as_it_says(weeks: int) -> None:
    """Outcomes that move together: replicates of drawn weeks held it in 79, 87 and 91 % of cases."""
    random, held = np.random.default_rng(weeks), 0
    for _ in range(400):
        sizes = random.integers(5, 80, weeks)
        right = np.repeat(np.clip(random.normal(0.52, 0.2, weeks), 0, 1), sizes)
        of = np.repeat(np.arange(weeks), sizes)
        found = significance.clustered((random.random(len(of)) < right).astype(float), of, least=0.0, most=1.0)
        held += found.low <= 0.52 <= found.high
    assert 0.92 <= held / 400 <= 0.985


def test_the_interval_of_a_sharpe_ratio_is_wider_than_its_replicates() -> None:
    returns = drawn(27, mean=0.002)
    plain, found = stationary_bootstrap(returns, mean_to_spread), significance.sharpe_interval(returns)
    assert (found.high - found.low) / 52**0.5 == pytest.approx((plain.high - plain.low) * 2.262 / 1.96, rel=0.01)


def test_what_grows_by_the_same_share_each_week_has_no_ratio_though_it_is_rounded() -> None:
    returns = returns_of(1.01 ** np.arange(40))
    assert 0 < returns.std() < 1e-12
    assert isnan(mean_to_spread(returns[None])[0])
    assert isnan(significance.probabilistic_sharpe(returns))
    assert isnan(significance.sharpe_interval(returns).low)
    assert significance.overfitting(np.column_stack([returns, drawn(39)])).n_strategies == 1


def test_what_has_no_outcome_is_left_out() -> None:
    weeks, values = np.array([1, 1, 2, 3, 4]), np.array([1.0, np.nan, 0.0, 1.0, 1.0])
    known = np.isfinite(values)
    assert significance.clustered(values, weeks) == significance.clustered(values[known], weeks[known])


def test_normal_returns_have_the_textbook_probability() -> None:
    """With no skew and a kurtosis of 3 the statistic is ratio * sqrt(n - 1) / sqrt(1 + ratio^2 / 2)."""
    returns = drawn(20_000, mean=0.0002)
    ratio = returns.mean() / returns.std(ddof=1)
    expected = significance._NORMAL.cdf(ratio * np.sqrt(19_999 / (1 + ratio**2 / 2)))
    assert significance.probabilistic_sharpe(returns) == pytest.approx(expected, abs=2e-3)


def test_more_trials_deflate_more() -> None:
    returns = returns_of(CSI_300)
    alone = significance.probabilistic_sharpe(returns)
    few, many = (significance.deflated_sharpe(returns, n_trials=n, spread=0.1) for n in (5, 500))
    assert alone > few > many
    assert significance.deflated_sharpe(returns, n_trials=1, spread=0.1) == alone


def test_the_luckiest_of_many_is_as_lucky_as_simulation_says() -> None:
    best = np.random.default_rng(0).normal(0, 0.1, (4_000, 35)).max(axis=1).mean()
    assert significance.luckiest(35, 0.1) == pytest.approx(best, rel=0.02)


def test_what_does_not_pay_never_becomes_certain() -> None:
    assert isnan(significance.shortest_track(-np.abs(drawn(30))))
    assert isnan(significance.probabilistic_sharpe(np.zeros(30)))
    steps = significance.shortest_track(returns_of(CSI_300))
    assert 60 < steps < 70  # weeks: more than the 27 there are


def moving(n: int, n_strategies: int, *, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.02, (n, n_strategies))


def test_choosing_what_is_always_the_best_is_no_overfitting() -> None:
    returns = moving(48, 6)
    returns[:, 2] += 0.05
    found = significance.overfitting(returns)
    assert (found.probability, found.n_splits, found.n_steps, found.n_strategies) == (0.0, comb(16, 8), 48, 6)


def test_choosing_among_worthless_strategies_is_overfitting_half_of_the_time() -> None:
    found = [significance.overfitting(moving(64, 10, seed=seed)).probability for seed in range(60)]
    assert np.mean(found) == pytest.approx(0.5, abs=0.06)


def test_what_pays_in_a_part_of_the_time_alone_is_overfitted() -> None:
    """Each strategy pays in blocks of its own and loses in all others: whoever was the best in what was seen has no
    good blocks left."""
    returns = moving(64, 16, seed=1) / 100
    block = np.repeat(np.arange(16), 4)
    returns += np.where(block[:, None] == np.arange(16), 0.05, -0.01)
    assert significance.overfitting(returns).probability > 0.95


def test_splits_are_those_of_blocks_counted_by_hand() -> None:
    """26 steps: 12 blocks of three or two. The ranks are reckoned one split at a time."""
    returns = moving(26, 5, seed=4)
    blocks = np.array_split(np.arange(26), 12)
    overfitted = []
    for seen in combinations(range(12), 6):
        halves = [np.concatenate([blocks[n] for n in range(12) if (n in seen) == is_seen]) for is_seen in (True, False)]
        before, after = (returns[rows].mean(axis=0) / returns[rows].std(axis=0) for rows in halves)
        rank = 1 + int((after < after[before.argmax()]).sum())
        overfitted.append(log(rank / 6 / (1 - rank / 6)) <= 0)
    assert significance.overfitting(returns).probability == pytest.approx(np.mean(overfitted))
    assert significance.overfitting(returns).n_splits == len(overfitted)


def test_of_few_weeks_or_strategies_that_are_one_no_overfitting_is_told() -> None:
    returns = moving(40, 4)
    assert isnan(significance.overfitting(returns[:25]).probability)
    assert isnan(significance.overfitting(returns[:, :3]).probability)
    same = np.column_stack([returns[:, :3], returns[:, 0], np.zeros(40)])
    assert significance.overfitting(same).n_strategies == 3
    returns[4, 1] = np.nan
    assert significance.overfitting(returns).n_steps == 39
    assert significance.overfitting(np.zeros((0, 0))).n_splits == 0


def test_a_percentile_counts_ties_half() -> None:
    assert significance.percentile_in(2.0, np.array([1.0, 2.0, 3.0, 0.0])) == 0.625
    assert isnan(significance.percentile_in(1.0, np.zeros(0)))
