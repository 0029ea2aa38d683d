"""The extension points. An adapter inherits nothing: it only has these methods, and is found by name (`registry`).

Every read of a store passes a date, either as `as_of` or by going through a `View`, which is already cut at one.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Literal, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from finlore.records.document import Box, Document, Issue, ParsedDocument, StoredPassage
from finlore.records.fact import Extracted, StoredEvent, StoredFact
from finlore.records.imported import ImportedTable
from finlore.records.instant import Instant
from finlore.records.llm import Capabilities, Prompt, Refusal, Reply, Usage
from finlore.records.market import MarketValue, Price
from finlore.records.names import Entity, FoundNames, SameName
from finlore.records.panel import Days, IndexSeries, PricePanel, Prices
from finlore.records.report import BackupReport, Finding
from finlore.records.review import Decision, ReviewItem, ReviewStatus
from finlore.records.schema import Schema
from finlore.records.store import (
    InputOutcome,
    InputRecord,
    NameScan,
    PutResult,
    ScannedMentions,
    StoredDocument,
    StoreStatus,
)

Item = TypeVar("Item")
Result = TypeVar("Result")
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Bytes8 = NDArray[np.int8]
Pixels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class RecognisedLine:
    """A line of text that was recognised in an image; `score` from 0 to 1, `turns` the quarter turns clockwise by which
    the image must be turned for the line to be upright."""

    text: str
    box: Box
    score: float
    turns: int = 0


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    """The lines of one page (counted from 1), boxes in points of the page as displayed."""

    page: int
    lines: tuple[RecognisedLine, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """One input: a file or a member of an archive. `name` is what a person calls it, `suffix` lower case with dot.

    `recognised` is the text of those of its pages that were read by OCR, for parsers of formats with pages. Of a piece
    of a collection `first_line` says where in the whole it begins.
    """

    name: str
    suffix: str
    content: bytes
    recognised: tuple[RecognisedPage, ...] = ()
    first_line: int = 1


class Parser(Protocol):
    """Bytes -> documents. Text is NFC; unusable input is an issue of severity `rejected`, never an exception.

    `suffixes` are lower case with dot. `isolated`: input may make it hang, crash or eat memory; it runs in a worker.
    """

    suffixes: tuple[str, ...]
    isolated: bool

    def parse(self, source: Source) -> tuple[list[ParsedDocument], list[Issue]]: ...


@runtime_checkable
class CollectionParser(Parser, Protocol):
    """A parser of files that may hold very many documents: it cuts them into pieces that are parsed one by one."""

    def pieces(self, source: Source) -> Iterator[Source]: ...


class Importer(Protocol):
    """A file with a table or a graph -> its rows, which are read while they are taken, in bounded memory;
    UnreadableTable where it is none. `suffixes` as of a parser.

    What is in the file is data: nothing in it is fetched, expanded or run.
    """

    suffixes: tuple[str, ...]

    def read(self, file: Path) -> ImportedTable: ...


class PageRenderer(Protocol):
    """Pages as images, for those who look at them: uint8 (height, width, 3), and how many pixels a point has.

    A renderer is found under the name of the parser whose pages it renders.
    """

    def render(self, source: Source, page: int, *, dpi: int, most_pixels: int) -> tuple[Pixels, float]: ...


class PageReader(Protocol):
    """OCR: an image -> its lines from top to bottom, boxes in pixels."""

    def read(self, image: Pixels) -> list[RecognisedLine]: ...


class Recogniser(Protocol):
    """A statistical recogniser of names: (start, end, kind) spans of one text; kinds are `names.EntityKind`."""

    language: Literal["zh", "en"]

    def recognise(self, texts: Sequence[str]) -> list[list[tuple[int, int, str]]]: ...


class Embedder(Protocol):
    """Texts -> unit vectors, float32 (n, dimension). `name` identifies the model in the store."""

    name: str
    dimension: int

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]: ...

    def embed_query(self, text: str) -> NDArray[np.float32]: ...


class LanguageModel(Protocol):
    """Answers prompts within a budget that it never exceeds; what it cannot answer is a `Refusal`, never a guess."""

    def ask(self, prompt: Prompt) -> Reply | Refusal: ...

    def estimate(self, prompts: Iterable[Prompt]) -> Usage:
        """What asking would take, without what is cached; nothing is sent."""

    def usage(self) -> Usage:
        """What was spent so far, what came from the cache left out."""

    def probe(self) -> Capabilities:
        """What the endpoint can do, found out by a few short requests."""

    @staticmethod
    def forget(folder: Path, document: str) -> int:
        """Remove from a folder the kept replies that may quote a document; how many. StoreError when they stay."""

    def close(self) -> None:
        """Let go of connections; what is used again opens again."""


class Market(Protocol):
    """Prices and lists by canonical code (300750.SZ, 000300.SH). What a day tells is known from its close; nobody reads
    past the day that he names."""

    def price(self, security: str, day: date) -> Price | None:
        """The close of the last trading day at or before `day`, at most a few weeks back; None where there is none."""

    def market_value(self, security: str, day: date) -> MarketValue | None:
        """What the source itself says of the day of that price; nothing is computed from numbers of shares."""

    def listed(self, day: date) -> Mapping[str, str]:
        """Code -> name of the securities that were listed by `day`, as they were called on it, as far as the source
        knows. Those that had gone by then may be left out."""

    def industry(self, security: str, day: date) -> str | None:
        """The code of its class (Shenwan) on that day."""

    def issues(self) -> Sequence[Issue]:
        """What in the source cannot be used."""

    def panel(self, first: date, last: date) -> PricePanel:
        """All securities of the source on the sessions from `first` to `last`, as far as it reaches; nothing in it is
        made of what came later. NoPrices where it has no bars, ConfigurationError where they cannot be read."""

    def levels(self, last: date, *, over: timedelta) -> Iterator[tuple[Days, Prices]]:
        """Total return levels (sessions, securities) of all that the source holds by `last`, about two years at a
        time, so that no more is ever in memory: NaN without a bar. Each span of whole weeks begins with the last
        session of the week before it. Nothing is fetched for it; nothing comes where the source holds less time than
        `over`."""

    def index(self, code: str, first: date, last: date) -> IndexSeries | None:
        """The closes of an index in that time; None where the source has none of it."""

    def indices(self) -> Sequence[str]:
        """Codes of the indices that the source has."""


class Calendar(Protocol):
    """Sessions of an exchange."""

    def sessions(self, first: date, last: date) -> Days:
        """(n,) datetime64[D], ascending, both ends included; as far as the calendar reaches."""

    def close_of(self, session: date) -> Instant:
        """The instant at which a session ends."""

    @property
    def reach(self) -> tuple[date, date]:
        """The first and the last day of which the calendar is sure."""


class Executor(Protocol):
    """Runs a picklable function over items, results in input order; one that fails or is killed yields its Issue.

    Items are taken from the iterable as workers become free, never all at once. Workers live from one `map` to the next
    until `close`.
    """

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], *, here: Callable[[Item], bool] | None = None
    ) -> Iterator[Result | Issue]:
        """Items of which `here` is true are run in this process when it is their turn."""

    def close(self) -> None: ...


class Vectors(Protocol):
    """int8 (n, dimension), read a range at a time."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Bytes8]: ...
    def __getitem__(self, at: slice, /) -> Bytes8: ...


class View(Protocol):
    """Everything known at `as_of`, in numpy arrays. Numbers of rows, sentences and entities are local to the view:
    results must break ties by `keys` and `entity_ids`, never by number.

    Row = passage. The sentences of a row stand side by side, rows in order. Sentence 0 of each row is its context
    (title, broker, heading); `sentence_ordinals` says so. Triples ascend by position, then by number; no pair twice.
    """

    as_of: Instant
    sequence: int
    n_passages: int  # visible ones

    @property
    def keys(self) -> Ints:
        """(n_rows,)"""

    @property
    def known(self) -> Ints:
        """(n_rows,) `Instant` from which each may be read; rows need not ascend by it."""

    @property
    def alive(self) -> Bools:
        """(n_rows,) False: superseded or forgotten at this date; never to be returned."""

    @property
    def lengths(self) -> Ints:
        """(n_rows,) words, those of the context included"""

    @property
    def languages(self) -> Ints:
        """(n_rows,) 0 zh, 1 en"""

    @property
    def sentence_rows(self) -> Ints:
        """(n_sentences,) ascending"""

    @property
    def sentence_ordinals(self) -> Ints:
        """(n_sentences,) 0 for the context, then 1, 2, …"""

    @property
    def entity_ids(self) -> Sequence[str]:
        """(n_entities,)"""

    @property
    def entity_counts(self) -> Ints:
        """(n_entities,) visible passages that mention each"""

    def words(self, term: str) -> tuple[Ints, Ints]:
        """Visible sentences that hold the term, ascending, and how often."""

    def sentence_entities(self, sentences: Ints) -> tuple[Ints, Ints, Ints]:
        """(entity, count, position in `sentences`) of every visible mention."""

    def entity_sentences(self, entities: Ints) -> tuple[Ints, Ints, Ints]:
        """(sentence, count, position in `entities`) of every visible mention."""

    def row_entities(self, rows: Ints) -> tuple[Ints, Ints, Ints]:
        """(entity, count, position in `rows`): mentions of whole passages."""

    def entity_rows(self, entities: Ints) -> tuple[Ints, Ints, Ints]:
        """(row, count, position in `entities`)."""

    def mention_lists(self, entity: int) -> Iterator[Ints]:
        """The sentences of one entity list by list, each ascending; one may stand in several. For an entity of which
        most sentences are passed over: they need not be put together first."""

    def owners(self, rows: Ints) -> Ints:
        """The entity that each row's document is about, -1 where there is none."""

    def owned_rows(self, entities: Ints) -> tuple[Ints, Ints]:
        """(row, position in `entities`), ascending by position, then row."""

    def lookup(self, surfaces: Iterable[str]) -> dict[str, int]:
        """Entity number of each folded surface that is known at this date and mentioned somewhere visible."""

    def entity(self, number: int) -> Entity:
        """Name, kind and aliases as known at this date."""

    def vectors(self, model: str) -> tuple[Ints, Vectors] | None:
        """(rows, int8 (n, dimension) = round(127 x unit vector)) of the visible rows that have one."""


class Store(Protocol):
    """One workspace. Writing methods need the writer lock (`writing`), reading ones never block."""

    def writing(self) -> "WriteLock": ...
    def together(self) -> AbstractContextManager[None]:
        """What this thread writes inside becomes one transaction, all of it or nothing; `refresh` stays outside."""

    # writing: each call is one transaction, unless several are done `together`
    def put(
        self, document: Document, found: FoundNames, *, ingested_at: Instant, extracted: Extracted | None = None
    ) -> PutResult:
        """Store a version, unless it is there; what it supports, and what was read out of it, is known when it is."""

    def put_extracted(self, document: str, version: int, extracted: Extracted) -> bool:
        """Let what an extractor read out of a version stand in place of what one of the same name said before; whether
        there is such a version. What is said twice at one place is kept once."""

    def unrelated(self) -> tuple[list[str], list[str]]:
        """Surfaces that came to mean something since `relate` was told that they were seen, and at least those others
        that mean something and share a brand with one of them (`language.legal.brands`)."""

    def relate(self, links: Sequence[SameName], *, seen: Sequence[str] = ()) -> int:
        """Store links that are new; how many were. `seen`: those of `unrelated` of which there are no more links."""

    def name_scans(self, searched_as: Callable[[str], Iterable[str]] = ...) -> Iterator[NameScan]:
        """Texts and the surfaces that were learnt since they were read, bit by bit, until there are none.

        `searched_as`: the strings in which names are looked for in a sentence (by default itself). A text is left out,
        and so is a surface, where that surface is a part of none of them.
        """

    def add_mentions(self, scanned: ScannedMentions) -> int:
        """Store what one `NameScan` found; how many mentions were new."""

    def note_examined(self, sequence: int) -> None:
        """Remember that doubts were looked for in all up to this transaction."""

    def note_input(self, record: InputRecord) -> None:
        """Remember what became of a source, in place of what was remembered of it before."""

    def forget(self, document: str) -> int:
        """Remove all versions with all that only they supported, and what is remembered of their sources; how many
        versions there were."""

    def merge(self, entity: str, into: str) -> None: ...
    def split(self, entity: str) -> bool: ...
    def add_reviews(self, items: Iterable[ReviewItem]) -> int:
        """Ask what was not asked before; how many questions were new."""

    def decide(self, decision: Decision) -> None:
        """Note what a person said. NotFound where nothing of that id was asked, UsageError where it is decided."""

    def undo(self, item: str, *, at: Instant, by: str = "") -> Decision | None:
        """Take back what was decided of a question; what that was, None where it is open."""

    def put_vectors(self, model: str, vectors: Mapping[int, Bytes8]) -> int:
        """Store vectors by passage key; how many of these passages are still there."""

    def refresh(self) -> None:
        """Bring the derived index up to the last transaction."""

    def repair(self) -> None:
        """Make anew all that is counted or derived. StoreDamaged when only a backup can mend what is wrong."""

    def restore(self, file: Path, *, beside: Sequence[Path], replace: bool) -> BackupReport:
        """Hold from now on what a backup holds, and put its other files into the folders `beside`. Nothing changes
        unless all of it is sound, and unless the workspace is empty or `replace` says that it may be lost."""

    # reading
    def backup(self, out: Path, *, beside: Sequence[Path]) -> BackupReport:
        """Write everything as of one instant, with the files in the folders `beside`, to one new file."""

    def view(self, as_of: Instant, *, sequence: int | None = None) -> View:
        """What was known at `as_of`; with `sequence`, as the store stood after that transaction."""

    def passages(self, keys: Sequence[int], *, as_of: Instant) -> list[StoredPassage]:
        """The passages of these keys that may be read at `as_of`, in the order of the keys; others are left out."""

    def documents(self, *, as_of: Instant) -> list[StoredDocument]:
        """The versions alive at `as_of`, by known time, then id."""

    def document(self, name: str, version: int, *, as_of: Instant) -> Document | None:
        """A version exactly as it was put; None when none is known at `as_of`."""

    def facts(
        self,
        *,
        as_of: Instant,
        entities: Collection[str] | None = None,
        relations: Collection[str] | None = None,
        ids: Collection[str] | None = None,
        documents: Collection[str] | None = None,
        sequence: int | None = None,
    ) -> list[StoredFact]:
        """Facts known at `as_of`, by known time, then document and place; with `sequence`, as the store stood after
        that transaction. `entities`: only those of which one is subject or object; `documents`: only what is read out
        of these; None: all.

        A fact is told by the document that carries its text then, so that copies repeat nothing.
        """

    def events(
        self,
        *,
        as_of: Instant,
        entities: Collection[str] | None = None,
        drivers: Collection[str] | None = None,
        ids: Collection[str] | None = None,
        documents: Collection[str] | None = None,
        sequence: int | None = None,
    ) -> list[StoredEvent]:
        """Events known at `as_of`, as `facts`. `entities`: only those in which one takes part."""

    def extracted(self, document: str, version: int, *, as_of: Instant) -> tuple[Extracted, ...]:
        """What was read out of a version, as it was put, by name of the extractor."""

    def unextracted(self, extractor: str, *, limit: int) -> list[tuple[str, int]]:
        """The first (document, version) of which this version of an extractor (name/version) said nothing yet."""

    def failed(self, extractor: str) -> list[tuple[str, int]]:
        """(document, version) of which this version of an extractor could not read some passages."""

    def unexamined(self) -> list[str]:
        """The documents that came, or were read by an extractor, since doubts were looked for, sorted."""

    def reviews(self, *, status: ReviewStatus | None = None) -> list[ReviewItem]:
        """Questions to people in the order in which they were asked. Those about something that was forgotten since
        have no words any more."""

    def decisions(self, item: str | None = None) -> list[Decision]:
        """All that was ever decided, of one question or of all, in that order."""

    def input(self, source: str) -> InputRecord | None:
        """What became of a source when it was last read."""

    def inputs(self, outcome: InputOutcome) -> list[InputRecord]:
        """The sources of which this became, sorted by name."""

    def documents_of(self, source: str) -> list[StoredDocument]:
        """Of each document that came out of a source the last version that did, in the order of arrival; whatever the
        date, and with the passages that were read, duplicate or not."""

    def surfaces(self, *, as_of: Instant) -> Mapping[str, str]:
        """Every surface with a meaning known at `as_of` -> the id of its entity."""

    def n_without_vectors(self, model: str) -> int: ...
    def without_vectors(self, model: str, *, limit: int) -> list[tuple[int, str]]:
        """(key, text as a person reads it) of passages that have no vector of this model yet."""

    def status(self) -> StoreStatus: ...
    def integrity(self) -> list[Finding]:
        """Everything that is wrong, and what to do about it; reads all of the store."""

    def close(self) -> None: ...


class Exporter(Protocol):
    """Writes what is known at the date of a view to `out`, a file or a folder; the files written. `schema` says what
    relations and drivers mean. OSError where it cannot."""

    def __call__(
        self,
        view: View,
        passages: Sequence[StoredPassage],
        out: Path,
        *,
        facts: Sequence[StoredFact],
        events: Sequence[StoredEvent],
        schema: Schema,
    ) -> list[Path]: ...


class WriteLock(Protocol):
    """Context manager; entering raises `StoreBusy` at once when another process writes."""

    def __enter__(self) -> object: ...
    def __exit__(self, *exception: object) -> None: ...
