"""Pages that hold no text of their own are rendered and recognised, one by one, in a worker that is limited apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from finlore import registry
from finlore.errors import MissingExtra
from finlore.ports import Executor, PageReader, PageRenderer, RecognisedLine, RecognisedPage, Source
from finlore.records.document import Box, Issue, PageVerdict, ParsedDocument
from finlore.wiring.journal import UNREAD
from finlore.wiring.rules import rules_of

DPI = 150  # 10 point type is 21 pixels high
MOST_PIXELS = 20_000_000  # an A3 page at 300 dpi


@dataclass(frozen=True, slots=True)
class OcrChoice:
    """The page reader in use; without one, `remedy` says to a person how to get it."""

    reader: str = ""
    rules: str = ""
    remedy: str = ""


def choose_reader(setting: str) -> OcrChoice:
    """The page reader that the setting names, with `auto` the first that is installed; MissingExtra when it names one
    that is not."""
    if setting == "none":
        return OcrChoice(remedy="OCR is switched off (setting ocr)")
    remedy = "no page reader is installed"
    for name in registry.names("page_readers") if setting == "auto" else [setting]:
        try:
            return OcrChoice(name, rules_of(registry.load("page_readers", name)))
        except MissingExtra as error:
            if setting != "auto":
                raise
            remedy = error.hint
    return OcrChoice(remedy=remedy)


@dataclass(frozen=True, slots=True)
class PageJob:
    """A page to be recognised, and the adapters that do it. Pages count from 1."""

    source: Source
    page: int
    renderer: str
    reader: str

    @property
    def name(self) -> str:
        return self.source.name


def recognise(job: PageJob) -> RecognisedPage:
    """What the worker runs."""
    renderer: PageRenderer = registry.load("renderers", job.renderer)()
    image, scale = renderer.render(job.source, job.page, dpi=DPI, most_pixels=MOST_PIXELS)
    return RecognisedPage(job.page, tuple(_in_points(line, scale) for line in _reader(job.reader).read(image)))


@cache
def _reader(name: str) -> PageReader:
    """Made once in the life of a worker: it loads a model."""
    made: PageReader = registry.load("page_readers", name)()
    return made


def _in_points(line: RecognisedLine, scale: float) -> RecognisedLine:
    box = line.box
    return replace(line, box=Box(box.x0 / scale, box.y0 / scale, box.x1 / scale, box.y1 / scale))


def pages_to_read(document: ParsedDocument) -> list[int]:
    return [page.page for page in document.pages if page.status in UNREAD]


def read_pages(
    source: Source,
    document: ParsedDocument,
    *,
    jobs: Sequence[PageJob],
    executor: Executor,
    parse_again: Callable[[Source], ParsedDocument | Issue],
    told: Callable[[str], None],
) -> ParsedDocument:
    """The document with the text of those pages; one that cannot be recognised keeps its verdict, with the reason."""
    recognised: list[RecognisedPage] = []
    failed: dict[int, str] = {}
    for n, result in enumerate(executor.map(recognise, jobs)):
        told(f"{source.name}, page {jobs[n].page} ({n + 1} of {len(jobs)} by OCR)")
        if isinstance(result, Issue):
            failed[jobs[n].page] = f"OCR {result.message}"
        else:
            recognised.append(result)
            if not result.lines:
                failed[result.page] = "OCR found no text"
    if recognised:
        again = parse_again(replace(source, recognised=tuple(recognised)))
        if isinstance(again, Issue):
            failed |= {page.page: f"its text could not be laid out: {again.message}" for page in recognised}
        else:
            document = again
    return replace(document, pages=tuple(_explained(page, failed.get(page.page)) for page in document.pages))


def _explained(page: PageVerdict, why: str | None) -> PageVerdict:
    if why is None or page.status not in UNREAD:
        return page
    return replace(page, reason="; ".join(filter(None, (page.reason, why))))
