"""What every market adapter does, on one small market told in each one's own way."""

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from finlore.adapters.market.folder import MarketFolder
from finlore.ports import Market
from finlore.records.instant import parse_instant
from tests.adapters.market.folders import Weekdays, differences, of, there
from tests.adapters.market.recorded import INDEX, akshare, folder_text, tushare

FIRST, LAST = date(2024, 5, 6), date(2024, 5, 10)
SHANGHAI, SHENZHEN = "600991.SH", "309901.SZ"


def csv(folder: Path) -> Market:
    bars, securities, index = folder_text()
    (folder / "daily_bars.csv").write_text(bars, "utf-8")
    (folder / "securities.csv").write_text(securities, "utf-8")
    (folder / f"index_{INDEX}.csv").write_text(index, "utf-8")
    return MarketFolder(folder, calendar=Weekdays())


def parquet(folder: Path) -> Market:
    market = csv(folder)
    pl.read_csv(folder / "daily_bars.csv").write_parquet(folder / "daily_bars.parquet")
    (folder / "daily_bars.csv").unlink()
    return market


@pytest.fixture(params=[csv, parquet, tushare, akshare], ids=lambda make: make.__name__)
def market(request: pytest.FixtureRequest, tmp_path: Path) -> Market:
    make: Callable[[Path], Market] = request.param
    return make(tmp_path)


def test_a_panel_holds_every_security_on_every_session(market: Market) -> None:
    got = market.panel(FIRST, LAST)
    assert got.days.tolist() == [FIRST + timedelta(days=day) for day in range(5)]
    assert got.codes == tuple(sorted([SHANGHAI, SHENZHEN, "688991.SH"]))
    assert of(got, got.close, SHANGHAI) == [10, 11, 11.4, None, None]
    assert of(got, got.volume, SHENZHEN) == [5000, 6000, 9000, 900, 7000]
    assert got.traded[:, got.codes.index(SHANGHAI)].tolist() == [True, True, True, False, False]
    assert got.adjustment == "none"


def test_prices_times_factor_are_total_return(market: Market) -> None:
    got = market.panel(FIRST, LAST)
    assert of(got, got.close * got.factor, SHENZHEN) == [40, 41, 41, 41.6, 43]


def test_a_price_at_its_limit_is_at_the_limit(market: Market) -> None:
    got = market.panel(FIRST, LAST)
    at_limit = (got.close >= got.upper)[:, got.codes.index(SHANGHAI)]
    assert at_limit.tolist() == [False, True, False, False, False]
    assert not (got.close <= got.lower).any()


def test_arrays_of_a_panel_agree_in_shape_and_kind(market: Market) -> None:
    got = market.panel(FIRST, LAST)
    for name in ("open", "high", "low", "close", "volume", "factor", "upper", "lower"):
        assert (getattr(got, name).shape, getattr(got, name).dtype) == ((5, 3), np.dtype(float))
    assert (got.traded.dtype, got.special.dtype, got.traded.shape, got.special.shape) == (bool, bool, (5, 3), (5, 3))
    assert (got.listed.shape, got.delisted.shape, len(got.names)) == ((3,), (3,), 3)
    assert (np.diff(got.days) > np.timedelta64(0)).all()
    assert (got.opened_at < got.known_at).all()
    assert got.known_at[0] == parse_instant("2024-05-06T15:00:00")
    assert not np.isnan(got.factor).any()


def test_a_session_does_not_depend_on_those_after_it(market: Market) -> None:
    early, whole = market.panel(FIRST, date(2024, 5, 8)), market.panel(FIRST, LAST)
    by_session = {"days", "close", "upper", "lower", "factor", "traded", "special", "known_at"}
    assert not by_session.intersection(differences(early, whole, slice(0, 3)))


def test_days_that_the_source_does_not_reach_are_not_there(market: Market) -> None:
    assert market.panel(FIRST, date(2024, 5, 31)).days[-1] == np.datetime64(LAST)


def test_after_a_panel_single_prices_agree_with_it(market: Market) -> None:
    got = market.panel(FIRST, LAST)
    for code in got.codes:
        column = got.close[:, got.codes.index(code)]
        price = there(market.price(code, LAST))
        assert price.close == column[~np.isnan(column)][-1]
        assert (price.adjustment, price.currency) == ("none", "元")
    assert market.price("300999.SZ", LAST) is None
    assert market.listed(LAST)[SHENZHEN] == "霜桥光学"


def test_levels_of_all_that_is_held_are_those_of_the_panel(market: Market) -> None:
    got = market.panel(FIRST, LAST)
    ((days, levels),) = market.levels(LAST, over=timedelta(days=4))
    assert days.tolist() == got.days.tolist()
    assert np.array_equal(levels, got.close * got.factor, equal_nan=True)
    ((days, _),) = market.levels(date(2024, 5, 8), over=timedelta())
    assert days.tolist() == got.days[:3].tolist()
    assert list(market.levels(LAST, over=timedelta(days=5))) == []


def test_an_index_is_its_closes_in_that_time(market: Market) -> None:
    series = there(market.index(INDEX, date(2024, 5, 7), date(2024, 5, 9)))
    assert (series.code, series.name, series.total_return) == (INDEX, "沪深300", False)
    assert (series.days.tolist()[0], series.closes.tolist()) == (date(2024, 5, 7), [3510.5, 3490.25, 3520.0])
    assert market.indices() == (INDEX,)
    assert market.index(INDEX, date(2020, 5, 7), date(2020, 5, 9)) is None
    assert market.index("399999.SZ", FIRST, LAST) is None
    assert market.index("../daily_bars", FIRST, LAST) is None
