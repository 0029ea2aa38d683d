"""Collections as JSON lines."""

import json

from hypothesis import given
from hypothesis import strategies as st

from finlore.adapters.parse_jsonl import JsonLinesParser
from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument


def parse(*lines: object) -> tuple[list[ParsedDocument], list[Issue]]:
    rows = [line if isinstance(line, bytes) else json.dumps(line, ensure_ascii=False).encode() for line in lines]
    return JsonLinesParser().parse(Source("/c/all.jsonl", ".jsonl", b"\n".join(rows)))


def test_a_line_is_a_document_with_its_stated_fields() -> None:
    (document,), issues = parse(
        {
            "id": "r1",
            "title": "点评",
            "text": "# 一\n\n收入增长。",
            "published_at": "2024-05-31",
            "code": "600123",
            "authors": ["甲", "乙"],
            "broker": None,
        }
    )
    assert issues == []
    assert (document.given_id, document.format, document.text) == ("r1", "markdown", "# 一\n\n收入增长。")
    assert dict(document.stated) == {
        "title": "点评",
        "published_at": "2024-05-31",
        "security": "600123",
        "analysts": "甲、乙",
    }
    assert [block.role for block in document.blocks] == ["heading", "body"]


def test_plain_text_says_so() -> None:
    (document,), _ = parse({"id": "1", "text": "# 不是标题", "format": "text"})
    assert (document.format, [block.role for block in document.blocks]) == ("text", ["body"])


def test_broken_lines_are_reported_by_number_and_the_rest_is_read() -> None:
    documents, issues = parse(
        {"id": "1", "text": "一"}, b"{broken", b"", {"id": "2"}, {"id": "3", "text": " "}, [1], b"\xff\x00\xfe",
        {"id": "4", "text": "四", "format": "rtf"}, {"id": "5", "text": "五"},
    )  # fmt: skip
    assert [document.given_id for document in documents] == ["1", "5"]
    assert [(issue.line, issue.severity) for issue in issues] == [(n, "rejected") for n in (2, 4, 5, 6, 7, 8)]


def test_a_line_without_id_is_named_by_its_place() -> None:
    assert [d.given_id for d in parse({"text": "一"}, {"text": "二"})[0]] == ["/c/all.jsonl#1", "/c/all.jsonl#2"]


def test_the_same_id_again_is_a_further_version_unless_nothing_changed() -> None:
    documents, issues = parse({"id": "1", "text": "一"}, {"id": "1", "text": "一"}, {"id": "1", "text": "一改"})
    assert [document.text for document in documents] == ["一", "一改"]
    assert [(issue.severity, issue.line) for issue in issues] == [("note", 2), ("note", 3)]


def test_surrogates_and_nul_become_replacement_characters() -> None:
    (document,), _ = parse(b'{"id": "\\ud800", "text": "a\\ud800b\\u0000c"}')
    assert (document.given_id, document.text) == ("\ufffd", "a\ufffdb\ufffdc")


def test_line_separators_inside_a_text_end_no_line() -> None:
    (document,), issues = parse({"id": "1", "text": "一\u2028二\x85三"})
    assert (document.text, issues) == ("一\u2028二\x85三", [])


def test_a_small_file_is_one_piece_whatever_is_in_it() -> None:
    for content in (b"", b"\n\n", b"{}"):
        assert list(JsonLinesParser().pieces(Source("a.jsonl", ".jsonl", content))) == [
            Source("a.jsonl", ".jsonl", content)
        ]


@given(st.lists(st.sampled_from([0, 0, 7, 30, 50, 110]), min_size=1, max_size=20), st.booleans())
def test_pieces_hold_every_line_once_under_its_number(sizes: list[int], ends: bool) -> None:
    lines = [json.dumps({"text": f"line {n} {'x' * size}"}).encode() if size else b"" for n, size in enumerate(sizes)]
    source = Source("a.jsonl", ".jsonl", b"\n".join(lines) + b"\n" * ends)
    parser = JsonLinesParser(piece_bytes=100)
    read = [document for piece in parser.pieces(source) for document in parser.parse(piece)[0]]
    assert read == parser.parse(source)[0]
    assert all(len(piece.content) <= 100 + max(map(len, lines)) + 1 for piece in parser.pieces(source))


def test_a_large_file_of_blank_lines_is_rejected_as_one() -> None:
    parser = JsonLinesParser(piece_bytes=100)
    (piece,) = parser.pieces(Source("a.jsonl", ".jsonl", b" \n" * 1000))
    _, (issue,) = parser.parse(piece)
    assert issue.message == "the file is empty"


def test_lines_that_are_made_to_break_readers_are_rejected_one_by_one() -> None:
    hostile = (
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"text": ' + b"9" * 5_000 + b"}",
        b'{"text": "a", "text": 1}',
        b"NaN",
    )
    documents, issues = parse(*hostile, {"text": "收入增长。"})
    assert [document.text for document in documents] == ["收入增长。"]
    assert [issue.line for issue in issues] == [1, 2, 3, 4, 5]


def test_what_a_reader_of_json_cannot_hold_is_told_in_plain_words() -> None:
    _, issues = parse(b"[" * 100_000, b'{"id": ' + b"9" * 5_000 + b"}", {"id": "1", "text": "一"})
    assert ["nested too deeply" in issues[0].message, "too long" in issues[1].message] == [True, True]
