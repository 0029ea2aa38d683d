"""Lists of broker ratings."""

from finlore.adapters.parse_ratings import RatingListParser
from finlore.intake.prepare import prepare
from finlore.ports import Source
from finlore.records.document import Document, Issue
from finlore.records.instant import MARKET_ZONE, parse_instant

HEADER = "report_date,code,name,broker,authors,rating,title,abstract,crawled_at\n"
ROW = '2024-05-28,300999,河川智能,山海证券,"甲某,乙某",买入（首次）,订单饱满,产能爬坡顺利。,2024-06-28 01:59:18\n'


def read(text: str) -> tuple[list[Document], list[Issue]]:
    parsed, issues = RatingListParser().parse(Source("/c/ratings.csv", ".csv", text.encode()))
    received = parse_instant("2025-06-30", MARKET_ZONE)
    return [d for p in parsed if (d := prepare(p, zone=MARKET_ZONE, received_at=received)[0])], issues


def test_a_row_is_a_dated_report_with_a_line_that_tells_its_fields() -> None:
    (document,), issues = read(HEADER + ROW)
    metadata = document.metadata
    assert issues == []
    assert (
        document.text
        == "订单饱满\n产能爬坡顺利。\n2024-05-28，山海证券给予河川智能（300999）“买入（首次）”评级，分析师甲某、乙某。"
    )
    assert (metadata.title, metadata.kind, metadata.security) == ("订单饱满", "report", "300999.SZ")
    assert (metadata.broker, metadata.rating, metadata.analysts) == ("山海证券", "买入", ("甲某", "乙某"))
    assert metadata.published_at == parse_instant("2024-05-28", MARKET_ZONE)
    assert metadata.crawled_at == parse_instant("2024-06-28T01:59:18", MARKET_ZONE)


def test_all_of_it_is_indexed() -> None:
    (document,), _ = read(HEADER + ROW)
    found = [document.text[s.start : s.end] for p in document.passages for s in p.sentences]
    assert found == document.text.split("\n")


def test_chinese_columns_and_tabs_are_read() -> None:
    (document,), _ = read(
        "股票代码\t证券简称\t机构\t评级\t标题\t日期\t目标价\n00799\t河川控股\t山海证券\t增持\t首次覆盖\t2024/5/28\t12.5\n"
    )
    assert (document.metadata.security, document.metadata.rating) == ("00799.HK", "增持")
    assert "目标价12.5" in document.text


def test_english_rows_get_an_english_line() -> None:
    (document,), _ = read(
        "date,ticker,company,broker,rating,title\n2024-05-28,FOO,Foo Inc.,Bar Research,Buy,Strong start\n"
    )
    assert document.text == "Strong start\nBar Research on Foo Inc. (FOO), 2024-05-28; rating Buy."
    assert (document.metadata.security, document.metadata.language) == ("FOO.US", "en")


def test_rows_with_gaps_are_reported_by_line_and_repeated_ones_left_out() -> None:
    documents, issues = read(HEADER + ROW + "2024-05-29,,河川智能,山海证券,,买入,无代码,,\n" + ROW)
    assert len(documents) == 1
    assert [(issue.line, issue.severity) for issue in issues] == [(3, "rejected"), (4, "note")]


def test_a_line_break_inside_a_quoted_cell_is_no_row() -> None:
    documents, issues = read(HEADER + ROW.replace("产能爬坡顺利。", '"产能\n爬坡"'))
    assert (len(documents), issues) == (1, [])


def test_the_id_of_a_row_is_that_of_the_report_not_of_its_place() -> None:
    first, _ = read(HEADER + ROW)
    later, _ = read(HEADER + "2024-01-02,300998,甲,乙证券,,增持,另一篇,,\n" + ROW.replace("01:59:18", "07:00:00"))
    assert first[0].id == later[1].id


def test_another_table_is_no_list_of_ratings() -> None:
    parsed, (issue,) = RatingListParser().parse(Source("/c/x.csv", ".csv", b"a,b\n1,2\n"))
    assert (parsed, issue.severity) == ([], "rejected")
    assert "column" in issue.message
