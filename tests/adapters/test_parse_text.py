"""Text files in the encodings that people have."""

import codecs
import unicodedata

import pytest

from finlore.adapters.parse_markdown import MarkdownParser
from finlore.adapters.parse_text import TextParser
from finlore.ports import Source

TEXT = "山海股份收入增长。\n毛利率提升。\n"


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        TEXT.encode("gb18030"),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    ],
    ids=["utf-8", "utf-8 with mark", "gb18030", "utf-16-le", "utf-16-be"],
)
@pytest.mark.parametrize("parser", [TextParser(), MarkdownParser()], ids=["text", "markdown"])
def test_the_text_is_the_source_itself(parser: TextParser | MarkdownParser, content: bytes) -> None:
    (document,), issues = parser.parse(Source("/r/a", parser.suffixes[0], content))
    assert (document.text, issues) == (TEXT, [])


def test_the_text_is_composed() -> None:
    (document,), _ = TextParser().parse(
        Source("/r/a.txt", ".txt", unicodedata.normalize("NFD", "Société Générale é").encode())
    )
    assert document.text == "Société Générale é"


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0", b"\xff\xff\xff\xff\x80", b""])
def test_what_is_no_text_is_rejected(content: bytes) -> None:
    documents, (issue,) = MarkdownParser().parse(Source("/r/a.md", ".md", content))
    assert (documents, issue.severity) == ([], "rejected")
