"""All names of a document: shipped ones, patterns, capitalised spans, statistical ones, and what it teaches."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from finlore.graph.folded import surface_of, without_legal_form
from finlore.graph.gazetteer import CUTTING, Gazetteer, Match
from finlore.graph.learn import learn
from finlore.graph.patterns import find_brands, find_patterns, person_start
from finlore.graph.romanised import latin_aliases
from finlore.graph.shipped import word_list
from finlore.graph.spans import find_spans, lower_words
from finlore.graph.spread import SurfaceFinder
from finlore.graph.subject import broker_of, subject_of
from finlore.language.codes import find_codes
from finlore.language.normal import has_han
from finlore.language.reading import context_lines, read, readable_spans
from finlore.ports import Recogniser
from finlore.records.document import Document
from finlore.records.mapped import MappedText
from finlore.records.names import Alias, FoundNames, Mention

_NOT_IN_CHINESE = re.compile(r"\d|[A-Z]?[\d.\-]*[A-Z]?[\d.\-]*$")
_OCCURRENCE = attrgetter("passage", "sentence", "start", "end", "surface")
_ORDER = attrgetter("passage", "sentence", "start", "end", "surface", "kind")
_Name = tuple[int, int, str, str]
"""(start, end, surface, kind) in the text of a place."""
_Occurrence = tuple[int, int, int, int, str]


@dataclass(frozen=True, slots=True)
class _Place:
    """A sentence, or a line of the context (sentence 0), as a person reads it."""

    passage: int
    sentence: int
    reading: MappedText

    @property
    def text(self) -> str:
        return self.reading.text

    def mention(self, start: int, end: int, surface: str, kind: str = "") -> Mention:
        return Mention(self.passage, self.sentence, *self.reading.span(start, end), surface, kind)


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found in a document. `mentions`: of each occurrence of a surface the first one found."""

    sentences: Sequence[_Place]
    shipped: Mapping[str, Sequence[Match]]
    mentions: dict[_Occurrence, Mention]
    aliases: tuple[Alias, ...]
    subject: str | None


def find_names(document: Document, gazetteer: Gazetteer, recognisers: Sequence[Recogniser] = ()) -> FoundNames:
    """Every mention in the sentences and contexts of a document, the aliases that are shipped or taught here, and its
    subject. Statistical recognisers read sentences only."""
    (found,) = find_all_names([document], gazetteer, recognisers)
    return found


def find_all_names(
    documents: Sequence[Document], gazetteer: Gazetteer, recognisers: Sequence[Recogniser] = ()
) -> list[FoundNames]:
    """The names of each document. A recogniser is asked once for all of them: short texts cost less side by side."""
    all_read = [_read_names(document, gazetteer) for document in documents]
    for recogniser in recognisers:
        _add_recognised(all_read, gazetteer, recogniser)
    return [
        FoundNames(tuple(sorted(names.mentions.values(), key=_ORDER)), names.aliases, names.subject)
        for names in all_read
    ]


def _read_names(document: Document, gazetteer: Gazetteer) -> "_Found":
    """All names but the statistical ones."""
    places = list(_places(document))
    shipped = {text: gazetteer.find(text) for text in dict.fromkeys(place.text for place in places)}
    subject, title_alias = subject_of(document, gazetteer)
    broker, broker_alias = broker_of(document, gazetteer)
    learnt = learn(document, tuple(shipped), gazetteer)
    taught = (*learnt, *latin_aliases(learnt), *title_alias, *broker_alias)
    names = _names(document, shipped, taught, gazetteer)
    if (stated := document.metadata.broker) in names and broker:
        names[stated].append((0, len(stated), broker, ""))
    _pass_over_headline_words(places, names)
    mentions: dict[_Occurrence, Mention] = {}
    for place in places:
        for name in names[place.text]:
            mention = place.mention(*name)
            mentions.setdefault(_OCCURRENCE(mention), mention)
    sentences = [place for place in places if place.sentence]
    for place in sentences:
        for brand in find_brands(place.text):
            mention = place.mention(brand.start, brand.end, brand.surface, brand.kind)
            if brand.surface not in gazetteer:
                mentions.setdefault(_OCCURRENCE(mention), mention)
    listed = {match.surface for matches in shipped.values() for match in matches}
    known = {alias for surface in listed for alias in gazetteer.aliases(surface)}
    aliases = tuple(sorted({*known, *taught}, key=lambda a: (a.surface, -a.strength, a.entity, a.needs)))
    return _Found(sentences, shipped, mentions, aliases, subject)


def _places(document: Document) -> Iterator[_Place]:
    spans = readable_spans(document.markup)
    for number, passage in enumerate(document.passages):
        for line in context_lines(document.metadata, passage.heading):
            yield _Place(number, 0, line)
        for ordinal, sentence in enumerate(passage.sentences, 1):
            yield _Place(number, ordinal, read(document.text, spans, sentence.start, sentence.end))


def _names(
    document: Document, shipped: Mapping[str, Sequence[Match]], taught: Sequence[Alias], gazetteer: Gazetteer
) -> dict[str, list[_Name]]:
    """The names in each of the texts, strongest source first."""
    finder = SurfaceFinder(tuple(alias.surface for alias in taught))
    ordinary, is_english = lower_words(document.text), document.metadata.language == "en"
    return {
        text: [
            *((match.start, match.end, match.surface, "") for match in matches),
            *_patterns(text, gazetteer),
            *_spans(text, is_english, ordinary),
            *((*found, "") for found in finder.find(text)),
            *gazetteer.decided(text),
        ]
        for text, matches in shipped.items()
    }


def _patterns(text: str, gazetteer: Gazetteer) -> Iterator[_Name]:
    return (
        (found.start, found.end, found.surface, found.kind)
        for found in find_patterns(text)
        if found.kind != "company" or found.surface in gazetteer or not gazetteer.knows_tail(found.surface)
    )


def _spans(text: str, is_english: bool, ordinary: frozenset[str]) -> Iterator[_Name]:
    """Capitalised spans that are no codes; in Chinese text none that is a number with a letter."""
    codes = {(code.start, code.end) for code in find_codes(text)}
    for start, end, surface in find_spans(text, ordinary, after_number=is_english):
        if (start, end) in codes:
            continue
        if is_english or not _NOT_IN_CHINESE.match(text[start:end]):
            yield start, end, surface, "name"


def _pass_over_headline_words(places: Sequence[_Place], names: dict[str, list[_Name]]) -> None:
    """Where a headline capitalises every word, a capitalised span is a name only if a sentence has it too."""
    headlines = {place.text for place in places if not place.sentence}
    body = {surface for place in places if place.sentence for _, _, surface, _ in names[place.text]}
    for text in headlines:
        if not lower_words(text) - word_list("common_words"):
            names[text] = [name for name in names[text] if name[3] != "name" or name[2] in body]


def _add_recognised(all_read: Sequence[_Found], gazetteer: Gazetteer, recogniser: Recogniser) -> None:
    """Add statistical names of the texts between shipped organisations where nothing else was found, all texts in one
    call.

    English ones are names without a kind of their own, as capitalised spans are, so that both mean one entity.
    """
    gaps = [
        (names, place, start, end)
        for names in all_read
        for place in names.sentences
        for start, end in _gaps(place.text, names.shipped[place.text], gazetteer)
        if has_han(place.text[start:end]) == (recogniser.language == "zh")
    ]
    results = recogniser.recognise([place.text[start:end] for _, place, start, end in gaps])
    taken = {id(names): {occurrence[:4] for occurrence in names.mentions} for names in all_read}
    for (names, place, start, _), recognised in zip(gaps, results, strict=True):
        for begin, last, kind in recognised:
            is_person = kind == "person" and recogniser.language == "zh"
            first = person_start(place.text, start + begin, start + last) - start if is_person else begin
            name = place.text[start + first : start + last]
            name, means = (name, kind) if recogniser.language == "zh" else (without_legal_form(name), "name")
            if len(surface := surface_of(name)) > 1 and "%" not in surface:
                mention = place.mention(start + first, start + first + len(name), surface, means)
                if (occurrence := _OCCURRENCE(mention))[:4] not in taken[id(names)]:
                    names.mentions[occurrence] = mention


def _gaps(text: str, matches: Sequence[Match], gazetteer: Gazetteer) -> Iterator[tuple[int, int]]:
    at = 0
    for match in matches:
        kinds = {alias.kind for alias in gazetteer.aliases(match.surface)[:1]}
        if kinds & CUTTING and match.start >= at:
            if match.start - at > 1:
                yield at, match.start
            at = match.end
    if len(text) - at > 1:
        yield at, len(text)
