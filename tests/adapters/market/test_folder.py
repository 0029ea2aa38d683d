"""What a folder of market data tells of a day, and what in it cannot be used."""

import os
from datetime import date, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from finlore.adapters.market.folder import MarketFolder
from finlore.errors import ConfigurationError
from finlore.records.instant import instant_of, parse_instant
from tests.adapters.market.folders import there

BARS = """code,date,open,close
309901,2024-05-09,10,10.5
309901,2024-05-10,10.5,11.25
309902,2024-05-10,7,7.5
"""


def folder(path: Path, **files: str) -> MarketFolder:
    for name, text in files.items():
        (path / f"{name}.csv").write_text(text, encoding="utf-8")
    return MarketFolder(path)


def test_a_price_is_the_close_of_the_last_trading_day_by_then_and_known_from_its_close(tmp_path: Path) -> None:
    market = folder(tmp_path, daily_bars=BARS)
    price = there(market.price("309901.SZ", date(2024, 5, 12)))
    assert (price.day, price.close, price.currency) == (date(2024, 5, 10), 11.25, "元")
    assert price.known_at == parse_instant("2024-05-10T15:00:00")
    before = there(market.price("309901.SZ", date(2024, 5, 9)))
    assert before.close == 10.5


def test_there_is_no_price_before_the_first_bar_long_after_the_last_or_of_another_market(tmp_path: Path) -> None:
    market = folder(tmp_path, daily_bars=BARS)
    assert market.price("309901.SZ", date(2024, 5, 8)) is None
    assert market.price("309901.SZ", date(2024, 9, 1)) is None
    assert market.price("309901.SH", date(2024, 5, 10)) is None
    assert market.price("company:云禾", date(2024, 5, 10)) is None


def test_bars_are_forward_adjusted_unless_they_say_otherwise(tmp_path: Path) -> None:
    stated = BARS.replace("close\n", "close,adjustment\n").replace("11.25\n", "11.25,none\n")
    plain, saying = folder(tmp_path, daily_bars=BARS), None
    price = there(plain.price("309901.SZ", date(2024, 5, 10)))
    assert price.adjustment == "forward"
    saying = there(folder(tmp_path, daily_bars=stated).price("309901.SZ", date(2024, 5, 10)))
    assert saying.adjustment == "none"


def test_a_market_value_is_told_only_where_the_source_has_it(tmp_path: Path) -> None:
    assert folder(tmp_path, daily_bars=BARS).market_value("309901.SZ", date(2024, 5, 10)) is None
    with_value = BARS.replace("close\n", "close,market_value\n").replace("11.25\n", "11.25,2500000000\n")
    worth = there(folder(tmp_path, daily_bars=with_value).market_value("309901.SZ", date(2024, 5, 10)))
    assert (worth.value, worth.currency) == (2.5e9, "元")


@pytest.mark.parametrize("code", [309901, "309901", "309901.SZ", "sz309901"])
def test_parquet_is_read_whatever_the_types_of_its_columns(tmp_path: Path, code: object) -> None:
    frame = pl.DataFrame(
        {"code": [code], "date": [datetime(2024, 5, 10)], "close": pl.Series([9.52], dtype=pl.Float32)}
    )
    frame.write_parquet(tmp_path / "daily_bars.parquet")
    price = there(MarketFolder(tmp_path).price("309901.SZ", date(2024, 5, 10)))
    assert price.close == 9.52


def test_a_number_of_a_code_has_lost_its_zeros(tmp_path: Path) -> None:
    pl.DataFrame({"code": [1], "date": [20240510], "close": [9.5]}).write_parquet(tmp_path / "daily_bars.parquet")
    price = there(MarketFolder(tmp_path).price("000001.SZ", date(2024, 5, 10)))
    assert price.close == 9.5


def test_an_index_counts_points_and_is_not_mixed_up_with_a_share_of_its_number(tmp_path: Path) -> None:
    market = folder(
        tmp_path,
        **{"index_000001.SH": "date,close\n2024-05-10,3154.5\n"},
        daily_bars="code,date,close\n000001,2024-05-10,11\n",
    )
    index, share = (there(market.price(code, date(2024, 5, 10))) for code in ("000001.SH", "000001.SZ"))
    assert (index.close, index.currency, index.adjustment) == (3154.5, "点", "none")
    assert share.close == 11


def test_shares_of_other_markets_are_priced_in_their_currency(tmp_path: Path) -> None:
    market = folder(tmp_path, daily_bars="code,date,close\n00700.HK,2024-05-10,380\n900901,2024-05-10,0.4\n")
    hong_kong, second = (there(market.price(code, date(2024, 5, 10))) for code in ("00700.HK", "900901.SH"))
    assert (hong_kong.currency, second.currency) == ("港元", "美元")


def test_securities_are_listed_from_their_first_bar(tmp_path: Path) -> None:
    names = "ts_code,symbol,name\n309901.SZ,309901,云禾精机\n309902.SZ,309902,霜桥光学\n309903.SZ,309903,无价股份\n"
    market = folder(tmp_path, daily_bars=BARS, securities=names)
    assert list(market.listed(date(2024, 5, 9)).values()) == ["云禾精机", "无价股份"]
    assert len(market.listed(date(2024, 5, 10))) == 3


def test_a_class_holds_from_its_day_to_the_next(tmp_path: Path) -> None:
    rows = "code,from_date,shenwan_code\n309901,2021-07-30 00:00:00,480301\n309901,2014-02-21 00:00:00,480101\n"
    market = folder(tmp_path, shenwan_membership=rows)
    told = [market.industry("309901.SZ", date(year, 1, 1)) for year in (2014, 2015, 2022)]
    assert told == [None, "480101", "480301"]


def test_bad_rows_are_passed_over_and_told(tmp_path: Path) -> None:
    bad = BARS + "309901,soon,1,1\n309901,2024-05-10,1,-3\n309901,2024-05-11,1,many\n309902,2024-05-10,7,7.75\n"
    market = folder(tmp_path, daily_bars=bad, securities="ts_code,name\nnobody,谁\n")
    price, doubled = (there(market.price(code, date(2024, 5, 12))) for code in ("309901.SZ", "309902.SZ"))
    assert (price.close, doubled.close) == (11.25, 7.75)
    told = " ".join(issue.message for issue in market.issues())
    assert "3 of 7 rows" in told
    assert "two rows" in told
    assert "'nobody'" in told


@pytest.mark.parametrize("text", ["", "\x00\x01", "a,b\n1,2\n"])
def test_files_that_are_something_else_are_told_and_tell_nothing(tmp_path: Path, text: str) -> None:
    market = folder(tmp_path, daily_bars=text, securities=text, shenwan_membership=text)
    assert market.price("309901.SZ", date(2024, 5, 10)) is None
    assert market.listed(date(2024, 5, 10)) == {}
    assert market.industry("309901.SZ", date(2024, 5, 10)) is None
    assert sum(issue.severity == "rejected" for issue in market.issues()) == 3


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nowhere"):
        MarketFolder(tmp_path / "nowhere")


def test_no_price_is_known_before_its_day_is_over(tmp_path: Path) -> None:
    price = there(folder(tmp_path, daily_bars=BARS).price("309901.SZ", date(2024, 5, 10)))
    assert price.known_at > instant_of(datetime.fromisoformat("2024-05-10T14:59:00+08:00"))


@pytest.mark.parametrize("column", ["close", "volume", "date", "code"])
@pytest.mark.parametrize("form", ["list", "struct", "binary"])
def test_a_column_that_is_neither_text_number_nor_date_is_named_and_its_file_not_read(
    tmp_path: Path, column: str, form: str
) -> None:
    frame = pl.DataFrame({"code": ["309901"], "date": ["2024-05-10"], "close": [9.5], "volume": [3.0], "other": [[1]]})
    value = pl.col(column)
    formless = {"list": pl.concat_list(value), "struct": pl.struct(value), "binary": pl.lit(b"\xff")}[form]
    frame.with_columns(formless.alias(column)).write_parquet(tmp_path / "daily_bars.parquet")
    market = MarketFolder(tmp_path)
    with pytest.raises(ConfigurationError, match=f"daily_bars.parquet has no readable column {column}"):
        market.panel(date(2024, 5, 6), date(2024, 5, 10))
    assert market.price("309901.SZ", date(2024, 5, 10)) is None


@pytest.mark.parametrize("kind", [pl.Int64, pl.Decimal(10, 2), pl.String, pl.Categorical, pl.Boolean, pl.Time, pl.Null])
@pytest.mark.parametrize("column", ["code", "date", "close", "volume", "suspended", "adjustment", "list_date"])
def test_whatever_else_is_in_a_column_nothing_breaks(tmp_path: Path, column: str, kind: pl.DataType) -> None:
    frame = pl.DataFrame({"code": ["309901"], "date": ["2024-05-10"], "close": [9.5]})
    one = pl.lit("1") if kind in (pl.String, pl.Categorical) else pl.lit(1)
    odd = pl.lit(None).cast(kind) if kind in (pl.Null, pl.Time) else one.cast(kind)
    frame.with_columns(odd.alias(column)).write_parquet(tmp_path / "daily_bars.parquet")
    market = MarketFolder(tmp_path)
    assert market.panel(date(2024, 5, 6), date(2024, 5, 10)).close.size <= 1
    market.issues()
    market.price("309901.SZ", date(2024, 5, 10))


def test_a_file_with_a_damaged_page_is_named_with_its_column_wherever_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "daily_bars.parquet"
    n = 2_000
    frame = pl.DataFrame({"code": ["309901"] * n, "date": ["2024-05-10"] * n, "close": [k * 0.37 for k in range(n)]})
    frame.write_parquet(path, compression="zstd", use_pyarrow=False, statistics=False)
    whole = path.read_bytes()
    at = len(whole) * 2 // 3  # among the closes
    path.write_bytes(whole[:at] + b"z" * 100 + whole[at + 100 :])
    market = folder(tmp_path, securities="ts_code,name\n309901.SZ,云禾\n")
    for ask in (
        lambda: market.panel(date(2024, 5, 6), date(2024, 5, 10)),
        lambda: market.price("309901.SZ", date(2024, 5, 10)),
        lambda: market.listed(date(2024, 5, 10)),
    ):
        with pytest.raises(ConfigurationError, match=r"daily_bars\.parquet cannot be read: .*column close"):
            ask()
    assert "cannot be read" in " ".join(issue.message for issue in market.issues())


@pytest.mark.parametrize(
    ("levels", "told"),
    [
        ("date,close\n2024-05-09,abc\n2024-05-10,-5\n", "none of 2 rows has a day and a positive close"),
        ("date,close\n", "none of 0 rows"),
        ("date,close\n2024-05-09,abc\n2024-05-10,5\n", "1 of 2 rows have no day"),
        ("day,level\n2024-05-10,5\n", "no column date, close"),
    ],
)
def test_levels_of_an_index_that_cannot_be_used_are_told_with_the_panel(tmp_path: Path, levels: str, told: str) -> None:
    market = folder(tmp_path, daily_bars=BARS, **{"index_000300.SH": levels})
    issues = market.panel(date(2024, 5, 6), date(2024, 5, 10)).issues
    assert any(told in issue.message and "index_000300.SH" in issue.source for issue in issues)


def test_a_table_of_names_that_is_no_text_is_named(tmp_path: Path) -> None:
    market = folder(tmp_path, daily_bars=BARS)
    (tmp_path / "securities.csv").write_bytes(b"ts_code,name\n309901.SZ,\xff\xfe\xb0\n")
    with pytest.raises(ConfigurationError, match=r"securities\.csv cannot be read"):
        market.listed(date(2024, 5, 10))


def test_no_price_is_above_all_that_was_ever_paid(tmp_path: Path) -> None:
    market = folder(tmp_path, daily_bars="code,date,close\n309901,2024-05-09,10\n309901,2024-05-10,1e300\n")
    price = there(market.price("309901.SZ", date(2024, 5, 10)))
    assert price.close == 10


def test_names_are_those_of_the_day_as_far_as_changes_are_told(tmp_path: Path) -> None:
    market = folder(
        tmp_path,
        daily_bars=BARS,
        securities="ts_code,name,list_date,delist_date\n309901.SZ,漠川,20100101,\n309902.SZ,云禾,20100101,\n"
        "309903.SZ,霜桥,20240510,\n309904.SZ,松岭,20100101,20200501\n",
        name_changes="ts_code,start_date,name\n309902.SZ,20100101,漠川\n309902.SZ,20240501,云禾\n309901.SZ,20240510,漠川\n",
    )
    assert market.listed(date(2024, 5, 9)) == {"309902.SZ": "云禾"}  # what 309901.SZ was called nobody tells
    assert market.listed(date(2024, 5, 10)) == {"309901.SZ": "漠川", "309902.SZ": "云禾", "309903.SZ": "霜桥"}
    assert market.listed(date(2020, 5, 1)) == {"309902.SZ": "漠川", "309904.SZ": "松岭"}


def test_a_file_in_place_of_a_folder_is_told_with_the_folder_that_holds_it(tmp_path: Path) -> None:
    folder(tmp_path, daily_bars=BARS)
    with pytest.raises(ConfigurationError, match=f"name the folder that holds it: {tmp_path}"):
        MarketFolder(tmp_path / "daily_bars.csv")


@pytest.mark.parametrize("name", ["daily_bars.csv", "securities.csv", "index_000300.SH.csv", "daily_bars/a.parquet"])
def test_a_pipe_in_place_of_a_file_is_refused_and_never_waited_for(tmp_path: Path, name: str) -> None:
    if not name.startswith("daily_bars"):
        folder(tmp_path, daily_bars=BARS)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(ConfigurationError, match="is no regular file"):
        MarketFolder(tmp_path).panel(date(2024, 5, 6), date(2024, 5, 10))


def test_what_an_index_tells_of_later_days_changes_nothing(tmp_path: Path) -> None:
    early = "date,close,total_return\n2024-05-09,3000,1\n2024-05-10,3100,1\n"
    first, last = date(2024, 5, 6), date(2024, 5, 10)
    told = []
    for levels in (early, early + "2024-05-13,3200,0\n2024-05-14,-1,1\n2024-05-15,3200,1\n2024-05-15,3300,1\n"):
        market = folder(tmp_path, daily_bars=BARS, **{"index_000300.SH": levels})
        index = there(market.index("000300.SH", first, last))
        told.append((index.total_return, index.closes.tolist(), market.panel(first, last).issues))
    assert told[0] == told[1]
    assert told[0][0]


def test_levels_end_with_the_last_bar_however_far_one_asks(tmp_path: Path) -> None:
    market = folder(tmp_path, daily_bars=BARS)
    spans = list(market.levels(date.max, over=timedelta()))
    assert [days.tolist() for days, _ in spans] == [[date(2024, 5, 9), date(2024, 5, 10)]]
