"""Whose cells a table gets: ours, unless they have faults that another engine's do not have."""

from collections.abc import Sequence

from finlore.adapters.parse_pdf.characters import Glyph, Space
from finlore.adapters.parse_pdf.choice import Opinion, TableReader
from finlore.adapters.parse_pdf.engines import EngineRow
from finlore.adapters.parse_pdf.rows import Row, make_row, make_segment, text_of

GLUED = ["Item 2023    2024", "Sales 18,240  21,570", "Margin 31.2   28.9"]
CLEAN = ["Item    2023    2024", "Sales   1,240   1,570", "Margin  31.2    28.9"]


def rows(*lines: str) -> list[Row]:
    """Rows of characters 5 points wide; two spaces part segments, one space parts words."""
    return [make_row(map(make_segment, _segments(15.0 * number, line))) for number, line in enumerate(lines, start=1)]


def _segments(y: float, line: str) -> list[list[Glyph]]:
    segments: list[list[Glyph]] = [[]]
    for at, character in enumerate(line):
        if line[at : at + 2] == "  " and segments[-1]:
            segments.append([])
        if character != " ":
            space: Space = "printed" if line[:at].endswith(" ") else ""
            segments[-1].append(Glyph(character, 5.0 * at, 5.0 * at + 5, y, 10, False, space))
    return segments


def read(lines: Sequence[str], *opinions: Opinion) -> list[tuple[str, ...]]:
    return [tuple(text_of(cell) for cell in row.cells) for row in TableReader(opinions).read(rows(*lines))]


def cells(*lines: str) -> list[EngineRow]:
    return [tuple(line.split("|")) for line in lines]


def test_the_cells_of_an_engine_win_where_ours_have_faults() -> None:
    assert read(GLUED)[1] == ("Sales 18,240", "21,570")
    seen = cells("Item|2023|2024", "Sales|18,240|21,570", "Margin|31.2|28.9")
    assert read(GLUED, lambda page: seen) == seen


def test_the_next_engine_is_asked_when_the_first_sees_nothing_or_no_better() -> None:
    seen = cells("Item|2023|2024", "Sales|18,240|21,570", "Margin|31.2|28.9")
    assert read(GLUED, lambda page: [], lambda page: seen) == seen


def test_nobody_is_asked_about_a_table_without_fault() -> None:
    def fail(page: int) -> list[EngineRow]:
        raise AssertionError(page)

    assert read(CLEAN, fail)[1] == ("Sales", "1,240", "1,570")


def test_an_engine_is_asked_once_a_page_and_told_which() -> None:
    asked: list[int] = []

    def note(page: int) -> list[EngineRow]:
        asked.append(page)
        return []

    reader = TableReader([note])
    for page in (1, 2):
        reader.turn_to(page, [])
        reader.read(rows(*GLUED))
        reader.read(rows(*GLUED))
    assert asked == [1, 2]


def test_a_row_that_an_engine_prints_otherwise_keeps_our_text() -> None:
    seen = cells("Item|2023|2024", "Sales|18,240|21,5?0", "Margin|31.2|28.9")
    assert read(GLUED, lambda page: seen)[1] == ("Sales", "18,240", "21,570")


def test_compatible_forms_of_a_character_are_the_same_character() -> None:
    seen = cells("Item|2023|2024", "Sales|18,240|21,570", "Margin|３１.２|28.9")
    assert read(GLUED, lambda page: seen)[2] == ("Margin", "31.2", "28.9")


def test_an_engine_that_tears_columns_apart_does_not_win() -> None:
    seen = cells("Item 2023|||2024|", "Sales|18,240||21|,570", "Margin|31.2|||28.9")
    assert read(GLUED, lambda page: seen) == read(GLUED)
