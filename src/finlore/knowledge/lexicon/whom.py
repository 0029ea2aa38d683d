"""Whom a statement is about, and whom else: "the company" is the one that the document covers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finlore.knowledge.lexicon.causes import Cause
from finlore.knowledge.lexicon.clauses import Clauses
from finlore.knowledge.lexicon.frames import Part, Scene, frame_of, marked, parts_of
from finlore.knowledge.lexicon.happenings import Found, Happening
from finlore.knowledge.sentences import Reading
from finlore.language.normal import fold
from finlore.records.fact import Party

_SURROUNDINGS: Final = frozenset({"policy", "macro", "demand"})
"""Drivers that come from outside: what is said of the industry concerns the covered company too."""
_OF_SHARES: Final = frozenset({"pledge", "reduction", "buyback"})
"""What is done to the shares of a company: the company is the subject, whoever does it."""
_ACTORS: Final = frozenset({"security", "company", "organisation", "name"})
_NEAR: Final = 20  # characters between what happened and its object


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with all that was found in it."""

    reading: Reading
    found: Found
    scene: Scene
    causes: Sequence[Cause]

    @property
    def text(self) -> str:
        return self.scene.text

    @property
    def clauses(self) -> Clauses:
        return self.scene.clauses


@dataclass(frozen=True, slots=True)
class About:
    """Whom a statement is about, and how surely: 1 named in its clause, 0 nobody named, less where others are meant."""

    party: Party
    sure: float


@dataclass(frozen=True, slots=True)
class Deal:
    """The deal or proceeding that a happening tells of, "" where it is none, with its parts."""

    frame: str = ""
    parts: Sequence[Part] = ()


def deal_of(sentence: Sentence, happening: Happening) -> Deal:
    """The deal that a cue names; measures that move are none."""
    framed = None if happening.moves else frame_of(sentence.text[happening.start : happening.end])
    if framed is None:
        return Deal()
    frame, start, end = framed
    return Deal(frame, parts_of(sentence.scene, frame, happening.start + start, happening.start + end))


def about(sentence: Sentence, happening: Happening, deal: Deal, covered: Party | None) -> About | None:
    """The nearest party before what happened, clause by clause, else the doer of the deal; None for no company."""
    number = sentence.clauses.number(happening.about_at)
    for back, clause in enumerate(range(number, -1, -1)):
        first, last = sentence.clauses.span(clause)
        last = happening.about_at if clause == number else last
        party = _topic(sentence, first, last, covered)
        if party is not None:
            return About(party, 0.5 if back else 1.0)
        if any(first <= match.start < last for match in sentence.found.get("others", ())):
            is_outside = happening.event.driver in _SURROUNDINGS and covered is not None
            return About(covered, -1.5) if is_outside and covered else _doer(sentence, deal)
    return About(covered, -0.5) if covered else _doer(sentence, deal)


def _topic(sentence: Sentence, first: int, last: int, covered: Party | None) -> Party | None:
    """Who acts in [first, last): the last name there that no preposition marks, or the words for the company."""
    spoken = [m.start for m in sentence.found.get("company", ()) if first <= m.start < last] if covered else []
    named = [name for name in sentence.scene.names if first <= name.start < last and name.party.kind in _ACTORS]
    plain = [name for name in named if marked(sentence.scene, name) in {"", "by"}]
    if plain and (not spoken or plain[-1].start > spoken[-1]):
        return plain[-1].party
    return covered if spoken else None


def _doer(sentence: Sentence, deal: Deal) -> About | None:
    """The named doer or target of a deal, where nobody else is the topic."""
    found = (_party(sentence, part) for part in deal.parts if part.name in {"doer", "target"})
    return next((About(party, 0.5) for party in found if party), None)


def who(
    sentence: Sentence, happening: Happening, deal: Deal, topic: About, covered: Party | None
) -> tuple[Party, Party | None]:
    """Subject and object."""
    if deal.frame in _OF_SHARES:
        return _of_shares(sentence, deal, covered or topic.party)
    if deal.frame:
        return _of_deal(sentence, deal, topic)
    names = (name for name in sentence.scene.names if happening.end <= name.start <= happening.end + _NEAR)
    behind = next((name.party for name in names if name.party.surface != topic.party.surface), None)
    return (behind, topic.party) if happening.swaps and behind else (topic.party, behind)


def _of_shares(sentence: Sentence, deal: Deal, default: Party) -> tuple[Party, Party | None]:
    """(company whose shares they are, who acts)."""
    target = next((_party(sentence, part) for part in deal.parts if part.name == "target"), None) or default
    doers = (_party(sentence, part) for part in deal.parts if part.name == "doer")
    return target, next((doer for doer in doers if doer and doer != target), None)


def _of_deal(sentence: Sentence, deal: Deal, topic: About) -> tuple[Party, Party | None]:
    """(doer, whom or what the deal is with)."""
    doers = (_party(sentence, part) for part in deal.parts if part.name == "doer")
    doer = next((party for party in doers if party), None)
    subject = doer if doer and (topic.sure <= 0 or doer.kind in _ACTORS) else topic.party
    others = (_party(sentence, part, is_coined=True) for part in deal.parts if part.name in {"target", "other"})
    return subject, next((other for other in others if other and other.surface != subject.surface), None)


def _party(sentence: Sentence, part: Part, *, is_coined: bool = False) -> Party | None:
    """The party that a part names; if `is_coined`, words that only stand where a name would are one too."""
    named = next((n for n in sentence.scene.names if n.start == part.start and n.end == part.end), None)
    words = sentence.text[part.start : part.end]
    surface = fold(words) if is_coined and not named else ""
    return named.party if named else Party(words, surface, "name") if surface else None
