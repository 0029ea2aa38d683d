"""Which of the happenings of an English sentence it tells: not what it lists as causes, parts and counterweights of
something else, nor a figure that is only expected."""

from collections.abc import Sequence
from typing import Final

from finlore.knowledge.lexicon.english_phrases import phrases_of
from finlore.knowledge.lexicon.frames import frame_of
from finlore.knowledge.lexicon.happenings import STATES, Found, Happening

_MEASURES: Final = frozenset({"EPS", "PE", "PB"})
_SAID_BY: Final = {"iteration": "new_product", "has_innovated": "new_product"}
"""Types that say nothing more beside another: a next-generation product that is launched."""


def told_in_english(text: str, happenings: Sequence[Happening]) -> list[Happening]:
    """The happenings that a sentence tells, in their order; deals wherever they stand."""
    phrases = phrases_of(text) if happenings else ()
    listed = [(phrase.start, phrase.end) for phrase in phrases if phrase.kind in {"aside", "base", "others"}]
    told = [h for h in happenings if _is_deal(text, h) or not any(a < h.start < b for a, b in listed)]
    told = [h for h in told if not (h.is_expected and h.has_number and (h.moves or h.event.id in STATES))]
    types = {happening.event.id for happening in told}
    return [h for h in told if _SAID_BY.get(h.event.id) not in types]


def without_measures_of_value(text: str, found: Found) -> Found:
    """The wordings without those of multiples and earnings per share, which companies report as well."""
    valued = [match for match in found.get("valuation", ()) if text[match.start : match.end] not in _MEASURES]
    others = {role: matches for role, matches in found.items() if role != "valuation"}
    return {**others, "valuation": valued} if valued else others


def _is_deal(text: str, happening: Happening) -> bool:
    return not happening.moves and frame_of(text[happening.start : happening.end]) is not None
