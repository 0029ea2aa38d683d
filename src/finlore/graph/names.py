"""All names of a document: shipped ones, patterns, capitalised spans, statistical ones, and what it teaches."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from finlore.graph.codes import canonical_id, find_codes
from finlore.graph.folded import has_han, surface_of
from finlore.graph.gazetteer import CUTTING, Gazetteer, Match
from finlore.graph.learn import learn, name_before
from finlore.graph.patterns import find_patterns
from finlore.graph.shipped import word_list
from finlore.graph.spans import find_spans, lower_words
from finlore.graph.spread import SurfaceFinder
from finlore.language.normal import fold
from finlore.language.reading import ReadText, read, readable_spans
from finlore.ports import Recogniser
from finlore.records.document import Document
from finlore.records.names import STRENGTH_LIST, Alias, FoundNames, Mention

_LONGEST_TITLE = 60
_NOT_IN_CHINESE = re.compile(r"\d|[A-Z]?[\d.\-]*[A-Z]?[\d.\-]*$")
_HEADLINE = re.compile("[。；：:;，]")


@dataclass(frozen=True, slots=True)
class _Place:
    """A sentence as a person reads it."""

    passage: int
    sentence: int
    reading: ReadText

    @property
    def text(self) -> str:
        return self.reading.text

    def mention(self, start: int, end: int, surface: str, kind: str = "") -> Mention:
        first, last = self.reading.origin(start), self.reading.origin(end - 1) + 1
        return Mention(self.passage, self.sentence, first, last, surface, kind)


def find_names(document: Document, gazetteer: Gazetteer, recognisers: Sequence[Recogniser] = ()) -> FoundNames:
    """Every mention in the sentences of a document, the aliases that are shipped or taught here, and its subject."""
    places = list(_places(document))
    shipped = [gazetteer.find(place.text) for place in places]
    subject, title_alias = _subject(document, gazetteer)
    taught = (*learn(document, [place.text for place in places], gazetteer), *title_alias)
    finder = SurfaceFinder(tuple(alias.surface for alias in taught))
    ordinary = lower_words(document.text)
    mentions: dict[tuple[int, int, str], Mention] = {}  # one for each occurrence of a surface, the first one found
    for place, matches in zip(places, shipped, strict=True):
        listed = (place.mention(match.start, match.end, match.surface) for match in matches)
        learnt = (place.mention(*found) for found in finder.find(place.text))
        spans = _spans(place, document.metadata.language == "en", ordinary)
        for mention in chain(listed, _patterns(place, gazetteer), spans, learnt):
            mentions.setdefault((mention.start, mention.end, mention.surface), mention)
    for recogniser in recognisers:
        taken = {(start, end) for start, end, _ in mentions}
        for mention in _recognised(places, shipped, gazetteer, recogniser):
            if (mention.start, mention.end) not in taken:
                mentions[mention.start, mention.end, mention.surface] = mention
    known = {alias for matches in shipped for match in matches for alias in gazetteer.aliases(match.surface)}
    aliases = sorted({*known, *taught}, key=lambda a: (a.surface, -a.strength, a.entity, a.needs))
    return FoundNames(tuple(sorted(mentions.values(), key=_order)), tuple(aliases), subject)


def _order(mention: Mention) -> tuple[int, int, int, int, str, str]:
    return mention.passage, mention.sentence, mention.start, mention.end, mention.surface, mention.kind


def _places(document: Document) -> Iterator[_Place]:
    spans = readable_spans(document.markup)
    for number, passage in enumerate(document.passages):
        for ordinal, sentence in enumerate(passage.sentences, 1):
            yield _Place(number, ordinal, read(document.text, spans, sentence.start, sentence.end))


def _patterns(place: _Place, gazetteer: Gazetteer) -> Iterator[Mention]:
    return (
        place.mention(found.start, found.end, found.surface, found.kind)
        for found in find_patterns(place.text)
        if found.kind != "company" or found.surface in gazetteer or not gazetteer.knows_tail(found.surface)
    )


def _spans(place: _Place, is_english: bool, ordinary: frozenset[str]) -> Iterator[Mention]:
    """Capitalised spans; in Chinese text none that is a number with a letter."""
    for start, end, surface in find_spans(place.text, ordinary):
        if is_english or not _NOT_IN_CHINESE.match(place.text[start:end]):
            yield place.mention(start, end, surface, "name")


def _recognised(
    places: Sequence[_Place],
    shipped: Sequence[Sequence[Match]],
    gazetteer: Gazetteer,
    recogniser: Recogniser,
) -> Iterator[Mention]:
    """Statistical names of the texts between shipped organisations, all texts of the document in one call.

    English ones are names without a kind of their own, as capitalised spans are, so that both mean one entity.
    """
    gaps = [
        (place, start, end)
        for place, matches in zip(places, shipped, strict=True)
        for start, end in _gaps(place.text, matches, gazetteer)
        if has_han(place.text[start:end]) == (recogniser.language == "zh")
    ]
    results = recogniser.recognise([place.text[start:end] for place, start, end in gaps])
    for (place, start, _), names in zip(gaps, results, strict=True):
        for first, last, kind in names:
            mention = place.mention(
                start + first,
                start + last,
                surface_of(place.text[start + first : start + last]),
                kind if recogniser.language == "zh" else "name",
            )
            if len(mention.surface) > 1:
                yield mention


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


def _subject(document: Document, gazetteer: Gazetteer) -> tuple[str | None, tuple[Alias, ...]]:
    """The covered security, else the title when it is a name: the only security of the title, a shipped name, or a
    short title that the text itself uses."""
    stated, title = document.metadata.security, document.metadata.title.strip()
    if stated:
        return canonical_id(stated) or stated, ()
    codes = {code.entity for code in find_codes(title) if name_before(re.split(r"[（(]", title[: code.start])[0])[0]}
    if len(codes) == 1:
        return codes.pop(), ()
    surface = fold(title)
    if known := gazetteer.aliases(surface):
        return known[0].entity, ()
    if not surface or len(title) > _LONGEST_TITLE or _HEADLINE.search(title) or surface in word_list("common_words"):
        return None, ()
    body = document.text.removeprefix(f"{title}\n")
    if not (len(surface) <= 12 and surface in fold(body) if has_han(title) else _names_a_page(title, body)):
        return None, ()
    entity = f"name:{surface}"
    return entity, (Alias(surface, entity, "name", title, STRENGTH_LIST),)


def _names_a_page(title: str, body: str) -> bool:
    """Whether a latin title is a name that the text is about: the text uses it, or all its capital words."""
    if f" {fold(title)}" in f" {fold(body)}":
        return True
    words = [word for word in re.findall(r"[^\W_]+", re.sub(r"\s*\([^)]*\)", "", title)) if word[:1].isupper()]
    return bool(words) and all(re.search(rf"\b{word}", body) for word in words)
