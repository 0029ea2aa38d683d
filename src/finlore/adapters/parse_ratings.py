"""Lists of broker ratings: every row is a dated report of a few lines.

It is known when it was crawled, and never before its date.
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b

from finlore.formats.decode import NotText, decode, fingerprint
from finlore.formats.fields import fields_in, spellings
from finlore.language.normal import has_han
from finlore.ports import Source
from finlore.records.document import Block, Issue, ParsedDocument

_TABLES = ("document", "rating")
_NEEDED = ("published_at", "security", "title")
_LARGEST_FIELD = 8 * 1024**2
_SEPARATOR = re.compile(r"\s*[,，;；/]\s*")


class RatingListParser:
    """CSV with a header line; comma, semicolon, tab or bar. A row without date, security or title is an issue."""

    suffixes = (".csv", ".tsv")
    isolated = False

    def parse(self, source: Source) -> tuple[list[ParsedDocument], list[Issue]]:
        try:
            text = decode(source.content)
            columns, rows = _table(text)
        except (NotText, csv.Error) as error:
            return [], [Issue(source.name, str(error), "rejected")]
        documents: list[ParsedDocument] = []
        issues: list[Issue] = []
        seen: set[str] = set()
        for line, cells in rows:
            fields = {name: cells[at].strip() for name, at in columns.items() if at < len(cells) and cells[at].strip()}
            if missing := [name for name in _NEEDED if name not in fields]:
                issues.append(Issue(source.name, f"the row has no {' and no '.join(missing)}", "rejected", line))
                continue
            document = _document(fields, source.name, line)
            if document.given_id in seen:
                issues.append(Issue(source.name, "repeats an earlier row", "note", line))
                continue
            seen.add(document.given_id or "")
            documents.append(document)
        return documents, issues


def _table(text: str) -> tuple[dict[str, int], list[tuple[int, list[str]]]]:
    """Known columns by name, and the rows with their line numbers; NotText when it is no list of ratings."""
    header, _, _ = text.partition("\n")
    delimiter = max(",\t;|", key=header.count)
    csv.field_size_limit(_LARGEST_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    names = [cell.strip().lower() for cell in next(reader, [])]
    columns = {field: names.index(name) for field, name in fields_in(names, *_TABLES).items()}
    known = spellings("document")
    if missing := [f"{field} ({', '.join(known[field][:2])} …)" for field in _NEEDED if field not in columns]:
        raise NotText(f"this is not a list of ratings: it has no column for {' and none for '.join(missing)}")
    return columns, [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]


def _document(fields: Mapping[str, str], name: str, line: int) -> ParsedDocument:
    lines = [fields["title"], *filter(None, (fields.get("abstract"), _sentence(fields)))]
    text = "\n".join(lines)
    stated = [(field, fields[field]) for field in spellings("document") if field in fields]
    return ParsedDocument(
        source=f"{name}#{line}",
        text=text,
        blocks=tuple(_blocks(lines)),
        format="ratings",
        given_id=fields.get("id") or _identity(fields),
        stated=(*stated, ("kind", "report")),
        raw_hash=fingerprint("\x1f".join(f"{field}={value}" for field, value in sorted(fields.items())).encode()),
    )


def _blocks(lines: Sequence[str]) -> list[Block]:
    blocks: list[Block] = []
    at = 0
    for line in lines:
        blocks.append(Block(at, at + len(line), "body" if blocks else "heading", 0 if blocks else 1))
        at += len(line) + 1
    return blocks


def _identity(fields: Mapping[str, str]) -> str:
    """The same report has the same id in every list, whatever its place in the file and when it was crawled."""
    parts = (fields.get(field, "") for field in ("published_at", "security", "broker", "title"))
    return "rating-" + blake2b("\x1f".join(parts).encode(), digest_size=10).hexdigest()


def _sentence(fields: Mapping[str, str]) -> str:
    """The fields of a row as a sentence that can be found and quoted."""
    security, rating, day = fields["security"], fields.get("rating"), fields["published_at"].split(" ")[0].split("T")[0]
    if not has_han(fields["title"] + fields.get("name", "")):
        subject = f"{fields['name']} ({security})" if "name" in fields else security
        parts = [
            f"{fields.get('broker', 'The broker')} on {subject}, {day}",
            f"rating {rating}" if rating else "",
            f"target price {fields['target']}" if "target" in fields else "",
            f"analysts {fields['analysts']}" if "analysts" in fields else "",
        ]
        return "; ".join(filter(None, parts)) + "."
    subject = f"{fields['name']}（{security}）" if "name" in fields else security
    verb = f"给予{subject}“{rating}”评级" if rating else f"发布{subject}研究报告"
    parts = [
        f"{day}，{fields.get('broker', '')}{verb}",
        f"目标价{fields['target']}" if "target" in fields else "",
        f"分析师{_SEPARATOR.sub('、', fields['analysts'])}" if "analysts" in fields else "",
    ]
    return "，".join(filter(None, parts)) + "。"
