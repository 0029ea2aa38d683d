"""Collections as JSON lines: one document a line, fields stated. A broken line is an issue; the others are read."""

import json
from collections.abc import Iterator
from dataclasses import replace

from finlore.formats.decode import NotText, canonical, decode, fingerprint
from finlore.formats.fields import fields_in
from finlore.formats.markdown import read_markdown
from finlore.formats.plain import read_plain
from finlore.ports import Source
from finlore.records.document import Issue, ParsedDocument

_READERS = {"markdown": read_markdown, "md": read_markdown, "text": read_plain, "txt": read_plain, "plain": read_plain}


class JsonLinesParser:
    """`text` is Markdown unless `format` says otherwise. The same `id` again in one file is a further version of that
    document, in the order of the lines; a line that repeats an earlier one exactly is left out with a note. Files of
    more than `piece_bytes` are parsed piece by piece."""

    suffixes = (".jsonl", ".ndjson")
    isolated = False

    def __init__(self, *, piece_bytes: int = 1 << 20) -> None:
        self._piece_bytes = piece_bytes

    def pieces(self, source: Source) -> Iterator[Source]:
        """Runs of whole lines, so that a large file never stands in memory as documents all at once."""
        content, start, line = source.content, 0, source.first_line
        if len(content) <= self._piece_bytes or content.isspace():
            yield source
            return
        while start < len(content):
            end = content.find(b"\n", start + self._piece_bytes) + 1 or len(content)
            if not (piece := content[start:end]).isspace():
                yield replace(source, content=piece, first_line=line)
            line += content.count(b"\n", start, end)
            start = end

    def parse(self, source: Source) -> tuple[list[ParsedDocument], list[Issue]]:
        documents: list[ParsedDocument] = []
        issues: list[Issue] = []
        if not source.content.strip():
            return [], [Issue(source.name, "the file is empty", "rejected")]
        seen: dict[str, str] = {}
        for number, line in enumerate(source.content.split(b"\n"), start=source.first_line):
            if not line.strip():
                continue
            try:
                document = _document(line, source.name, number)
            except _Unusable as error:
                issues.append(Issue(source.name, str(error), "rejected", number))
                continue
            if seen.get(document.given_id or "") == document.raw_hash:
                issues.append(Issue(source.name, f"repeats the document '{document.given_id}'", "note", number))
                continue
            if document.given_id in seen:
                issues.append(Issue(source.name, f"is a further version of '{document.given_id}'", "note", number))
            seen[document.given_id or ""] = document.raw_hash
            documents.append(document)
        return documents, issues


class _Unusable(ValueError):
    """Why a line is no document."""


def _document(line: bytes, name: str, number: int) -> ParsedDocument:
    fields = _fields(line)
    text = fields.get("text")
    if not isinstance(text, str) or not text.strip():
        raise _Unusable("has no text" if "text" in fields else "has no field 'text'")
    text = canonical(text)
    format_name = str(fields.get("format") or "markdown").lower()
    reader = _READERS.get(format_name)
    if reader is None:
        raise _Unusable(f"has the unknown format '{format_name}' (known: {', '.join(_READERS)})")
    outline = reader(text)
    given = fields.get("id")
    return ParsedDocument(
        source=f"{name}#{number}",
        text=text,
        blocks=outline.blocks,
        format="markdown" if reader is read_markdown else "text",
        given_id=canonical(str(given)) if given not in (None, "") else f"{name}#{number}",
        markup=outline.markup,
        stated=tuple(_stated(fields)),
        raw_hash=fingerprint(line.strip()),
    )


def _fields(line: bytes) -> dict[str, object]:
    try:
        fields = json.loads(decode(line.strip()))
    except RecursionError as error:
        raise _Unusable("is nested too deeply") from error
    except (NotText, json.JSONDecodeError) as error:
        raise _Unusable(f"is not JSON: {error}") from error
    except ValueError as error:  # of numbers, which Python reads up to some thousand digits
        raise _Unusable("holds a number that is too long") from error
    if not isinstance(fields, dict):
        raise _Unusable("is not a JSON object")
    return fields


def _stated(fields: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Known fields under their own names; lists are joined."""
    filled = {name: value for name, value in fields.items() if value not in (None, "", [])}
    for field, name in fields_in(filled, "document").items():
        value = filled[name]
        parts = value if isinstance(value, list) else [value]
        yield field, canonical("、".join(map(str, parts)))
