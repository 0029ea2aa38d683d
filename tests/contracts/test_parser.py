"""What every parser owes: NFC text, blocks inside it, issues instead of exceptions."""

import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finlore import registry
from finlore.ports import Parser, Source
from finlore.records.document import Issue, ParsedDocument

PARSERS: dict[str, Parser] = {name: adapter() for name, adapter in registry.load_available("parsers").items()}
EVERY = pytest.mark.parametrize("parser", PARSERS.values(), ids=PARSERS.keys())
QUICK = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def parse(parser: Parser, content: bytes) -> tuple[list[ParsedDocument], list[Issue]]:
    suffix = parser.suffixes[0]
    return parser.parse(Source(f"/r/a{suffix}", suffix, content))


def test_no_two_parsers_claim_a_suffix() -> None:
    suffixes = [suffix for parser in PARSERS.values() for suffix in parser.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in suffixes)


def test_formats_whose_readers_may_fall_over_are_read_in_isolation() -> None:
    assert {name for name, parser in PARSERS.items() if parser.isolated} == {"docx", "pdf"}


@EVERY
@pytest.mark.parametrize(
    "content", [b"", b"\0\0\0\0", b"\x89PNG\r\n\x1a\n\0", b"PK\x03\x04", b"%PDF-1.7\n%%EOF", b"<html>"]
)
def test_unusable_content_is_rejected_with_a_reason(parser: Parser, content: bytes) -> None:
    documents, issues = parse(parser, content)
    assert documents or any(issue.severity == "rejected" and issue.message for issue in issues)
    if content in {b"", b"\0\0\0\0"}:
        assert documents == []


@EVERY
@QUICK
@given(
    content=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
)
def test_whatever_the_bytes_the_records_are_sound(parser: Parser, content: bytes) -> None:
    documents, issues = parse(parser, content)
    assert all(issue.message for issue in issues)
    for document in documents:
        assert unicodedata.is_normalized("NFC", document.text)
        document.text.encode()  # a store can keep it
        ends = [0, *(block.end for block in document.blocks)]
        starts = [*(block.start for block in document.blocks), len(document.text)]
        assert all(end <= start for end, start in zip(ends, starts, strict=True))
        assert all(0 <= span.start <= span.end <= len(document.text) for span in document.markup)
        assert document.raw_hash


@EVERY
def test_the_same_bytes_give_the_same_records(parser: Parser) -> None:
    content = b'{"id": "1", "text": "one"}\n'
    assert parse(parser, content) == parse(parser, content)
