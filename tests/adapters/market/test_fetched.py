"""Sources on the network: asked slowly, once, and only for what is not there yet."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from finlore.adapters.market.akshare import akshare_market
from finlore.adapters.market.fetched import FetchedMarket
from finlore.adapters.market.tushare import Tushare, tushare_market
from finlore.errors import ConfigurationError, LimitExceeded, MissingExtra, NoPrices
from finlore.flows.experiment import Experiment
from finlore.flows.knowledge_at import KnowledgeAt
from finlore.records.instant import MARKET_ZONE
from finlore.records.run import BacktestRequest
from tests.adapters.market.folders import Weekdays
from tests.adapters.market.recorded import (
    INDEX,
    SESSIONS,
    Clock,
    Recorded,
    akshare,
    asking,
    of_akshare,
    of_tushare,
    tushare,
)
from tests.small_world import workspace

FIRST, LAST = date(2024, 5, 6), date(2024, 5, 10)


def days_of(endpoint: Recorded, name: str) -> list[str]:
    return [asked["trade_date"] for told, asked in endpoint.asked if told == name]


def test_requests_keep_their_distance() -> None:
    clock, endpoint = Clock(), Recorded(of_tushare)
    ask = asking(endpoint, clock)
    for _ in range(4):
        ask("daily", trade_date="20240506")
    assert clock.seconds == 3  # sixty a minute, the first at once


def test_a_request_that_fails_is_tried_again_and_then_given_up_without_telling_the_secret() -> None:
    clock, endpoint = Clock(), Recorded(of_tushare, refused=2)
    assert len(asking(endpoint, clock)("daily", trade_date="20240506")) == 3
    assert clock.seconds == 15
    with pytest.raises(LimitExceeded, match="ask again later") as caught:
        asking(Recorded(of_tushare, refused=3), clock)("daily", trade_date="20240506")
    assert "每分钟" in str(caught.value)
    assert "sesame" not in str(caught.value)


def test_of_a_connection_that_fails_only_the_kind_of_failure_is_told() -> None:
    failure = type("ConnectionError", (OSError,), {"__module__": "requests.exceptions"})

    def refused(name: str, asked: Mapping[str, str]) -> pl.DataFrame:
        raise failure("HTTPConnectionPool(host='api', port=80): Max retries exceeded")

    with pytest.raises(LimitExceeded) as caught:
        asking(Recorded(refused))("daily")
    assert caught.value.message == "the source does not answer daily: no connection to it (ConnectionError)"


def test_answers_that_come_in_pages_are_put_together() -> None:
    whole = pl.DataFrame({"ts_code": [str(number) for number in range(12_000)]})
    endpoint = Recorded(lambda _, asked: whole.slice(int(asked["offset"]), int(asked["limit"])))
    assert asking(endpoint).pages("daily").equals(whole)
    assert len(endpoint.asked) == 3


def test_nothing_is_asked_until_a_panel_or_an_index_is(tmp_path: Path) -> None:
    endpoint = Recorded(of_tushare)
    market = tushare(tmp_path, endpoint)
    assert market.price("600991.SH", LAST) is None
    assert (market.listed(LAST), market.indices(), endpoint.asked) == ({}, (), [])


def test_what_is_there_is_not_asked_for_again(tmp_path: Path) -> None:
    tushare(tmp_path, Recorded(of_tushare)).panel(FIRST, LAST)
    tushare(tmp_path, Recorded(of_tushare)).index(INDEX, FIRST, LAST)
    again = Recorded(of_tushare)
    market = tushare(tmp_path, again)
    assert len(market.panel(FIRST, LAST).days) == 5
    assert market.index(INDEX, FIRST, LAST) is not None
    asked = Counter(name for name, _ in again.asked)
    assert set(days_of(again, "daily")).isdisjoint(SESSIONS)  # only days of which there was no answer
    assert "index_daily" not in asked


@pytest.mark.parametrize("make", [tushare, akshare])
def test_for_what_was_long_before_nothing_is_fetched(
    tmp_path: Path, make: Callable[[Path, Recorded], FetchedMarket]
) -> None:
    endpoint = Recorded(of_tushare if make is tushare else of_akshare)
    market = make(tmp_path, endpoint)
    with pytest.raises(NoPrices):
        list(market.levels(LAST, over=timedelta()))
    assert endpoint.asked == []
    market.panel(FIRST, LAST)
    n_asked = len(endpoint.asked)
    assert len(list(market.levels(LAST, over=timedelta()))) == 1
    assert len(endpoint.asked) == n_asked


def test_a_backtest_fetches_its_own_time_and_three_months_before_it(tmp_path: Path) -> None:
    endpoint = Recorded(of_tushare)
    request = BacktestRequest(FIRST, LAST, ("equal-weight",))
    with workspace(tmp_path / "w") as made:
        known = partial(KnowledgeAt, made._store)
        market = tushare(tmp_path / "m", endpoint)
        test = Experiment(market, Weekdays(), request, known, zone=MARKET_ZONE, place=tmp_path)
        found = test.backtest([], {}, is_kept=True)
    assert [one.n_signals for one in found.strategies] == [2]
    assert "less than two years" in dict(found.honesty)["prior"]
    assert min(days_of(endpoint, "daily")) == "20240129"  # 90 days, and 10 for what follows from the close before


def test_a_run_that_was_cut_short_goes_on_where_it_stopped(tmp_path: Path) -> None:
    def breaks(name: str, asked: dict[str, str]) -> pl.DataFrame:
        if asked.get("trade_date") == "20240508":
            raise OSError("gone")
        return of_tushare(name, asked)

    with pytest.raises(LimitExceeded, match="gone"):
        tushare(tmp_path, Recorded(breaks)).panel(FIRST, LAST)
    assert sorted(path.stem for path in (tmp_path / "daily_bars").iterdir()) == ["20240506", "20240507"]
    rest = Recorded(of_tushare)
    assert len(tushare(tmp_path, rest).panel(FIRST, LAST).days) == 5
    assert [day for day in days_of(rest, "daily") if day in SESSIONS] == list(SESSIONS[2:])


def test_answers_in_another_form_are_an_error_that_says_so(tmp_path: Path) -> None:
    for make in (tushare, akshare):
        market = make(tmp_path / make.__name__, Recorded(lambda *_: pl.DataFrame({"surprise": ["20240506"]})))
        with pytest.raises(ConfigurationError, match="another form"):
            market.panel(FIRST, LAST)
        with pytest.raises(ConfigurationError, match="another form"):
            market.index(INDEX, FIRST, LAST)


def test_a_session_that_has_not_ended_is_not_asked_for(tmp_path: Path) -> None:
    endpoint = Recorded(of_tushare)
    got = tushare(tmp_path, endpoint, today="2024-05-08T14:59:00").panel(FIRST, LAST)
    assert got.days[-1] == np.datetime64("2024-05-07")
    assert max(days_of(endpoint, "daily")) == "20240507"


def test_a_session_without_factors_is_not_published_yet(tmp_path: Path) -> None:
    def answer(name: str, asked: dict[str, str]) -> pl.DataFrame:
        is_late = name == "adj_factor" and asked["trade_date"] == SESSIONS[-1]
        return pl.DataFrame() if is_late else of_tushare(name, asked)

    assert tushare(tmp_path, Recorded(answer)).panel(FIRST, LAST).days[-1] == np.datetime64("2024-05-09")
    assert tushare(tmp_path).panel(FIRST, LAST).days[-1] == np.datetime64(LAST)


def test_where_tushare_tells_no_limits_they_are_inferred(tmp_path: Path) -> None:
    def answer(name: str, asked: dict[str, str]) -> pl.DataFrame:
        is_early = name == "stk_limit" and asked["trade_date"] < SESSIONS[3]
        return pl.DataFrame() if is_early else of_tushare(name, asked)

    got, told = (
        make.panel(FIRST, LAST) for make in (tushare(tmp_path / "a", Recorded(answer)), tushare(tmp_path / "b"))
    )
    assert got.inferred == ("limits",)
    traded = got.traded[1:]
    assert np.array_equal(got.upper[1:][traded], told.upper[1:][traded])


def test_tushare_tells_limits_suspensions_and_the_names_of_the_time(tmp_path: Path) -> None:
    got = tushare(tmp_path).panel(FIRST, LAST)
    assert got.inferred == ()
    column = got.codes.index("600991.SH")
    assert got.special[:, column].tolist() == [False, False, True, True, True]
    assert got.names[column] == "*ST云禾"
    assert got.listed[column] == np.datetime64("2010-01-04")
    assert "no price" not in " ".join(issue.message for issue in got.issues)  # a suspended one needs none


def test_akshare_tells_neither_limits_nor_suspensions(tmp_path: Path) -> None:
    inferred = " ".join(akshare(tmp_path).panel(FIRST, LAST).inferred)
    assert "limits" in inferred
    assert "suspensions" in inferred


def test_akshare_is_asked_by_security_for_the_whole_of_a_longer_time(tmp_path: Path) -> None:
    akshare(tmp_path).panel(date(2024, 5, 8), LAST)
    endpoint = Recorded(of_akshare)
    market = akshare(tmp_path, endpoint)
    market.panel(date(2024, 5, 9), LAST)
    assert endpoint.asked == []
    market.panel(date(2024, 1, 8), date(2024, 5, 9))
    asked = [parameters for name, parameters in endpoint.asked if name == "stock_zh_a_hist"]
    assert len(asked) == 6  # three securities, as paid and adjusted
    assert {(parameters["start_date"], parameters["end_date"]) for parameters in asked} == {("20231010", "20240510")}
    assert len(list((tmp_path / "daily_bars").iterdir())) == 3


def test_a_shorter_list_of_securities_is_kept_to(tmp_path: Path) -> None:
    (tmp_path / "securities.csv").write_text("symbol,name\n309901,霜桥光学\n", "utf-8")
    endpoint = Recorded(of_akshare)
    assert akshare(tmp_path, endpoint).panel(FIRST, LAST).codes == ("309901.SZ",)
    assert {asked["symbol"] for _, asked in endpoint.asked} == {"309901"}


def test_without_the_package_the_token_or_a_calendar_it_is_said_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match=r"finlore\[tushare\]"):
        tushare_market(tmp_path, calendar=Weekdays(), token="sesame")
    with pytest.raises(MissingExtra, match=r"finlore\[akshare\]"):
        akshare_market(tmp_path, calendar=Weekdays())
    source = Tushare(asking(Recorded(of_tushare)), tmp_path)
    with pytest.raises(ConfigurationError, match="no calendar"):
        FetchedMarket(source, tmp_path, zone="Asia/Shanghai", calendar=None)
