"""The one function that the flow calls."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.formats.decode import canonical
from finlore.formats.markdown import read_markdown
from finlore.intake.prepare import prepare, text_hash
from finlore.records.document import Document, Issue, ParsedDocument
from finlore.records.instant import MARKET_ZONE, Instant, parse_instant

RECEIVED = parse_instant("2025-06-30", MARKET_ZONE)


def prepared(
    text: str, *, given_id: str | None = None, n_pages: int | None = None, received: Instant = RECEIVED
) -> tuple[Document | None, list[Issue]]:
    outline = read_markdown(text)
    parsed = ParsedDocument(
        "/r/a.md", text, outline.blocks, "markdown", given_id=given_id, markup=outline.markup, n_pages=n_pages
    )
    return prepare(parsed, zone=MARKET_ZONE, received_at=received)


def test_the_id_is_the_given_one_else_the_source() -> None:
    named, _ = prepared("收入增长。", given_id="r1")
    unnamed, _ = prepared("收入增长。")
    assert named is not None
    assert unnamed is not None
    assert (named.id, unnamed.id) == ("r1", "/r/a.md")


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_a_document_without_text_is_rejected(text: str) -> None:
    document, (issue,) = prepared(text)
    assert document is None
    assert issue.severity == "rejected"


def test_pages_without_text_are_kept_for_ocr() -> None:
    document, _ = prepared("", n_pages=3)
    assert document is not None
    assert (document.n_pages, document.passages) == (3, ())


def test_the_hash_of_a_text_ignores_width_case_and_space() -> None:
    assert text_hash("ＡＢＣ 收入（百万）\n") == text_hash("abc收入(百万)")
    assert text_hash("收入10") != text_hash("收入11")


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=200))
def test_any_text_at_all_is_prepared_the_same_way_twice(text: str) -> None:
    text = canonical(text)
    first, second = prepared(text), prepared(text)
    assert first == second
    assert unicodedata.is_normalized("NFC", text)
    text.encode()
    if first[0] is not None:
        assert first[0].text == text
        assert all(0 <= p.start < p.end <= len(text) for p in first[0].passages)
