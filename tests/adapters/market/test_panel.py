"""A folder of bars as arrays: where each bar stands, which are not used, and what is concluded where nobody tells."""

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finlore.adapters.market.folder import MarketFolder
from finlore.adapters.market.panel import is_special
from finlore.errors import ConfigurationError, NoPrices
from finlore.records.instant import parse_instant
from finlore.records.panel import PricePanel
from tests.adapters.market.folders import HEAD, Weekdays, of, panel, still, there, told, write

MAY = ["2024-05-06", "2024-05-07", "2024-05-08", "2024-05-09", "2024-05-10"]


def test_a_row_is_a_session_a_column_a_security(tmp_path: Path) -> None:
    got = panel(
        tmp_path, "309902,2024-05-07,7,8,6,7.5,3", "309901,2024-05-06,10,12,9,11,4", "309901,2024-05-07,11,12,10,11,0.5"
    )
    assert got.days.tolist() == [date(2024, 5, 6), date(2024, 5, 7)]
    assert got.codes == ("309901.SZ", "309902.SZ")
    assert of(got, got.close, "309902.SZ") == [None, 7.5]
    assert of(got, got.volume, "309901.SZ") == [400, 50]
    assert (got.open[0, 0], got.high[0, 0], got.low[0, 0]) == (10, 12, 9)
    assert got.traded.tolist() == [[True, False], [True, True]]
    assert got.adjustment == "forward"


def test_prices_are_known_from_the_close_and_the_open_from_the_end_of_its_auction(tmp_path: Path) -> None:
    got = panel(tmp_path, still("309901", "2024-05-06", 10))
    assert got.opened_at.tolist() == [parse_instant("2024-05-06T09:25:00")]
    assert got.known_at.tolist() == [parse_instant("2024-05-06T15:00:00")]


def test_sessions_are_those_of_the_calendar_and_a_session_without_bars_stays(tmp_path: Path) -> None:
    rows = [still("309901", day, 10) for day in (MAY[0], MAY[2], "2024-05-11")]
    got = panel(tmp_path, *rows, calendar=Weekdays("2024-05-09"))
    assert got.days.tolist() == [date(2024, 5, day) for day in (6, 7, 8, 10)]
    assert not got.traded[1].any()
    assert "1 bar of days without a session, such as 2024-05-11" in told(got)
    assert "without any bar, such as 2024-05-07" in told(got)
    assert "sessions" not in got.inferred


def test_without_a_calendar_or_beyond_its_reach_sessions_are_weekdays_with_bars(tmp_path: Path) -> None:
    rows = [still("309901", day, 10) for day in (MAY[0], MAY[2], "2024-05-11")]
    assert panel(tmp_path, *rows).days.tolist() == [date(2024, 5, 6), date(2024, 5, 8)]
    short = Weekdays(reach=(date(2024, 1, 1), date(2024, 5, 7)))
    beyond = panel(tmp_path, *rows, calendar=short)
    assert beyond.days.tolist() == [date(2024, 5, day) for day in (6, 7, 8)]
    assert "sessions" in beyond.inferred
    assert "the calendar goes from 2024-01-01 to 2024-05-07" in told(beyond)


def test_a_row_without_a_day_or_a_code_is_shown(tmp_path: Path) -> None:
    good = still("309901", MAY[0], 10)
    undated = told(panel(tmp_path, good, still("309902", "02.01.2024", 10), still("309901", "03.01.2024", 9)))
    assert "2 rows without a day or a code, such as '309902' on 02.01.2024 (days are read as 2024-01-31" in undated
    assert "1 row without a day or a code, such as None on 2024-05-07" in told(
        panel(tmp_path, good, still("", MAY[1], 9))
    )


def test_codes_are_canonical_and_other_exchanges_have_other_sessions(tmp_path: Path) -> None:
    spelt = ["sz309901", "309902.SZ", "sz.309903", "430047", "900901", "700.HK", "00001.HK", "nonsense!", "1"]
    got = panel(tmp_path, *(still(code, MAY[0], 10) for code in spelt))
    assert got.codes == ("309901.SZ", "309902.SZ", "309903.SZ", "430047.BJ", "900901.SH")
    assert "2 codes of no security" in told(got)
    assert "00001.HK" in told(got)
    abroad = panel(tmp_path, still("700.HK", MAY[0], 380))
    assert abroad.codes == ("00700.HK",)
    assert abroad.known_at.tolist() == [parse_instant("2024-05-06T16:10:00")]
    assert np.isnan(abroad.upper).all()
    with pytest.raises(NoPrices, match=r"another exchange .* only, such as of 00700\.HK"):
        panel(tmp_path, still("700.HK", MAY[0], 380), calendar=Weekdays())


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("309901,2024-05-06,10,9,11,10,4", "outside of its own high and low"),
        ("309901,2024-05-06,10,12,9,13,4", "outside of its own high and low"),
        ("309901,2024-05-06,8,12,9,10,4", "outside of its own high and low"),
        ("309901,2024-05-06,0,12,0,10,4", "no price above zero"),
        ("309901,2024-05-06,10,12,9,-10,4", "no price above zero"),
        ("309901,2024-05-06,10,12,9,NaN,4", "no price above zero"),
        ("309901,2024-05-06,10,12,9,,4", "no price above zero"),
        ("309901,2024-05-06,10,12,9,inf,4", "no price above zero"),
        ("309901,2024-05-06,10,1e300,9,10,4", "a price above 10,000,000 a share"),
        ("309901,2024-05-06,10,12,9,10,-4", "negative volume"),
        ("309901,2024-05-06,10,12,9,10,0", "moved without any volume"),
    ],
)
def test_a_bar_that_cannot_be_is_counted_and_not_used(tmp_path: Path, row: str, message: str) -> None:
    got = panel(tmp_path, row, still("309902", MAY[0], 7))
    assert message in told(got)
    assert "1 bar since 2024-05-06, such as 309901.SZ on 2024-05-06" in told(got)
    assert "1 security has bars of which none can be used, such as 309901.SZ" in told(got)
    for values in (got.open, got.high, got.low, got.close, got.volume):
        assert of(got, values, "309901.SZ") == [None]
    assert got.traded.tolist() == [[False, True]]


def test_a_still_bar_without_volume_is_a_suspension_at_the_last_price(tmp_path: Path) -> None:
    got = panel(tmp_path, still("309901", MAY[0], 10), still("309901", MAY[1], 10, 0), still("309901", MAY[2], 11, 0))
    assert of(got, got.close, "309901.SZ") == [10, 10, None]
    assert got.traded[:, 0].tolist() == [True, False, False]
    assert "suspensions" in got.inferred


def test_suspensions_are_taken_from_who_tells_them(tmp_path: Path) -> None:
    rows = [still("309901", MAY[0], 10) + ",1", still("309901", MAY[1], 10) + ",0"]
    got = panel(tmp_path, *rows, head=f"{HEAD},tradestatus")
    assert got.traded[:, 0].tolist() == [True, False]
    assert "suspensions" not in got.inferred


def test_of_two_bars_of_a_day_none_is_used_unless_they_agree(tmp_path: Path) -> None:
    same, other = still("309901", MAY[0], 10), still("309901", MAY[1], 10)
    got = panel(tmp_path, same, same, other, still("309901", MAY[1], 11), still("309901", MAY[2], 10))
    assert of(got, got.close, "309901.SZ") == [10, None, 10]
    assert "there twice: 1 bar since 2024-05-06, such as 309901.SZ on 2024-05-06" in told(got)
    assert "different numbers, not used: 1 bar since 2024-05-06, such as 309901.SZ on 2024-05-07" in told(got)


def test_the_order_of_rows_does_not_matter_and_is_told(tmp_path: Path) -> None:
    rows = [still(code, day, 10 + at) for code in ("309901", "309902") for at, day in enumerate(MAY)]
    straight, turned = panel(tmp_path, *rows), panel(tmp_path, *reversed(rows))
    assert same(straight, turned)
    assert "stand after later ones" in told(turned)
    assert "stand after later ones" not in told(straight)


def test_prices_adjusted_in_another_way_than_the_first_are_left_out(tmp_path: Path) -> None:
    rows = [f"{still('309901', day, 10)},{how}" for day, how in zip(MAY, ["none", "none", "forward"], strict=False)]
    got = panel(tmp_path, *rows, head=f"{HEAD},adjustment")
    assert (got.adjustment, of(got, got.close, "309901.SZ")) == ("none", [10, 10, None])
    assert "1 bar adjusted in another way" in told(got)


def test_what_holds_for_all_bars_can_be_said_beside_them(tmp_path: Path) -> None:
    said = 'adjustment = "none"\nvolume_unit = "shares"\n'
    got = panel(tmp_path, still("309901", MAY[0], 10, 300), daily_bars=said)
    assert (got.adjustment, got.volume.item()) == ("none", 300)
    price = there(MarketFolder(tmp_path).price("309901.SZ", date(2024, 5, 6)))
    assert price.adjustment == "none"
    with pytest.raises(ConfigurationError, match="adjustment = 'sideways'"):
        panel(tmp_path, still("309901", MAY[0], 10), daily_bars='adjustment = "sideways"')


def test_a_factor_makes_total_return_of_what_was_paid(tmp_path: Path) -> None:
    rows = [still("309901", MAY[0], 10) + ",1.0", still("309901", MAY[2], 5) + ",2.0"]
    calendar = Weekdays()
    got = panel(tmp_path, *rows, head=f"{HEAD},adj_factor", daily_bars='adjustment = "none"', calendar=calendar)
    assert of(got, got.factor, "309901.SZ") == [1, 1, 2]
    assert of(got, got.upper, "309901.SZ")[2] == 6  # 20 % above 10 / 2, and no jump
    assert "moved further" not in told(got)
    adjusted = panel(
        tmp_path, *rows, head=f"{HEAD},adj_factor", daily_bars='adjustment = "backward"', calendar=calendar
    )
    assert of(adjusted, adjusted.factor, "309901.SZ") == [1, 1, 1]


def test_a_split_that_is_not_adjusted_is_told_and_has_no_limits(tmp_path: Path) -> None:
    got = panel(tmp_path, still("309901", MAY[0], 10), still("309901", MAY[1], 5), still("309901", MAY[2], 5))
    assert "moved further than any limit" in told(got)
    assert of(got, got.lower, "309901.SZ") == [None, None, 4]


def test_a_security_is_listed_from_its_first_bar_only_where_that_comes_late(tmp_path: Path) -> None:
    days = np.arange("2024-05-06", "2024-07-01", dtype="datetime64[D]")
    days = days[np.is_busday(days)].astype(str).tolist()
    rows = [still(code, day, 10) for code, at in (("309901", 0), ("309902", 5), ("309903", 30)) for day in days[at:]]
    got = panel(tmp_path, *rows)
    assert [str(day) for day in got.listed] == ["NaT", "NaT", days[30]]
    assert "listing days" in got.inferred
    stated = panel(tmp_path, *rows, securities="ts_code,name,list_date,delist_date\n309902.SZ,霜桥,20240101,20240611\n")
    assert [str(day) for day in stated.listed] == ["NaT", "2024-01-01", days[30]]
    assert [str(day) for day in stated.delisted] == ["NaT", "2024-06-11", "NaT"]
    assert stated.names == ("", "霜桥", "")


def test_who_had_bars_long_before_is_not_new_when_its_trading_resumes(tmp_path: Path) -> None:
    days = np.arange("2024-05-06", "2024-08-01", dtype="datetime64[D]")
    days = days[np.is_busday(days)].astype(str).tolist()
    rows = [still("309901", day, 10) for day in days] + [still("309902", day, 10) for day in (days[0], days[-1])]
    span = "2025-09-01", "2025-09-03"
    of_late = [still(code, day, 10) for code in ("309901", "309902", "309903") for day in span]
    assert np.isnat(panel(tmp_path, *rows, *of_late, span=span).listed).tolist() == [True, True, False]
    assert np.isnat(panel(tmp_path, *rows[:-2], *of_late, span=span).listed).tolist() == [True, False, False]


def test_nobody_knows_of_a_delisting_or_a_name_that_is_still_to_come(tmp_path: Path) -> None:
    files = {
        "securities": "ts_code,name,delist_date\n309901.SZ,*ST云禾,20240520\n",
        "name_changes": "ts_code,name,start_date\n309901.SZ,云禾,20100101\n309901.SZ,*ST云禾,20240508\n",
    }
    rows = [still("309901", day, 10) for day in MAY]
    early = panel(tmp_path, *rows, span=(MAY[0], MAY[1]), **files)
    assert (early.names, str(early.delisted[0])) == (("云禾",), "NaT")
    later = panel(tmp_path, *rows, **files)
    assert (later.names, str(later.delisted[0])) == (("*ST云禾",), "2024-05-20")
    assert later.special[:, 0].tolist() == [False, False, True, True, True]


@pytest.mark.parametrize(
    ("name", "special"), [("ST云禾", True), ("S*ST云禾", True), ("XDST云", True), ("TST云", False)]
)
def test_a_name_says_whether_its_security_is_under_special_treatment(name: str, special: bool) -> None:
    assert is_special(name) is special


def test_a_source_from_which_nobody_leaves_holds_survivors_only(tmp_path: Path) -> None:
    alive = [still("309901", day, 10) for day in MAY]
    assert "survivors only" in told(panel(tmp_path, *alive))
    gone = "ts_code,name,delist_date\n309901.SZ,云禾,20240509\n"
    assert "survivors only" not in told(panel(tmp_path, *alive, securities=gone))


def test_who_has_no_bars_for_long_and_no_day_of_delisting_is_told(tmp_path: Path) -> None:
    days = np.busday_offset("2024-05-06", np.arange(30), roll="forward").astype(str).tolist()
    rows = [still("309901", day, 10) for day in days] + [still("309902", day, 7) for day in days[:10]]
    silent = "1 security has no bars in the last 20 sessions and no delisting date, such as 309902.SZ"
    assert silent in told(panel(tmp_path, *rows))
    assert "survivors only" not in told(panel(tmp_path, *rows))
    assert silent not in told(panel(tmp_path, *rows, span=(days[0], days[20])))
    gone = f"ts_code,name,delist_date\n309902.SZ,霜桥,{days[10]}\n"
    assert "no delisting date" not in told(panel(tmp_path, *rows, securities=gone))


def test_a_panel_without_a_usable_bar_says_so(tmp_path: Path) -> None:
    assert "there are no bars that could be used by 2030-12-31" in told(panel(tmp_path, still("309901", MAY[0], -1)))
    assert "no bars that could be used by 2023-02-01" in told(
        panel(tmp_path, still("309901", MAY[0], 10), span=("2023-01-02", "2023-02-01"))
    )


def test_a_session_with_bars_of_few_securities_is_told(tmp_path: Path) -> None:
    rows = [still(f"30990{k}", day, 10) for k in range(8) for day in MAY if day != MAY[2] or k < 2]
    assert "1 session with bars of few securities, such as 2024-05-08" in told(panel(tmp_path, *rows))


def test_prices_stored_in_few_bits_are_the_decimals_that_were_meant(tmp_path: Path) -> None:
    closes = [72.8, 1700.01, 0.473, 9.52]
    frame = pl.DataFrame({"code": ["309901"] * 4, "date": MAY[:4], "close": pl.Series(closes, dtype=pl.Float32)})
    frame.write_parquet(tmp_path / "daily_bars.parquet")
    got = MarketFolder(tmp_path).panel(date(2024, 1, 1), date(2024, 12, 31))
    assert got.close[:, 0].tolist() == closes
    assert np.isnan(got.open).all()
    assert got.traded.all()  # nobody says that there was no volume


def test_a_folder_without_bars_has_no_panel_and_one_without_any_then_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no bars"):
        MarketFolder(tmp_path).panel(date(2024, 5, 6), date(2024, 5, 10))
    got = panel(tmp_path, still("309901", MAY[0], 10), span=("2023-01-02", "2023-02-01"))
    assert got.close.shape == (0, 0)


def same(one: PricePanel, other: PricePanel, rows: slice = slice(None)) -> bool:
    """Whether one panel is the `rows` of the other, to the last bit."""
    arrays = ("days", "open", "high", "low", "close", "volume", "factor", "upper", "lower", "traded", "special")
    return one.codes == other.codes and all(
        getattr(one, name).tobytes() == getattr(other, name)[rows].tobytes() for name in arrays
    )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    prices=st.lists(st.sampled_from([9.5, 10.0, 10.5, 11.0, 12.0, 12.1, 0.0]), min_size=60, max_size=60),
    cut=st.integers(1, 58),
)
def test_a_session_is_the_same_whatever_comes_after_it_and_whenever_one_begins(
    tmp_path: Path, prices: list[float], cut: int
) -> None:
    days = np.arange("2024-05-06", "2024-07-27", dtype="datetime64[D]")
    days = days[np.is_busday(days)].astype(str).tolist()
    rows = [still(code, day, price) for code in ("600991", "309901") for day, price in zip(days, prices, strict=True)]
    write(tmp_path, *rows, still("309902", days[0], 10))
    market = MarketFolder(tmp_path, calendar=Weekdays())
    first, middle, last = (date.fromisoformat(day) for day in (days[0], days[cut], days[-1]))
    whole = market.panel(first, last)
    assert same(market.panel(first, middle), whole, slice(0, cut + 1))
    assert same(market.panel(middle, last), whole, slice(cut, None))


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 999), n_later=st.integers(0, 300))
def test_levels_in_spans_are_those_of_one_panel_and_know_nothing_of_what_comes_later(
    tmp_path: Path, seed: int, n_later: int
) -> None:
    chance = np.random.default_rng(seed)
    days = np.arange("2019-01-08", "2024-05-01", dtype="datetime64[D]")
    days = days[np.is_busday(days) & (chance.random(len(days)) < 0.98)]
    closes = np.round(chance.uniform(9, 11, (len(days), 3)), 2)
    closes[chance.random(closes.shape) < 0.05] = 0.0  # no bar that can be
    rows = zip(np.repeat(days, 3).astype(str), ["309901", "309902", "600991"] * len(days), closes.ravel(), strict=True)
    pl.DataFrame(list(rows), schema=["date", "code", "close"], orient="row").write_parquet(
        tmp_path / "daily_bars.parquet"
    )
    market = MarketFolder(tmp_path, calendar=Weekdays())
    last = days[-1 - n_later].item()
    whole = market.panel(days[0].item(), last)
    spans = list(market.levels(last, over=timedelta(days=730)))
    assert len(spans) == 3
    told = np.concatenate([levels[row > 0 :] for row, (_, levels) in enumerate(spans)])
    assert told.tobytes() == (whole.close * whole.factor).tobytes()
    assert [spans[at][0][-1] for at in (0, 1)] == [spans[at][0][0] for at in (1, 2)]  # the week before begins a span


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 999), n_back=st.integers(1, 400), adjustment=st.sampled_from(["none", "forward"]))
def test_a_panel_is_the_same_from_wherever_one_looks_back_however_seldom_something_is_told(
    tmp_path: Path, seed: int, n_back: int, adjustment: str
) -> None:
    chance = np.random.default_rng(seed)
    days = np.arange("2019-01-08", "2024-05-01", dtype="datetime64[D]")
    days, n = days[np.is_busday(days)], 4
    shape = len(days), n
    factors = np.cumprod(np.where(chance.random(shape) < 0.002, 1.25, 1.0), axis=0)
    changes = np.vstack([np.ones((1, n), bool), np.diff(factors, axis=0) != 0])
    flags = np.where(chance.random(shape) < 0.003, chance.integers(0, 2, shape), -1)
    closes = np.round(chance.uniform(9.6, 10.4, shape) / factors, 2)
    bars = pl.DataFrame(
        {
            "code": ["309901", "309902.SZ", "600991", "600992"] * len(days),
            "date": np.repeat(days, n),
            "close": closes.ravel(),
            "adj_factor": np.where(changes, factors, np.nan).ravel(),
            "is_st": flags.ravel(),
            "list_date": ["20190102", None, None, None] + [None] * (len(days) - 1) * n,
            "adjustment": [adjustment] * len(days) * n,
        }
    ).with_columns(is_st=pl.when(pl.col("is_st") >= 0).then(pl.col("is_st")))
    has_bar = np.ones(shape, bool)
    has_bar[:300, 3] = False
    has_bar[-700:-200, 2] = changes[-700:-200, 2]
    bars.filter(pl.Series(has_bar.ravel())).sample(fraction=1.0, shuffle=True, seed=seed).write_parquet(
        tmp_path / "daily_bars.parquet"
    )
    market = MarketFolder(tmp_path, calendar=Weekdays())
    last = days[-1].item()
    whole, late = market.panel(days[0].item(), last), market.panel(days[-n_back].item(), last)
    assert same(late, whole, slice(-n_back, None))
    for name in ("listed", "delisted"):
        assert np.array_equal(getattr(late, name), getattr(whole, name), equal_nan=True)
    spans = list(market.levels(last, over=timedelta(days=730)))
    levels = np.concatenate([levels[row > 0 :] for row, (_, levels) in enumerate(spans)])
    assert levels.tobytes() == (whole.close * whole.factor).tobytes()
