"""Reading through mark-up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.formats.markdown import read_markdown
from finlore.language.reading import read, read_latex, readable_spans
from finlore.records.document import Span


@pytest.mark.parametrize(
    ("formula", "reading"),
    [
        (r"$0 . 0 8 \%$", "0.08%"),
        (r"$- 5 . 5 \%$", "-5.5%"),
        (r"$3 5 0 \mathrm { ~ G W h }$", "350 GWh"),
        (r"$\mathsf { A l } +$", "Al+"),
        (r"$\frac { 1 } { 2 }$", "1/2"),
        (r"$2 5 ^ { \circ } \mathrm { C }$", "25°C"),
        (r"$D _ { i j }$", "D_ij"),
        (r"$\left( + 2 . 8 \% \right)$", "(+2.8%)"),
        (r"$\spadesuit$", ""),
    ],
)
def test_formulas_read_as_plain_text(formula: str, reading: str) -> None:
    assert read_latex(formula) == reading


def reading(markdown: str) -> str:
    return read(markdown, readable_spans(read_markdown(markdown).markup), 0, len(markdown)).text


def test_a_sentence_reads_without_its_mark_up() -> None:
    assert (
        reading(r"指数下跌 $0 . 0 8 \%$ ，**利润**见[公告](http://x.cn/a)&amp;年报")
        == "指数下跌 0.08% ，利润见公告&年报"
    )


def test_a_table_row_reads_cell_by_cell() -> None:
    assert reading("<table><tr><td>收入</td><td>10.5</td></tr></table>") == "收入 | 10.5"


def test_line_breaks_vanish_between_han_characters_and_are_spaces_elsewhere() -> None:
    assert reading("收入\n增长 and\nprofit") == "收入增长 and profit"


def test_dollars_are_no_formulas() -> None:
    assert (
        reading("It paid $5 million and then $6 million, or $11 in all.")
        == "It paid $5 million and then $6 million, or $11 in all."
    )


def test_a_starred_share_name_keeps_its_star() -> None:
    assert reading("*ST山海和*ST河川复牌") == "*ST山海和*ST河川复牌"


def test_origins_lead_back_to_the_source() -> None:
    text = r"涨 $1 . 5 \%$ ，好"
    result = read(text, readable_spans(read_markdown(text).markup), 0, len(text))
    assert result.text == "涨 1.5% ，好"
    assert text[result.origin(result.text.index("好"))] == "好"
    assert text[result.origin(0)] == "涨"
    assert 2 <= result.origin(result.text.index("5")) < text.index(" ，")


@given(
    st.text(alphabet="收a1 \n$<>&;", max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)), max_size=5),
)
def test_origins_ascend_and_stay_inside(text: str, marks: list[tuple[int, int]]) -> None:
    spans = readable_spans([Span(min(a, len(text)), min(a + n, len(text)), "markup") for a, n in marks if n])
    result = read(text, spans, 0, len(text))
    origins = [result.origin(i) for i in range(len(result.text))]
    assert origins == sorted(origins)
    assert all(0 <= origin < len(text) for origin in origins)
    assert all(text[o] == c for o, c in zip(origins, result.text, strict=True) if c not in " \n")
