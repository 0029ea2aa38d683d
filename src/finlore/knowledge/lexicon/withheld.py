"""A document without what speaks to a language model: blank in the text, absent among the sentences.

An order is withheld with the rest of its paragraph, since what follows it goes on ordering; in a table with its row.
One that announces what follows (ends in a colon, "reply with the following") takes the next paragraph or table too, and
a list goes with the paragraph before it.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from finlore.knowledge.lexicon.instructions import announces_more, hides_text, speaks_to_model
from finlore.knowledge.sentences import Reading, readings
from finlore.language.reading import readable_spans
from finlore.records.document import Block, Document
from finlore.records.names import FoundNames

_STRUCTURE: Final = frozenset("|\t\n")


@dataclass(frozen=True, slots=True)
class ForPeople:
    """What people are told. `document` has every offset where it was; `instructed`: the passages in which something is
    withheld, or hidden from the eye."""

    document: Document
    sentences: Sequence[Reading]
    instructed: tuple[int, ...]


def for_people(document: Document, found: FoundNames) -> ForPeople:
    """The document and its sentences without those that speak to a model."""
    sentences = list(readings(document, found))
    withheld = set(_withheld(document.blocks, sentences))
    kept = [reading for number, reading in enumerate(sentences) if number not in withheld]
    orders = [sentences[number] for number in withheld]
    told = {*(reading.passage for reading in orders), *(one.passage for one in kept if hides_text(one.text))}
    return ForPeople(_blanked(document, orders), kept, tuple(sorted(told)))


def _withheld(blocks: Sequence[Block], sentences: Iterable[Reading]) -> Iterator[int]:
    """The numbers of the sentences that are withheld."""
    starts = [block.start for block in blocks]
    at, role = -1, "body"
    is_ordered = goes_on = False  # all that is left of this block is withheld; an order announced the next one
    for number, reading in enumerate(sentences):
        block = max(bisect_right(starts, reading.evidence().start) - 1, 0)
        if block != at:
            at, role = block, blocks[block].role
            is_ordered = goes_on or (is_ordered and role == "list")
            goes_on = is_ordered and role == "heading"
        is_order = speaks_to_model(reading.text)
        if is_order or is_ordered:
            yield number
            announces = announces_more(reading.text)
            goes_on = goes_on or announces
            is_ordered = is_ordered or announces or role != "table"


def _blanked(document: Document, orders: Iterable[Reading]) -> Document:
    """With white space in place of sentences; what separates cells, and mark-up, stays."""
    letters = list(document.text)
    for reading in orders:
        place = reading.evidence()
        for at in range(place.start, place.end):
            letters[at] = letters[at] if letters[at] in _STRUCTURE else " "
    for span in readable_spans(document.markup):
        if span.kind != "latex":
            letters[span.start : span.end] = document.text[span.start : span.end]
    return replace(document, text="".join(letters))
