"""Documents with tables, as parsers leave them: rows on lines and tabs between cells, one block a table."""

from datetime import date

from finlore.records.document import Block, Box, Document, Line, Metadata, Role
from finlore.records.instant import end_of_day

PUBLISHED = date(2024, 8, 21)


def sheet(*rows: str) -> str:
    """The text of a table: its rows, cells parted by bars, of which all rows get as many."""
    cells = [[cell.strip() for cell in row.split("|")] for row in rows]
    width = max(map(len, cells))
    return "\n".join("\t".join(row + [""] * (width - len(row))) for row in cells)


def document(
    *parts: tuple[Role, str],
    pages: tuple[int, ...] = (),
    security: str | None = "600123.SH",
    published: date | None = PUBLISHED,
    mapped: bool = False,
) -> Document:
    """A document of blocks with roles, on page one unless `pages` say otherwise; `mapped` gives it a character map."""
    blocks: list[Block] = []
    lines: list[Line] = []
    text = ""
    for n, (role, part) in enumerate(parts):
        page = pages[n] if pages else 1
        blocks.append(Block(len(text), len(text) + len(part), role, page=page))
        if mapped:
            lines += _lines(part, len(text), page)
        text += part + "\n\n"
    metadata = Metadata(
        title="山海股份点评", security=security, published_at=end_of_day(published) if published else None
    )
    return Document("a.pdf", "a.pdf", "pdf", text, metadata, tuple(blocks), (), lines=tuple(lines), n_pages=9)


def _lines(part: str, start: int, page: int) -> list[Line]:
    """Ten points a line and one a character, from the top left."""
    lines = []
    for n, line in enumerate(part.split("\n")):
        edges = tuple(range(0, 10 * len(line) + 1, 10))
        lines.append(Line(start, start + len(line), page, Box(0.0, 10.0 * n, float(len(line)), 10.0 * n + 10), edges))
        start += len(line) + 1
    return lines
