"""Blocks become passages and sentences."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.formats.markdown import read_markdown
from finlore.intake.passages import SIZES, make_passages, place
from finlore.language.reading import readable_spans
from finlore.records.document import Block, Box, Line, Passage

SENTENCE = "公司三季度收入同比增长百分之二十，主要受益于新产线投产以及海外客户需求恢复。"


def passages(markdown: str) -> tuple[Passage, ...]:
    outline = read_markdown(markdown)
    rows = [span for span in outline.markup if span.kind == "table_row"]
    return make_passages(markdown, outline.blocks, spans=readable_spans(outline.markup), rows=rows)


def test_prose_under_one_heading_is_joined_and_the_heading_opens_it() -> None:
    text = f"# 一\n\n{SENTENCE}\n\n- {SENTENCE}\n\n# 二\n\n{SENTENCE}\n"
    first, second = passages(text)
    assert (first.heading, second.heading) == ("一", "二")
    assert [text[s.start : s.end] for s in first.sentences] == ["一", SENTENCE, SENTENCE]
    assert (first.start, first.end) == (first.sentences[0].start, first.sentences[-1].end)


def test_a_passage_names_its_heading_and_the_one_above() -> None:
    (passage,) = passages(f"# 报告\n\n## 盈利\n\n### 收入\n\n{SENTENCE}\n")
    assert passage.heading == "盈利 / 收入"


def test_the_title_is_no_heading_of_its_passages() -> None:
    text = f"# 点评\n\n{SENTENCE}\n\n## 收入\n\n{SENTENCE}\n"
    found = make_passages(text, read_markdown(text).blocks, title="点评")
    assert [passage.heading for passage in found] == ["", "收入"]


@pytest.mark.parametrize(
    ("language", "sentence"), [("zh", SENTENCE), ("en", "Revenue rose because demand was strong. ")]
)
def test_long_prose_is_cut_into_passages_of_the_agreed_size(language: str, sentence: str) -> None:
    least, most = SIZES[language]  # type: ignore[index]
    text = sentence * 60
    found = passages(text)
    assert all(least <= p.end - p.start <= most for p in found[:-1])
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_paragraphs_are_kept_whole_where_that_is_possible() -> None:
    paragraph = SENTENCE * 6
    text = f"{paragraph}\n\n{paragraph}\n"
    assert [text[p.start : p.end] for p in passages(text)] == [paragraph, paragraph]


def test_a_table_row_is_a_sentence_read_with_its_header() -> None:
    text = "表 1：盈利预测\n\n| 指标 | 2024E |\n|---|---|\n| 收入 | 10.5 |\n| 利润 | 1.2 |\n\n资料来源：山海证券\n"
    (passage,) = passages(text)
    caption, header, income, profit, source = passage.sentences
    assert passage.role == "table"
    assert passage.heading == "表 1：盈利预测"
    assert text[income.start : income.end] == "| 收入 | 10.5 |"
    assert income.context is not None
    assert text[income.context.start : income.context.end] == "| 指标 | 2024E |"
    assert (income.context, caption.context, header.context, source.context) == (profit.context, None, None, None)


def test_a_header_of_two_rows_is_one_context() -> None:
    text = (
        "<table><tr><td>涨幅</td><td>跌幅</td></tr><tr><td>名称</td><td>涨跌</td></tr>"
        "<tr><td>山海</td><td>1.5%</td></tr></table>"
    )
    row = passages(text)[0].sentences[-1]
    assert row.context is not None
    assert "涨幅" in text[row.context.start : row.context.end]
    assert "名称" in text[row.context.start : row.context.end]


def test_tables_and_prose_do_not_share_a_passage() -> None:
    assert [p.role for p in passages(f"{SENTENCE}\n\n| 甲 | 乙 |\n|---|---|\n| 1 | 2 |\n\n{SENTENCE}\n")] == [
        "body",
        "table",
        "body",
    ]


def test_headings_without_text_of_their_own_are_not_lost() -> None:
    text = f"# 一\n\n## 二\n\n{SENTENCE}\n\n# 三\n"
    assert [[text[s.start : s.end] for s in p.sentences] for p in passages(text)] == [["一", "二", SENTENCE], ["三"]]


def test_what_is_not_indexed_is_in_no_passage() -> None:
    blocks = [Block(0, 2, "disclaimer"), Block(3, 5), Block(6, 8, "header_footer")]
    (passage,) = make_passages("免责。收入。页脚", [blocks[0], Block(3, 6), blocks[2]])
    assert (passage.start, passage.end) == (3, 6)


def test_mark_up_does_not_count_and_does_not_end_sentences() -> None:
    (passage,) = passages(r"指数下跌 $0 . 0 8 \%$ ，**上涨。** 反弹。")
    assert len(passage.sentences) == 2


LINES = (
    Line(0, 4, 1, Box(10, 100, 50, 110), (100, 200, 300, 400, 500)),
    Line(4, 8, 1, Box(10, 112, 50, 122), (100, 200, 300, 400, 500)),
    Line(8, 12, 2, Box(10, 20, 50, 30), (100, 200, 300, 400, 500)),
)


@pytest.mark.parametrize(
    ("start", "end", "page", "box"),
    [
        (1, 3, 1, Box(20, 100, 40, 110)),
        (2, 6, 1, Box(10, 100, 50, 122)),
        (6, 10, 1, Box(30, 112, 50, 122)),
        (8, 12, 2, Box(10, 20, 50, 30)),
        (20, 22, None, None),
    ],
)
def test_page_and_box_come_from_the_character_map(start: int, end: int, page: int | None, box: Box | None) -> None:
    assert place(LINES, [line.start for line in LINES], start, end) == (page, box)


@given(
    st.lists(
        st.sampled_from(
            ["# 标题", "收入增长。", "- 一项", "| 甲 | 乙 |", "|---|---|", "", "表 1：数", "a. B. C", "$0 . 1 \\%$"]
        ),
        max_size=30,
    )
)
def test_sentences_ascend_and_stay_in_their_passages(lines: list[str]) -> None:
    found = passages("\n".join(lines))
    spans = [(s.start, s.end) for p in found for s in p.sentences]
    assert spans == sorted(spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert all(p.start <= s.start < s.end <= p.end for p in found for s in p.sentences)
