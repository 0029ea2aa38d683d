"""What a run of glyphs reads like."""

import pytest

from finlore.adapters.parse_pdf.characters import Glyph
from finlore.adapters.parse_pdf.rows import make_segment
from finlore.adapters.parse_pdf.tables import is_number


def line(text: str, behind: str, *, raised: float, size: float) -> str:
    """What is read where `behind` follows a text of ten points, so many points above its line and so large."""
    glyphs = [Glyph(letter, 5.0 * at, 5.0 * at + 5, 100.0, 10.0, False, "") for at, letter in enumerate(text)]
    start = 5.0 * len(text)
    for at, letter in enumerate(behind):
        x0 = start + 3.0 * at
        glyphs.append(Glyph(letter, x0, x0 + 3, 100.0 - raised, size, False, ""))
    return make_segment(glyphs).text


@pytest.mark.parametrize(
    ("text", "behind", "read"),
    [("13.1", "1", "13.1¹"), ("(56)", "(2)", "(56)⁽²⁾"), ("8.3%", "12", "8.3%¹²"), ("8.3", "注", "8.3注")],
)
def test_the_mark_of_a_note_above_the_line_is_no_digit_of_the_number(text: str, behind: str, read: str) -> None:
    assert line(text, behind, raised=3.5, size=6) == read


@pytest.mark.parametrize(
    ("text", "raised", "size"), [("13.1", 0.0, 6), ("13.1", 3.5, 10), ("13.1", -2.0, 6), ("CO", 3.5, 6)]
)
def test_digits_on_or_below_the_line_or_as_large_as_the_number_or_behind_letters_stay(
    text: str, raised: float, size: float
) -> None:
    assert line(text, "2", raised=raised, size=size) == f"{text}2"


def test_a_number_with_the_mark_of_a_note_is_still_one() -> None:
    assert is_number("13.1¹")
    assert is_number("(56)⁽²⁾")
