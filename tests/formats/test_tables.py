"""Cells of marked-up tables."""

from hypothesis import given
from hypothesis import strategies as st

from finlore.formats.tables import MOST_COLUMNS, Merged, expanded, html_rows, marked_cells, pipe_cells, spans_of


def texts(source: str) -> list[list[str]]:
    return [[source[start:end] for start, end in row] for row in html_rows(source, 0, len(source))]


def test_merged_cells_are_empty_where_they_go_on() -> None:
    grid = expanded([[Merged("a", rows=2), Merged("b", columns=2)], [Merged("c"), Merged("d")]])
    assert grid == [["a", "b", None], [None, "c", "d"]]


def test_an_html_table_is_read_from_its_source() -> None:
    source = (
        '<table><tr><td rowspan="2">a</td><th colspan=2> b </th></tr>\n<tr><td>c</td><td><b>d</b></td></tr></table>'
    )
    assert texts(source) == [["a", "b", ""], ["", "c", "<b>d</b>"]]


def test_end_tags_may_be_missing() -> None:
    assert texts("<table><tr><td>a<td>b<tr><td>c<td>d</table>") == [["a", "b"], ["c", "d"]]


def test_absurd_spans_are_cut() -> None:
    assert spans_of("colspan='99999' rowspan='0'") == (99999, 1)
    (row,) = expanded([[Merged("a", columns=99999), Merged("b")]])
    assert (len(row), row[-1]) == (MOST_COLUMNS + 1, "b")


def test_pipes_at_the_ends_may_be_missing_and_escaped_ones_are_text() -> None:
    def cells(source: str) -> list[str]:
        return [source[start:end] for start, end in pipe_cells(source, 0, len(source))]

    assert cells("| a | b |") == cells("a | b") == ["a", "b"]
    assert cells(r"| a \| b |  | c |") == [r"a \| b", "", "c"]


def test_cells_between_marks() -> None:
    assert marked_cells("a\t\t b", 0, 5, "\t") == [(0, 1), (2, 2), (4, 5)]


@given(
    st.lists(st.lists(st.builds(Merged, st.just("x"), st.integers(1, 4), st.integers(1, 4)), max_size=4), max_size=5)
)
def test_each_cell_stands_in_the_grid_once(rows: list[list[Merged[str]]]) -> None:
    grid = expanded(rows)
    assert sum(cell == "x" for line in grid for cell in line) == sum(map(len, rows))
    assert len(grid) == len(rows)
