"""Sources become documents, in the order in which they came, whichever process reads them."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import chain, groupby

from finlore import registry
from finlore.ports import CollectionParser, Parser, Source
from finlore.records.document import Issue, ParsedDocument
from finlore.records.store import InputRecord
from finlore.wiring.adapters import Adapters
from finlore.wiring.journal import stands
from finlore.wiring.pages import PageJob, pages_to_read, read_pages

Parsed = tuple[list[ParsedDocument], list[Issue]]


def parsers() -> dict[str, str]:
    """Name of the parser of each suffix (lower case, with dot)."""
    return {suffix: name for name, parser in registry.load_available("parsers").items() for suffix in parser.suffixes}


def parser(name: str) -> Parser:
    """A parser by name: what a worker process calls with a name that came from `parsers`."""
    made: Parser = registry.load("parsers", name)()
    return made


@dataclass(frozen=True, slots=True)
class Step:
    """A source, or a piece of one, on its way through a worker or past it. `number` is that of the source.

    There is nothing to parse where an issue says so already, or where what was `kept` of an earlier reading holds.
    """

    number: int
    name: str
    parser: str = ""
    source: Source | None = None
    record: InputRecord | None = None
    kept: InputRecord | None = None
    issues: tuple[Issue, ...] = ()
    n_bytes: int = 0


@dataclass(frozen=True, slots=True)
class SourceRead:
    """One source: what will be remembered of it when all went well (None where it has no content), what is remembered
    and still holds, or else what was read. `parts` are to be taken before the next source is."""

    name: str
    record: InputRecord | None
    kept: InputRecord | None
    parts: Iterator[ParsedDocument | Issue]


class Reading:
    """Reads sources. While it is iterated over, `n_bytes` counts the content that was done with; `told` hears what
    takes long. `retry` reads again what was rejected, or waits."""

    def __init__(
        self,
        adapters: Adapters,
        sources: Iterable[Source | Issue],
        *,
        retry: bool = False,
        told: Callable[[str], None] = lambda what: None,
    ) -> None:
        self.n_bytes = 0
        self._adapters, self._sources = adapters, sources
        self._retry, self._told = retry, told

    def __iter__(self) -> Iterator[SourceRead]:
        self.n_bytes = 0
        begun: deque[Step] = deque()
        results = self._adapters.executor.map(parse, _tracked(self._steps(), begun), here=is_harmless)
        pairs = ((begun.popleft(), result) for result in results)
        for _, group in groupby(pairs, key=lambda pair: pair[0].number):
            steps = iter(group)
            first, result = next(steps)
            yield SourceRead(first.name, first.record, first.kept, self._parts(chain([(first, result)], steps)))

    def _steps(self) -> Iterator[Step]:
        known = parsers()
        for number, source in enumerate(self._sources):
            if isinstance(source, Issue):
                yield Step(number, source.source, issues=(source,))
                continue
            name, size = known[source.suffix], len(source.content)
            record = InputRecord(source.name, _hash(source.content), self._adapters.reading_rules(name), "read")
            kept = self._adapters.store.input(source.name)
            if kept and stands(kept, record, retry=self._retry, ocr_rules=lambda: self._adapters.ocr.rules):
                yield Step(number, source.name, record=record, kept=kept, n_bytes=size)
                continue
            for piece in _pieces(name, source):
                yield Step(number, source.name, name, piece, record, n_bytes=len(piece.content))

    def _parts(self, results: Iterable[tuple[Step, Parsed | Issue]]) -> Iterator[ParsedDocument | Issue]:
        for step, result in results:
            parts = [result] if isinstance(result, Issue) else self._completed(step, *result)
            before = self.n_bytes
            for n, part in enumerate(parts, start=1):
                self.n_bytes = before + step.n_bytes * n // len(parts)
                yield part
            self.n_bytes = before + step.n_bytes

    def _completed(
        self, step: Step, documents: list[ParsedDocument], issues: list[Issue]
    ) -> list[ParsedDocument | Issue]:
        """What was read, with all that is to be said of it, and what was rejected."""
        if len(documents) == 1:
            documents = [self._with_pages(step, _with_remarks(documents[0], issues))]
        return [*documents, *(issue for issue in issues if issue.severity == "rejected")]

    def _with_pages(self, step: Step, document: ParsedDocument) -> ParsedDocument:
        """The document with the text of the pages that OCR can read, or a note on how they could be read."""
        pages = pages_to_read(document)
        if not pages or step.source is None:
            return document
        ocr = self._adapters.ocr
        if not ocr.reader or step.parser not in registry.names("renderers"):
            listed = ", ".join(map(str, pages[:10])) + (", …" if len(pages) > 10 else "")
            message = f"page {listed} can only be read by OCR: {ocr.remedy or 'nothing renders such pages'}"
            return replace(document, issues=(*document.issues, Issue(step.name, message)))
        return read_pages(
            step.source,
            document,
            jobs=[PageJob(step.source, page, step.parser, ocr.reader) for page in pages],
            executor=self._adapters.page_executor,
            parse_again=partial(self._parse_again, step),
            told=self._told,
        )

    def _parse_again(self, step: Step, source: Source) -> ParsedDocument | Issue:
        (result,) = self._adapters.executor.map(parse, [replace(step, source=source)], here=is_harmless)
        if isinstance(result, Issue):
            return result
        documents, issues = result
        if not documents:
            return next(issue for issue in issues if issue.severity == "rejected")
        return _with_remarks(documents[0], issues)


def parse(step: Step) -> Parsed:
    """What a worker runs."""
    return parser(step.parser).parse(step.source) if step.source else ([], list(step.issues))


def _with_remarks(document: ParsedDocument, issues: Iterable[Issue]) -> ParsedDocument:
    return replace(document, issues=tuple(issue for issue in issues if issue.severity != "rejected"))


def is_harmless(step: Step) -> bool:
    """Whether a step may run in this process."""
    return step.source is None or not registry.load("parsers", step.parser).isolated


def _pieces(name: str, source: Source) -> Iterable[Source]:
    found = parser(name)
    return found.pieces(source) if isinstance(found, CollectionParser) else (source,)


def _tracked(steps: Iterable[Step], begun: deque[Step]) -> Iterator[Step]:
    for step in steps:
        begun.append(step)
        yield step


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()
