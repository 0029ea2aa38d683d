"""Signals that somebody else made."""

from datetime import date
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.backtest.signals_file import read_signals
from finlore.records.backtest import Strategy
from finlore.records.instant import Instant, end_of_day, parse_instant

HEADER = "date,security,label,confidence\n"


def read(*rows: str, header: str = HEADER) -> Strategy:
    return read_signals(header + "\n".join(rows), name="signals.csv")


def test_a_row_is_a_signal_and_signals_come_by_instant() -> None:
    found = read("2025-03-04 14:59,600519.SH,Fall,0.6", "2025-03-03,300750,Rise,0.7")
    first, second = found.signals
    assert (first.security, first.label, first.confidence) == ("300750.SZ", "Rise", 0.7)
    assert (second.security, second.label, second.at) == ("600519.SH", "Fall", parse_instant("2025-03-04T14:59"))
    assert found.issues == ()


@pytest.mark.parametrize("rows", [(), ("", "\n")])
def test_a_table_of_nothing_but_a_header_says_so(rows: tuple[str, ...]) -> None:
    found = read(*rows)
    assert (found.signals, [issue.message for issue in found.issues]) == ((), ["the table has no rows"])


@pytest.mark.parametrize("written", ["2025-03-03", "2025-03-03 00:00:00", "2025/3/3 0:00"])
def test_a_bare_date_can_be_acted_on_from_the_end_of_its_day(written: str) -> None:
    (signal,) = read(f"{written},300750,Rise,").signals
    assert signal.at == end_of_day(signal.day)


@pytest.mark.parametrize(
    "written",
    ["2025-03-03 09:30", "2025/3/3 9:30", "20250303 09:30:00", "2025-03-03T01:30:00Z", "2025-03-03T09:30+08:00"],
)
def test_an_hour_without_a_zone_is_one_of_the_market(written: str) -> None:
    assert [signal.at for signal in read(f"{written},300750,Rise,").signals] == [parse_instant("2025-03-03T09:30")]


@pytest.mark.parametrize("written", ["2025-03-03", "20250303", "2025/3/3", "2025年3月3日", "２０２５-03-03"])
def test_a_day_is_read_as_people_write_it(written: str) -> None:
    (signal,) = read(f"{written},300750,Rise,").signals
    assert signal.day.isoformat() == "2025-03-03"


def test_an_instant_of_another_zone_is_dated_by_the_zone_of_the_market() -> None:
    (signal,) = read("2025-03-03T20:00:00Z,300750,Rise,").signals
    assert (signal.at, signal.day.isoformat()) == (parse_instant("2025-03-04T04:00+08:00"), "2025-03-04")


@pytest.mark.parametrize("word", ["Rise", "UP", "看涨", "上漲", "买入", "Strong Buy", "推荐", "+1", "1", "1.0"])
def test_a_rise_has_many_names(word: str) -> None:
    assert [signal.label for signal in read(f"2025-03-03,300750,{word},").signals] == ["Rise"]


@pytest.mark.parametrize("word", ["fall", "Bearish", "看跌", "卖出", "reduce", "-1", "－１", "-1.0"])
def test_so_has_a_fall(word: str) -> None:
    assert [signal.label for signal in read(f"2025-03-03,300750,{word},").signals] == ["Fall"]


def test_a_neutral_rating_calls_nothing_and_is_no_fault() -> None:
    found = read("2025-03-03,300750,中性,", "2025-03-03,300750,Hold,", "2025-03-03,300750,Fall,")
    assert [signal.label for signal in found.signals] == ["Fall"]
    assert [(issue.message, issue.severity) for issue in found.issues] == [
        ("neutral ratings, which call nothing: 2", "note")
    ]


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("sz000001", "000001.SZ"), ("600519.XSHG", "600519.SH"), ("sh.600519", "600519.SH"), ("600519 CH", "600519.SH"),
        ("832982.BJ", "832982.BJ"), ("900901", "900901.SH"), ("700.HK", "00700.HK"), ("漠川材料", "609901.SH"),
        ("漠 川 材 料", "609901.SH"), ("'600519", "600519.SH"), ('="000001"', "000001.SZ"),
    ],
)  # fmt: skip
def test_codes_of_all_markets_are_read_and_names_where_one_knows_them(written: str, code: str) -> None:
    text = f"{HEADER}2025-03-03,{written},Rise,"
    found = read_signals(text, name="s", names=lambda _: {"609901.SH": "漠川材料"})
    assert [one.security for one in found.signals] == [code]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("2025-13-03,300750,Rise,", "neither a date nor an instant"),
        (",300750,Rise,", "no date"),
        ("2025-03-03,nobody at all,Rise,", "no security"),
        ("2025-03-03,=cmd|' /C calc'!A0,Rise,", "no security"),
        ("2025-03-03,,Rise,", "no security"),
        ("2025-03-03,300750,0,", "neither Rise nor Fall"),
        ("2025-03-03,300750", "neither Rise nor Fall"),
        ("2025-03-03,300750,Rise,1.5", "between 0 and 1"),
        ("2025-03-03,300750,Rise,sure", "no number"),
    ],
)
def test_a_row_that_cannot_be_used_is_told_with_its_line_and_costs_no_other(row: str, reason: str) -> None:
    found = read("2025-03-03,600519,Rise,", row, "", "2025-03-04,600519,Rise,80%")
    assert [signal.confidence for signal in found.signals] == [None, 0.8]
    (issue,) = found.issues
    assert reason in issue.message
    assert (issue.line, issue.severity) == (3, "rejected")


def test_of_many_rows_that_fail_alike_twenty_are_shown_and_the_others_are_counted() -> None:
    found = read(*["2025-03-03,nobody at all,Rise,"] * 1000, *["2025-03-03,300750,0,"] * 21, "2025-03-04,600519,Rise,")
    assert len(found.signals) == 1
    assert [issue.line for issue in found.issues if issue.line] == [*range(2, 22), *range(1002, 1022)]
    assert [issue.message for issue in found.issues[:2]] == [
        "cannot be used for their security: 980 more", "cannot be used for their label: 1 more",
    ]  # fmt: skip


@pytest.mark.parametrize("written", ["NaN", "None", "N/A", "null", "ｎａｎ"])
def test_a_confidence_that_says_nothing_is_none_and_the_signal_stays(written: str) -> None:
    found = read(f"2025-03-03,300750,Rise,{written}")
    assert ([signal.confidence for signal in found.signals], found.issues) == ([None], ())


def test_full_width_characters_are_plain_ones_in_every_column_and_in_names() -> None:
    text = HEADER + "２０２５－０３－０３,６００５１９．ＳＨ,Ｒｉｓｅ,８０％\n2025-03-03,漠川A,Rise,"
    found = read_signals(text, name="s", names=lambda _: {"609901.SH": "漠川Ａ"})
    assert {(one.security, one.confidence) for one in found.signals} == {("600519.SH", 0.8), ("609901.SH", None)}


@pytest.mark.parametrize("between", [",", ";", "\t", "|", "，"])
def test_columns_are_known_by_their_names_in_any_order_and_with_any_separator(between: str) -> None:
    table = [
        ["", "置信度", "方向", "股票名称", " 股票代码", "日期"],
        ["0", "0.7", "看空", "其他", "300750", "2025-03-03"],
    ]
    found = read_signals("\n" + "\n".join(between.join(row) for row in table), name="s")
    assert [(s.security, s.label, s.confidence) for s in found.signals] == [("300750.SZ", "Fall", 0.7)]


def test_where_cells_are_set_apart_by_semicolons_decimals_may_be_by_commas() -> None:
    assert [one.confidence for one in read("2025-03-03;300750;Rise;0,7", header=HEADER.replace(",", ";")).signals] == [
        0.7
    ]


def test_a_quote_that_is_never_closed_fills_no_message() -> None:
    (issue,) = read('2025-03-03,"300750,Rise,', *["2025-03-03,300750,Rise,"] * 1000).issues
    assert len(issue.message) < 100


def test_many_rows_are_read_in_no_time() -> None:
    begin = process_time()
    found = read(*(f"2025-03-{row % 28 + 1:02d},{600_000 + row % 3_000},Rise,0.{row % 10}" for row in range(20_000)))
    assert (len(found.signals), process_time() - begin < 1) == (20_000, True)


def test_a_table_of_something_else_says_what_it_lacks() -> None:
    (issue,) = read("1,2", header="when,what\n").issues
    assert "date" in issue.message
    assert "label" in issue.message


@given(st.text(max_size=200))
def test_whatever_stands_in_a_file_is_a_signal_or_an_issue_and_never_an_error(text: str) -> None:
    found = read_signals(HEADER + text, name="s")
    assert all(Instant(0) < end_of_day(signal.day) for signal in found.signals if signal.day.year > 1971)


def test_a_name_is_that_of_who_bore_it_on_the_day_of_the_signal_and_of_two_bearers_nobody_is_meant() -> None:
    def names(day: date) -> dict[str, str]:
        renamed = {"609901.SH": "云禾", "309901.SZ": "漠川", "309902.SZ": "霜桥"}
        return renamed if day >= date(2025, 3, 5) else {"609901.SH": "漠川", "309901.SZ": "霜桥", "309902.SZ": "霜桥"}

    rows = [f"2025-03-0{day},{name},Rise," for day in (4, 5) for name in ("漠川", "霜桥", "云禾")]
    found = read_signals("\n".join([HEADER.strip(), *rows]), name="s", names=names)
    assert [(one.security, one.day.day) for one in found.signals] == [
        ("609901.SH", 4), ("309901.SZ", 5), ("309902.SZ", 5), ("609901.SH", 5),
    ]  # fmt: skip
    assert [(issue.message, issue.line) for issue in found.issues] == [
        ("309901.SZ and 309902.SZ were both called '霜桥' on 2025-03-04", 3),
        ("'云禾' is no security, and none was called so on 2025-03-04", 4),
    ]


def test_a_code_that_had_become_a_number_is_one_of_the_panel_or_none() -> None:
    rows = "".join(f"2024-09-02,{code},Rise\n" for code in ("2594", "600519.0", "1", "7", "2594.5"))
    found = read_signals(f"date,security,label\n{rows}", name="s", codes={"002594.SZ", "600519.SH", "000001.SZ"})
    assert sorted(signal.security for signal in found.signals) == ["000001.SZ", "002594.SZ", "600519.SH"]
    assert found.issues[0].message == "codes that had become numbers, read with all six digits: 3"
    assert [issue.line for issue in found.issues[1:]] == [5, 6]
