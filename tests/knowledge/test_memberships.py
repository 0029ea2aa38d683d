"""Lists of classes become statements of membership, each known from the day on which it could be."""

from finlore.knowledge.memberships import intervals, is_membership
from finlore.records.imported import ImportedRow, ImportedTable
from finlore.records.instant import MARKET_ZONE

COLUMNS = ("code", "from_date", "shenwan_code", "updated_at")


def table(*rows: tuple[str, str, str]) -> ImportedTable:
    numbered = enumerate(rows, 2)
    return ImportedTable("csv", COLUMNS, [ImportedRow(line, (*row, "2025-01-01")) for line, row in numbered])


def stated(*rows: tuple[str, str, str], **names: str) -> list[tuple[object, ...]]:
    known = {key.removeprefix("c"): name for key, name in names.items()}
    found = intervals(table(*rows), known, zone=MARKET_ZONE)
    assert all(len(row.cells) == len(found.columns) for row in found.rows)
    return [row.cells if not row.fault else (row.line, row.fault) for row in found.rows]


def test_the_next_class_ends_the_one_before_and_nobody_knows_before() -> None:
    rows = [("600001", "2021-07-30 00:00:00", "630701"), ("600001", "2018-05-28 11:25:00", "630305")]
    assert stated(*rows, c630701="锂电池") == [
        ("600001", "申万行业630305", "630305", "2018-05-28", "", "2018-05-28"),
        ("600001", "申万行业630305", "630305", "2018-05-28", "2021-07-30", "2021-07-30"),
        ("600001", "锂电池", "630701", "2021-07-30", "", "2021-07-30"),
    ]


def test_a_class_that_is_named_again_goes_on_and_of_one_day_the_last_counts() -> None:
    rows = [
        ("600001", "2014-01-02", "110101"), ("600001", "2016-01-04", "110101"),
        ("600001", "2018-01-02", "120101"), ("600001", "2018-01-02", "130101"),
    ]  # fmt: skip
    assert [(cells[2], cells[3], cells[4]) for cells in stated(*rows)] == [
        ("110101", "2014-01-02", ""),
        ("110101", "2014-01-02", "2018-01-02"),
        ("130101", "2018-01-02", ""),
    ]


def test_rows_that_say_too_little_are_told() -> None:
    assert stated(("600001", "soon", "110101"), ("600001", "2018-01-02", "")) == [
        (2, "it does not say who, what and since when"),
        (3, "it does not say who, what and since when"),
    ]


def test_such_a_list_is_known_by_its_columns() -> None:
    assert is_membership(table())
    assert not is_membership(ImportedTable("csv", ("code", "name"), []))
