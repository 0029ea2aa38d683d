"""What trade on the synthetic market keeps to, and that it looks like a market."""

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest

from tests.adapters.market.folders import there
from tests.adapters.market.synthetic.markets import FIRST, LAST, market, panel, returns

A_YEAR = 244


def test_every_bar_is_possible_in_ticks_and_within_its_limits() -> None:
    p = panel()
    there = p.traded
    ticks = np.where([code.startswith("9008") for code in p.codes], 1000, 100)
    for prices in (p.open, p.high, p.low, p.close):
        assert np.array_equal(np.isfinite(prices), there)
        assert np.array_equal((np.rint(prices * ticks) / ticks)[there], prices[there])
        assert not (prices > p.upper).any()
        assert not (prices < p.lower).any()
    assert (p.low <= np.minimum(p.open, p.close))[there].all()
    assert (p.high >= np.maximum(p.open, p.close))[there].all()
    assert (p.low[there] > 0).all()
    assert (p.volume[there] >= 100).all()
    assert (p.volume[there] % 100 == 0).all()


def test_limits_are_the_band_of_the_board_around_the_close_before() -> None:
    p = panel()
    bands = {"004": "0.1", "309": "0.2", "686": "0.2", "929": "0.3"}
    plain = p.traded[1:] & p.traded[:-1] & (p.factor[1:] == p.factor[:-1]) & np.isfinite(p.upper[1:])
    for prefix, band in bands.items():
        column = next(at for at, code in enumerate(p.codes) if code.startswith(prefix) and not p.special[:, at].any())
        for row in np.flatnonzero(plain[:, column])[:50].tolist():
            limit = Decimal(str(p.close[row, column])) * (1 + Decimal(band))
            assert Decimal(str(p.upper[row + 1, column])) == limit.quantize(Decimal("0.01"), ROUND_HALF_UP).normalize()


def test_prices_stop_at_limits_and_stay_there_for_whole_days() -> None:
    p = panel()
    up, down = p.close == p.upper, p.close == p.lower
    assert up.sum() > 200
    assert down.sum() > 200
    one_price = p.traded & (p.high == p.low) & (up | down)
    assert one_price.sum() > 30
    typical = np.nanmedian(np.where(p.traded, p.volume, np.nan), axis=0)
    assert np.median((p.volume / typical)[one_price]) < 0.5


def test_under_special_treatment_a_main_board_price_moves_a_twentieth_at_most() -> None:
    p = panel()
    main = [at for at, code in enumerate(p.codes) if code[:3] in ("004", "609")]
    moved = np.abs(returns(p))[:, main]
    special = p.special[1:, main] & p.special[:-1, main] & np.isfinite(p.upper[1:, main])
    assert special.sum() > 500
    assert np.nanmax(moved[special]) < 0.075  # a twentieth, and ticks of low prices
    assert np.nanmax(moved[~special]) > 0.095


def test_nothing_is_traded_while_suspended_and_prices_jump_when_trade_resumes() -> None:
    p = panel()
    listed = (p.days[:, None] >= p.listed) & ~(p.days[:, None] > p.delisted)
    suspended = listed & ~p.traded
    assert suspended.sum() > 500
    assert np.isnan(p.volume[suspended]).all()
    assert np.isnan(p.close[suspended]).all()
    resumed = np.argwhere(suspended[:-1] & p.traded[1:]).tolist()
    jumps, lengths = [], []
    for row, column in resumed:
        before = np.flatnonzero(p.traded[: row + 1, column])[-1]
        lengths.append(row - before)
        after = min(row + 4, len(p.days) - 1)
        level = (p.close * p.factor)[:, column]
        jumps.append(abs(level[after] / level[before] - 1))
    assert 4 <= np.median(lengths) <= 22
    assert np.nanmedian(jumps) > 0.07


def test_new_ones_have_no_bar_before_their_day_and_no_limit_on_it() -> None:
    p = panel()
    new = np.flatnonzero(p.listed > p.days[0])
    assert len(new) > 15
    for column in new.tolist():
        row = int(np.searchsorted(p.days, p.listed[column]))
        assert not p.traded[:row, column].any()
        assert p.traded[row, column]
        assert np.isnan(p.upper[row, column])
        free = 1 if p.codes[column].endswith("BJ") else 5
        assert np.isfinite(p.upper[row + free : row + 6, column]).all()


def test_much_of_a_new_one_changes_hands_on_its_first_day() -> None:
    p = panel()
    first = np.searchsorted(p.days, p.listed)
    early = np.flatnonzero((p.listed > p.days[0]) & (first + 60 < len(p.days)))
    usual = [np.nanmedian(p.volume[first[column] + 30 :, column]) for column in early]
    assert np.median(p.volume[first[early], early] / usual) > 3


def test_delisted_ones_decline_before_they_go_and_do_not_come_back() -> None:
    p = panel()
    gone = np.flatnonzero(~np.isnat(p.delisted))
    assert len(gone) >= 4
    for column in gone.tolist():
        row = int(np.searchsorted(p.days, p.delisted[column]))
        level = (p.close * p.factor)[:, column]
        assert p.traded[row, column]
        assert p.special[row, column]
        assert level[row] < 0.7 * np.nanmean(level[max(row - 80, 0) : row - 55])
        assert not p.traded[row + 1 :, column].any()


def test_a_split_leaves_the_total_return_level_where_it_was() -> None:
    p = panel()
    changed = (p.factor[1:] > 1.25 * p.factor[:-1]) & p.traded[1:] & p.traded[:-1]
    assert changed.sum() > 20
    fell = (p.close[1:] / p.close[:-1])[changed]
    moved = returns(p)[changed]
    assert np.median(fell) < 0.75
    assert np.abs(moved).max() < 0.31
    assert abs(np.median(moved)) < 0.015


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_it_looks_like_a_market(seed: int) -> None:
    p, index = panel(seed), market(seed).index("990001.SH", FIRST, LAST)
    assert index is not None
    of_index = np.diff(index.closes) / index.closes[:-1]
    moved = returns(p)
    moved = np.where(np.isfinite(moved), moved, 0.0)[:, np.isfinite(moved).sum(axis=0) > 300]
    assert 0.18 <= of_index.std() * np.sqrt(A_YEAR) <= 0.28
    assert 0.35 <= np.median(moved.std(axis=0)) * np.sqrt(A_YEAR) <= 0.60
    correlation = np.corrcoef(moved.T)
    assert 0.2 <= correlation[np.triu_indices(len(correlation), 1)].mean() <= 0.4
    sizes = np.abs(moved)
    assert np.mean([np.corrcoef(one[1:], one[:-1])[0, 1] for one in sizes.T]) > 0.05  # calm follows calm
    assert abs(np.mean([np.corrcoef(one[1:], one[:-1])[0, 1] for one in moved.T])) < 0.1
    normed = (moved - moved.mean(axis=0)) / moved.std(axis=0)
    assert np.median((normed**4).mean(axis=0)) > 4  # a bell has 3
    a_day = np.array([(p.close >= p.upper).sum(axis=1), (p.close <= p.lower).sum(axis=1)])
    assert (a_day.mean(axis=1) > 0.3).all()
    assert (a_day.mean(axis=1) < 6).all()


def test_companies_of_a_sector_move_together() -> None:
    p = panel()
    moved = returns(p)
    good = np.flatnonzero(np.isfinite(moved).sum(axis=0) > 300)
    sectors = np.array([market().industry(p.codes[at], LAST) for at in good])
    assert len(set(sectors)) == 10
    correlation = np.corrcoef(np.nan_to_num(moved[:, good]).T)
    same = sectors[:, None] == sectors
    np.fill_diagonal(same, False)
    assert correlation[same].mean() > correlation[sectors[:, None] != sectors].mean() + 0.02


def test_the_index_weighs_by_market_value_and_dividends_raise_the_other_one() -> None:
    p, worth = panel(), market().fields(FIRST, LAST)["market_value"]
    price, total = (there(market().index(code, FIRST, LAST)) for code in market().indices())
    assert (price.total_return, total.total_return) == (False, True)
    old = (p.listed < p.days[0]) & np.array([code[:4] not in ("9008", "2003") for code in p.codes])
    moved = returns(p)[:9]
    known = old & np.isfinite(moved)
    weights = np.where(old, worth[:9], 0)
    expected = (np.where(known, moved, 0) * weights).sum(axis=1) / weights.sum(axis=1)
    assert (total.closes[1:10] / total.closes[:9] - 1) == pytest.approx(expected, abs=2e-5)
    assert 0.01 < total.closes[-1] / price.closes[-1] - 1 < 0.06
