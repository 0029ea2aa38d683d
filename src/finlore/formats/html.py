"""HTML -> a text of its own (the visible one) and blocks over it. Scripts, styles and navigation are left out."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree, html

from finlore.formats.decode import NotText, canonical
from finlore.formats.deep import shallow_tree
from finlore.formats.outline import Outline, is_caption
from finlore.formats.tables import CELL_MARK, Merged, expanded, spans_of
from finlore.records.document import Block, Role, Span

_DROPPED = frozenset({
    "script", "style", "noscript", "template", "nav", "aside", "svg", "iframe", "object", "embed", "form", "button",
    "select", "input", "textarea", "canvas", "head", "footer",
})  # fmt: skip
_BLOCKS = frozenset({
    "address", "article", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main",
    "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_DATES = ("article:published_time", "datepublished", "date", "pubdate", "publishdate", "dc.date", "dc.date.issued")


@dataclass(slots=True)
class _Writer:
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    rows: list[Span] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)

    def write(self, text: str, role: Role, level: int = 0) -> None:
        start = self.length
        self.pieces += (text, "\n\n")
        self.length += len(text) + 2
        self.blocks.append(Block(start, start + len(text), role, level))

    def flush(self, role: Role = "body", level: int = 0) -> None:
        """Ends the line of running text, as a block of that role."""
        lines = (" ".join(line.split()) for line in "".join(self.inline).split("\v"))
        self.inline.clear()
        for line in lines:
            if line:
                self.write(canonical(line), "caption" if role == "body" and is_caption(line) else role, level)

    def table(self, rows: list[str]) -> None:
        start = self.length
        for row in rows:
            self.rows.append(Span(self.length, self.length + len(row), "table_row"))
            self.pieces += (row, "\n")
            self.length += len(row) + 1
        self.blocks.append(Block(start, self.length - 1, "table"))
        self.pieces.append("\n")
        self.length += 1


def read_html(page: str) -> Outline:
    """The visible text of a page, the rows of its tables as spans, what its head states; NotText when there is no text.
    Nothing that the page refers to is fetched."""
    try:
        root = _tree(page.encode())
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise NotText(f"no HTML can be read from it: {error}") from error
    writer = _Writer()
    _walk(root, writer)
    writer.flush()
    if not writer.blocks:
        raise NotText("the page has no visible text")
    return Outline("".join(writer.pieces), tuple(writer.blocks), tuple(writer.rows), tuple(_stated(root)))


def _tree(page: bytes) -> html.HtmlElement:
    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=False)
    try:
        root = html.document_fromstring(page, parser=parser)
    except etree.ParserError:
        if not _is_too_deep(parser):
            raise
    else:
        if not _is_too_deep(parser):
            return root
    return shallow_tree(page)


def _is_too_deep(parser: html.HTMLParser) -> bool:
    return any(error.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for error in parser.error_log)


def _walk(root: html.HtmlElement, writer: _Writer) -> None:
    """Visits the elements in order with a stack of its own, so that depth of nesting costs no recursion."""
    steps: list[tuple[html.HtmlElement, bool]] = [(root, False)]
    while steps:
        element, leaving = steps.pop()
        tag = element.tag if isinstance(element.tag, str) else ""
        if leaving:
            if tag in _BLOCKS:
                writer.flush(*_role(tag))
        elif tag == "table" and element.find(".//table") is None:
            writer.flush()
            if (caption := element.find("caption")) is not None:
                writer.inline.append(caption.text_content())
                writer.flush("caption")
            if rows := list(_table_rows(element)):
                writer.table(rows)
        elif tag and tag not in _DROPPED and "hidden" not in element.attrib:
            if tag in _BLOCKS:
                writer.flush()
            elif tag == "br":
                writer.inline.append("\v")
            writer.inline.append(element.text or "")
            steps.append((element, True))
            steps += ((child, False) for child in reversed(element))
            continue
        writer.inline.append(element.tail or "")


def _role(tag: str) -> tuple[Role, int]:
    if tag in _HEADINGS:
        return "heading", _HEADINGS[tag]
    if tag in {"figcaption", "caption"}:
        return "caption", 0
    return ("list", 0) if tag in {"li", "dd"} else ("body", 0)


def _table_rows(table: html.HtmlElement) -> Iterator[str]:
    """The rows, each with as many cells as the widest; a merged cell stands in its first place only."""
    grid = [[cell or "" for cell in row] for row in expanded(_merged(row) for row in table.iter("tr"))]
    width = max(map(len, grid), default=0)
    for row in grid:
        if any(row):
            yield canonical(CELL_MARK.join(row + [""] * (width - len(row))))


def _merged(row: html.HtmlElement) -> list[Merged[str]]:
    cells = (cell for cell in row if cell.tag in {"td", "th"})
    return [
        Merged(_cell_text(cell), *spans_of(f"colspan={cell.get('colspan', 1)} rowspan={cell.get('rowspan', 1)}"))
        for cell in cells
    ]


def _cell_text(cell: html.HtmlElement) -> str:
    """The text of a cell on one line; a bar that could be taken for the end of the cell loses its spaces."""
    return " ".join(cell.text_content().split()).replace(CELL_MARK, "|").strip("|")


def _stated(root: html.HtmlElement) -> Iterator[tuple[str, str]]:
    """Title and publication date as the head of the page gives them."""
    title = root.findtext(".//title")
    if title and title.strip():
        yield "title", canonical(" ".join(title.split()))
    for meta in root.iter("meta"):
        name = (meta.get("property") or meta.get("name") or meta.get("itemprop") or "").lower()
        if name in _DATES and meta.get("content", "").strip():
            yield "published_at", canonical(meta.get("content", "").strip())
            return
