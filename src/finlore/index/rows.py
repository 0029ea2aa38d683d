"""What one passage tells the index. Depends on its text, shipped cues and its mentions, never on other documents."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from finlore.index.cues import RelationCues
from finlore.language.codes import codes_in_brackets
from finlore.language.reading import context_text, read
from finlore.language.words import words
from finlore.records.document import Metadata, Passage, Span
from finlore.records.index import DIRECT, OWNED, IndexedSentence, IndexRow, name_list
from finlore.records.instant import Instant
from finlore.records.names import Mention

_Place = tuple[int, int, str]
"""(start, end, surface) of a mention."""
ROWS_VERSION = 2
"""Changes with what a passage contributes, for the same words and names."""
NO_CUES = RelationCues({})


def index_row(
    key: int,
    known: Instant,
    until: Instant,
    *,
    document_text: str,
    passage: Passage,
    mentions: Sequence[Mention],
    metadata: Metadata,
    subject: str | None,
    cues: RelationCues = NO_CUES,
    readable: Sequence[Span] = (),
) -> IndexRow:
    """The row of `passage`; `mentions` are those of this passage, `subject` is the entity that its document owns. What
    stands under the heading of another security is about that one.

    `readable`: the mark-up of the document that reads differently from how it is written (`reading.readable_spans`).
    """
    subject = _subject_under(passage.heading, subject)
    by_sentence: dict[int, list[Mention]] = {}
    for mention in mentions:
        by_sentence.setdefault(mention.sentence, []).append(mention)
    sentences = [_context(passage, metadata, subject, by_sentence.get(0, ()))]
    for ordinal, span in enumerate(passage.sentences, start=1):
        text = read(document_text, readable, span.start, span.end).text
        names = _name_counts(by_sentence.get(ordinal, ()))
        marks, speaks_of_subject = cues.read(text)
        if subject is not None and speaks_of_subject:
            names[DIRECT + subject] += 1
        sentences.append(IndexedSentence({**Counter(words(text)), **marks}, names))
    return IndexRow(key, known, tuple(sentences), until, language=int(metadata.language == "en"))


def _subject_under(heading: str, subject: str | None) -> str | None:
    """The security whose code the headings give; none of several, unless the document is about one of them."""
    codes = codes_in_brackets(heading) if subject is not None else []
    return codes[0] if len(codes) == 1 else subject if not codes or subject in codes else None


def _context(passage: Passage, metadata: Metadata, subject: str | None, mentions: Sequence[Mention]) -> IndexedSentence:
    names = _name_counts(mentions)
    if subject is not None:
        names[OWNED + subject] += 1
    return IndexedSentence(_context_words(context_text(metadata, passage.heading)), names)


@lru_cache(maxsize=64)  # the passages under one heading share their context
def _context_words(text: str) -> Mapping[str, int]:
    return Counter(words(text))


def _name_counts(mentions: Sequence[Mention]) -> Counter[str]:
    """How often each name list occurs in one sentence.

    A guess (a mention with a kind) inside a longer guess is none: the longest guess stands for the whole. A guess never
    hides a *known* name inside it, so a surface keeps a list without kind there, visible once an alias of it is known.
    Whatever the longer name is, it is a cover: once an alias of it is known, it hides the shorter one.
    """
    spans: dict[_Place, str] = {}
    for mention in mentions:  # found twice on the same place: one mention, and a guess says more than none
        place = (mention.start, mention.end, mention.surface)
        held = spans.get(place, "")
        spans[place] = min(held, mention.kind) if held and mention.kind else held or mention.kind
    counts: Counter[str] = Counter()
    for (start, end, surface), around in _covers(spans):
        if surface not in around:  # the same surface with its brackets is the mention already
            kind = "" if any(around.values()) else spans[start, end, surface]
            counts[name_list(surface, kind, tuple(sorted(around)))] += 1
    return counts


def _covers(spans: Mapping[_Place, str]) -> Iterator[tuple[_Place, dict[str, str]]]:
    """Every span with the surfaces of the longer spans around it, and their kinds ("" where one is no guess)."""
    still_open: list[_Place] = []
    for place in sorted(spans, key=lambda place: (place[0], -place[1], place[2])):
        start, end, _ = place
        still_open = [other for other in still_open if other[1] > start]
        around: dict[str, str] = {}
        for first, last, surface in still_open:
            if end <= last and (first, last) != (start, end):
                around[surface] = around.get(surface) or spans[first, last, surface]
        yield place, around
        still_open.append(place)
