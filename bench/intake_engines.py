"""What ours and other PDF readers make of the same files: printed lines, table grids, CPU time; no scoring here.

Each function is run in a process of its own (see `memory`); one call reads all files, after a warm-up on the first.
"""

import resource
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from finlore.adapters.parse_pdf import PdfParser
from finlore.intake.prepare import prepare
from finlore.ports import Source
from finlore.records.document import NOT_INDEXED, Block, Document, ParsedDocument
from finlore.records.instant import MARKET_ZONE, now

Pages = list[list[str]]


@dataclass(frozen=True)
class Reading:
    """One file by one reader. `problem` says why there is none."""

    file: str
    cpu_seconds: float = 0.0
    pages: Pages = field(default_factory=list)
    grids: list[list[list[str]]] = field(default_factory=list)
    problem: str = ""


@dataclass(frozen=True)
class Cover:
    """The first page of a document with a side bar: its two texts, and in which order its blocks take turns."""

    main: str
    side: str
    order: tuple[str, ...]


@dataclass(frozen=True)
class OurReading:
    """What only our reader tells: the document itself, beside what is compared."""

    reading: Reading
    document: Document | None
    cover: Cover | None


def read_by_us(paths: Sequence[str]) -> list[OurReading]:
    parser = PdfParser()
    _warm_up(lambda path: parser.parse(_source(path)), paths)
    return [_ours(parser, path) for path in paths]


def _ours(parser: PdfParser, path: str) -> OurReading:
    source = _source(path)
    began = _cpu()
    documents, issues = parser.parse(source)
    spent = _cpu() - began
    if not documents:
        return OurReading(Reading(path, spent, problem="; ".join(issue.message for issue in issues)), None, None)
    (parsed,) = documents
    tables = [block for block in parsed.blocks if block.role == "table"]
    grids = [[row.split("\t") for row in parsed.text[t.start : t.end].split("\n")] for t in tables]
    document, _ = prepare(parsed, zone=MARKET_ZONE, received_at=now())
    return OurReading(Reading(path, spent, _printed_lines(parsed), grids), document, document and _cover(document))


def _source(path: str) -> Source:
    return Source(path, ".pdf", Path(path).read_bytes())


def _printed_lines(parsed: ParsedDocument) -> Pages:
    """The lines of each page as printed; of tables, whole rows."""
    pages: Pages = [[] for _ in range(parsed.n_pages or 0)]
    for block in parsed.blocks:
        if block.role == "table":
            pages[(block.page or 1) - 1] += parsed.text[block.start : block.end].split("\n")
    tables = [(block.start, block.end) for block in parsed.blocks if block.role == "table"]
    for line in parsed.lines:
        if not any(start <= line.start < end for start, end in tables):
            pages[line.page - 1].append(parsed.text[line.start : line.end])
    return pages


def _cover(document: Document) -> Cover | None:
    blocks = [block for block in document.blocks if block.page == 1 and block.role not in NOT_INDEXED and block.box]
    sides = [block.box for block in blocks if block.role == "side" and block.box]
    if not sides:
        return None
    left, right = min(box.x0 for box in sides), max(box.x1 for box in sides)

    def column(block: Block) -> str:
        middle = (block.box.x0 + block.box.x1) / 2 if block.box else 0.0
        return "side" if block.role == "side" or (left <= middle <= right and _fits(block, left, right)) else "main"

    order = tuple(column(block) for block in blocks)
    texts = {name: "\n".join(document.text[b.start : b.end] for b, c in zip(blocks, order, strict=True) if c == name)
             for name in ("main", "side")}  # fmt: skip
    return Cover(texts["main"], texts["side"], order)


def _fits(block: Block, left: float, right: float) -> bool:
    return block.box is not None and left - 5 <= block.box.x0 and block.box.x1 <= right + 5


# peers


def read_by_pypdfium2(paths: Sequence[str]) -> list[Reading]:
    """The characters of each page in stream order, as pdfium breaks them into lines."""
    import pypdfium2 as pdfium

    def read(path: str) -> Pages:
        document = pdfium.PdfDocument(path)
        try:
            return [page.get_textpage().get_text_range().splitlines() for page in document]
        finally:
            document.close()

    return list(_timed(read, paths, (pdfium.PdfiumError,)))


def read_by_liteparse(paths: Sequence[str]) -> list[Reading]:
    import liteparse

    parser = liteparse.LiteParse(ocr_enabled=False, quiet=True, output_format="markdown", num_workers=1)

    def read(path: str) -> Pages:
        return [page.markdown.splitlines() for page in parser.parse(path).pages]

    return list(_timed(read, paths, (liteparse.ParseError, RuntimeError, ValueError, OSError)))


def read_by_pdf_inspector(paths: Sequence[str]) -> list[Reading]:
    import pdf_inspector

    def read(path: str) -> Pages:
        return [page.markdown.splitlines() for page in pdf_inspector.extract_pages_markdown(path).pages]

    return list(_timed(read, paths, (RuntimeError, ValueError, OSError)))


PEERS: dict[str, Callable[[Sequence[str]], list[Reading]]] = {
    "pypdfium2": read_by_pypdfium2,
    "liteparse": read_by_liteparse,
    "pdf-inspector": read_by_pdf_inspector,
}


def _timed(
    read: Callable[[str], Pages], paths: Sequence[str], failures: tuple[type[Exception], ...]
) -> Iterator[Reading]:
    _warm_up(read, paths, failures)
    for path in paths:
        began = _cpu()
        try:
            pages = read(path)
        except failures as error:
            yield Reading(path, _cpu() - began, problem=f"{type(error).__name__}: {error}")
            continue
        yield Reading(path, _cpu() - began, pages, list(markdown_grids(pages)))


def _warm_up(read: Callable[[str], object], paths: Sequence[str], failures: tuple[type[Exception], ...] = ()) -> None:
    """One file that is not counted, so that imports and first tables of the libraries are not."""
    try:
        for path in paths[:1]:
            read(path)
    except failures:
        pass


def markdown_grids(pages: Pages) -> Iterator[list[list[str]]]:
    """The pipe tables of Markdown, their rules left out."""
    grid: list[list[str]] = []
    for line in (line for page in pages for line in [*page, ""]):
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            grid += [] if all(set(cell) <= set("-: ") for cell in cells) else [cells]
        elif grid:
            yield grid
            grid = []


def read_by_poppler(path: str) -> Pages | None:
    """The lines of `pdftotext -layout`, page by page; None where it is not installed or cannot read the file."""
    try:
        done = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, check=False, timeout=120)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
    text = done.stdout.decode("utf-8", "replace")
    return [page.splitlines() for page in text.split("\f")[:-1]] if done.returncode == 0 else None


def _cpu() -> float:
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )
