"""What a document says about itself."""

from datetime import date

import pytest

from finlore.formats.markdown import read_markdown
from finlore.intake.metadata import normal_rating
from finlore.intake.prepare import prepare
from finlore.records.document import Block, Metadata, ParsedDocument, Role
from finlore.records.instant import MARKET_ZONE, Instant, end_of_day, parse_instant

RECEIVED = parse_instant("2025-06-30T12:00:00", MARKET_ZONE)
PROSE = "公司三季度收入同比增长百分之二十，主要受益于新产线投产以及海外客户需求恢复，截至2024年9月30日现金充裕。"


def read(markdown: str, *, source: str = "/r/note.md", **stated: str) -> tuple[Metadata, list[str]]:
    outline = read_markdown(markdown)
    parsed = ParsedDocument(
        source, markdown, outline.blocks, "markdown", markup=outline.markup, stated=tuple(stated.items())
    )
    document, issues = prepare(parsed, zone=MARKET_ZONE, received_at=RECEIVED)
    assert document is not None
    return document.metadata, [issue.message for issue in issues]


def day(year: int, month: int, number: int) -> Instant:
    return end_of_day(date(year, month, number), MARKET_ZONE)


def test_a_first_page_tells_all_of_it() -> None:
    metadata, issues = read(
        "证券研究报告\n\n# 山海股份（600123）点评：订单饱满\n\n发布日期：2024 年 5 月 31 日\n\n"
        "证券分析师：赵明远  \n执业编号：S0000000000001\n\n"
        f"投资评级：买入（维持）\n\n{PROSE}\n\n## 免责声明\n\n"
        "本报告版权归招商证券股份有限公司所有，未经书面许可不得翻版。\n"
    )
    assert metadata == Metadata(
        title="山海股份（600123）点评：订单饱满",
        kind="report",
        language="zh",
        published_at=day(2024, 5, 31),
        broker="招商证券",
        analysts=("赵明远",),
        security="600123.SH",
        rating="买入",
    )
    assert issues == []


def test_stated_fields_win() -> None:
    metadata, _ = read(
        f"# 山海股份（600123）\n\n2024年5月31日\n\n{PROSE}\n",
        title="别名", published_at="2024-06-02T09:30:00+08:00", security="300750", broker="河川证券",
        analysts="甲某，乙某", rating="增持（首次）", kind="新闻", language="en", crawled_at="2024-06-03 10:00:00",
    )  # fmt: skip
    assert metadata == Metadata(
        title="别名",
        kind="news",
        language="en",
        published_at=parse_instant("2024-06-02T09:30:00+08:00"),
        crawled_at=parse_instant("2024-06-03T10:00:00+08:00"),
        broker="河川证券",
        analysts=("甲某", "乙某"),
        security="300750.SZ",
        rating="增持",
    )


@pytest.mark.parametrize(
    "written", ["2024-06-02", "2024-06-02 00:00:00", "2024-06-02T00:00:00.000Z", "2024/6/2 0:00", "2024年6月2日"]
)
def test_a_stated_midnight_is_the_end_of_that_day_like_a_bare_date(written: str) -> None:
    assert read(f"{PROSE}\n", published_at=written)[0].published_at == day(2024, 6, 2)


@pytest.mark.parametrize(
    "head",
    [
        "报告日期：2024-05-31",
        "2024 年 5 月 31 日",
        "2024年5月31日 星期五",
        "（2024.05.31）",
        "日期: 2024/5/31",
        "Date: May 31, 2024",
        "Date of Report (Date of earliest event reported): May 31, 2024",
        "原创 河川研究院 2024-05-31",
        "NEW YORK, May 31, 2024 -- Foo Inc. today announced results for the quarter, which were better than expected.",
    ],
)
def test_a_day_is_read_where_it_dates_the_document(head: str) -> None:
    assert read(f"# 点评\n\n{head}\n\n{PROSE}\n")[0].published_at == day(2024, 5, 31)


@pytest.mark.parametrize(
    "text",
    [
        f"# 周报\n\n{PROSE}\n",
        "# 公司成立于1984年5月31日，总部在上海\n\n公司于2024年5月31日公告回购。\n",
        "# 点评\n\n相关报告\n\n《上一篇点评》 2024-05-31\n\n收入增长。\n",
        "# 点评\n\n《上一篇点评》\n\n2024-05-31\n\n收入增长。\n",
        "# 复盘【2024年5月25日~5月31日】\n\n收入增长。\n",
        "# 月报 2024年5月\n\n收入增长。\n",
        "# 点评\n\n总股本 截至 2024-05-31\n\n收入增长。\n",
    ],
)
def test_a_day_that_dates_something_else_is_not_the_documents(text: str) -> None:
    assert read(text)[0].published_at is None


def running(line: str, page: int) -> Metadata:
    text = f"{line}\n山海股份点评\n{PROSE}\n"
    marks = [0, len(line) + 1, len(line) + 8, len(text)]
    roles: tuple[Role, ...] = ("header_footer", "heading", "body")
    blocks = tuple(Block(a, b - 1, role, page=page) for a, b, role in zip(marks, marks[1:], roles, strict=False))
    document, _ = prepare(ParsedDocument("/r/note.pdf", text, blocks, "pdf"), zone=MARKET_ZONE, received_at=RECEIVED)
    assert document is not None
    return document.metadata


@pytest.mark.parametrize(
    ("line", "page", "dated"),
    [
        ("河川证券研究所｜公司点评报告 2024年05月31日", 1, True),
        ("公司点评报告 2024年05月31日", 2, False),
        ("数据截至 2024年05月31日", 1, False),
        ("2024年05月31日收盘价的说明", 1, False),
    ],
)
def test_the_running_head_of_the_first_page_dates_it_where_a_day_ends_it(line: str, page: int, *, dated: bool) -> None:
    assert running(line, page).published_at == (day(2024, 5, 31) if dated else None)


def test_title_and_file_name_may_date_it() -> None:
    assert read(f"# 日报-20240531\n\n{PROSE}\n")[0].published_at == day(2024, 5, 31)
    assert read(f"# 日报\n\n{PROSE}\n", source="/r/2024-05-31--半导体.md")[0].published_at == day(2024, 5, 31)


@pytest.mark.parametrize("stated", ["2024-02-30", "不详", "2099-01-01", "1970-01-01", "2025-07-01"])
def test_an_impossible_or_future_day_is_reported_and_not_used(stated: str) -> None:
    metadata, issues = read(f"# 点评\n\n{PROSE}\n", published_at=stated)
    assert metadata.published_at is None
    assert len(issues) == 1
    assert stated in issues[0]


def test_the_day_of_receipt_itself_is_believed() -> None:
    assert read(f"# 点评\n\n{PROSE}\n", published_at="2025-06-30") == (
        read(f"# 点评\n\n2025年6月30日\n\n{PROSE}\n")[0],
        [],
    )


@pytest.mark.parametrize(
    ("text", "security"),
    [
        ("# 山海股份（600123.SH）：点评\n\n同业河川股份（300123）。\n", "600123.SH"),
        ("# Foo Inc. (NASDAQ: FOO) beats\n\nRevenue rose.\n", "FOO.US"),
        ("# 关于担保的公告\n\n证券代码：600123　证券简称：山海\n\n担保。\n", "600123.SH"),
        (f"# 行业点评\n\n{PROSE * 3}推荐山海股份（600123）。\n", None),
        ("# 行业点评\n\n推荐：山海股份（600123）、河川股份（300123）\n", None),
    ],
)
def test_the_covered_security_is_the_one_that_the_head_names_alone(text: str, security: str | None) -> None:
    assert read(text)[0].security == security


@pytest.mark.parametrize(
    ("written", "rating"),
    [
        ("买入（首次）", "买入"),
        ("买入-B", "买入"),
        ("BUY (maintained)", "Buy"),
        ("Equal-weight", "Equal-weight"),
        ("超重", "超重"),
        ("", None),
    ],
)
def test_ratings_lose_their_notes(written: str, rating: str | None) -> None:
    assert normal_rating(written) == rating


@pytest.mark.parametrize(
    ("line", "rating"),
    [
        ("投资评级：增持（首次）", "增持"),
        ("买入（维持）", "买入"),
        ("我们维持公司“优于大市”评级。", "优于大市"),
        ("We maintain our Outperform rating on the shares.", "Outperform"),
        ("Interest rates stay on hold and the growth rate may add to demand.", None),
        ("公司大股东增持股份，市场买入情绪回升。", None),
    ],
)
def test_a_rating_is_one_that_is_given(line: str, rating: str | None) -> None:
    assert read(f"# 山海点评\n\n{line}\n")[0].rating == rating


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# 关于为子公司提供担保的公告\n\n担保。\n", "announcement"),
        ("# 业绩说明会纪要\n\n问：收入？\n", "transcript"),
        ("# 装置起火\n\n（财联社5月31日电）装置起火。\n", "news"),
        ("# 山海股份2024年年报点评\n\n收入增长。\n", "report"),
    ],
)
def test_kinds_are_told_by_title_and_head(text: str, kind: str) -> None:
    assert read(text)[0].kind == kind


def test_a_title_is_neither_a_label_nor_a_department() -> None:
    text = "分析师：赵明远\n\nzhao@x.cn 021-50586990\n\n# 策略研究 · 专题\n\n# 投资要点\n\n# 山海远航\n\n收入增长。\n"
    assert read(text)[0].title == "山海远航"


def test_without_any_title_the_file_name_is_one() -> None:
    assert read("收入增长。\n", source="/r/山海点评.md")[0].title == "山海点评"
