"""Whom a statement is about, and whom else: "the company" is the one that the document covers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finlore.knowledge.lexicon.causes import Cause
from finlore.knowledge.lexicon.clauses import Clauses
from finlore.knowledge.lexicon.concern import OUTSIDE
from finlore.knowledge.lexicon.frames import frame_of, is_noun, parts_of
from finlore.knowledge.lexicon.happenings import Found, Happening
from finlore.knowledge.lexicon.scene import Placed, Scene
from finlore.knowledge.lexicon.things import Part
from finlore.knowledge.sentences import Reading
from finlore.language.normal import fold, has_han
from finlore.records.fact import Party

_SURROUNDINGS: Final = frozenset({"policy", "macro", "demand"})
"""Drivers that come from outside: what is said of the industry concerns the covered company too."""
_OF_SHARES: Final = frozenset({"pledge", "reduction"})
"""What is done to the shares of a company: the company is the subject, whoever does it."""
_ACTORS: Final = frozenset({"security", "company", "name"})
_SIDES: Final = frozenset({"doer", "target", "other"})
_BEFORE_HEAD = re.compile(
    r"(?:[\d\s.\-—年月日季度上下前半全Qq/、“\"《(（:：]|其中|而|但|同时|此外|另外|近期|目前|\bin\b|\bthe\b)*"
)
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
    """The deal or proceeding that a happening tells of, "" where it is none, with its parts. `is_noun`: it is only
    named, not told (减持计划)."""

    frame: str = ""
    parts: Sequence[Part] = ()
    is_noun: bool = False


def deal_of(sentence: Sentence, happening: Happening) -> Deal:
    """The deal that a cue names; measures that move are none."""
    framed = None if happening.moves else frame_of(sentence.text[happening.start : happening.end])
    if framed is None:
        return Deal()
    frame, start, end = framed[0], happening.start + framed[1], happening.start + framed[2]
    return Deal(frame, parts_of(sentence.scene, frame, start, end), is_noun(sentence.text, start, end))


def about(sentence: Sentence, happening: Happening, deal: Deal, covered: Party | None) -> About | None:
    """The nearest party before what happened, clause by clause, else the doer of the deal; None for no company."""
    number = sentence.clauses.number(happening.about_at)
    for back, clause in enumerate(range(number, -1, -1)):
        first, last = sentence.clauses.span(clause)
        last = happening.about_at if clause == number else last
        party = _topic(sentence, first, last, covered)
        is_plain = party == covered or (covered is not None and not back)
        if party is not None and (is_plain or deal.frame or _heads(sentence, first, party)):
            return About(party, 0.5 if back else 1.0)
        if not deal.frame and any(first <= match.start < last for match in sentence.found.get("others", ())):
            is_outside = happening.event.driver in _SURROUNDINGS and covered is not None
            reaches = is_outside and _concerns(sentence, happening, covered)
            return About(covered, -1.5) if reaches and covered else _doer(sentence, deal)
    if happening.event.id in OUTSIDE and not _concerns(sentence, happening, covered):
        return None
    return About(covered, -0.5) if covered else _doer(sentence, deal)


def _concerns(sentence: Sentence, happening: Happening, covered: Party | None) -> bool:
    """Whether a sentence says that what comes from outside concerns the covered company: it speaks of the company, or
    of a measure that the event moves."""
    return (
        "company" in sentence.found
        or any(name.party == covered for name in sentence.scene.names)
        or any(
            cause.holds(happening.start) and cause.brings(m.start)
            for cause in sentence.causes
            for m in sentence.found.get("measure", ())
        )
    )


def _heads(sentence: Sentence, first: int, party: Party) -> bool:
    """Whether a party stands where the subject of a clause does, and may be that of later ones: at its head."""
    return any(
        name.party == party and _BEFORE_HEAD.fullmatch(sentence.text, first, name.start)
        for name in sentence.scene.names
    )


def _topic(sentence: Sentence, first: int, last: int, covered: Party | None) -> Party | None:
    """Who acts in [first, last): the last name there that no preposition marks, or the words for the company."""
    spoken = [m.start for m in sentence.found.get("company", ()) if first <= m.start < last] if covered else []
    named = [name for name in sentence.scene.names if first <= name.start < last and _acts(sentence, name)]
    plain = [name for name in named if name.mark in {"", "agent"}]
    if plain and (not spoken or plain[-1].start > spoken[-1]):
        return plain[-1].party
    return covered if spoken else None


def _acts(sentence: Sentence, name: Placed) -> bool:
    """Whether a name may be that of a company: not half of a measure (Market share), no unknown latin word in Chinese
    text or at the head of a sentence."""
    if name.party.kind not in _ACTORS or any(
        m.start < name.end and name.start < m.end for m in sentence.found.get("measure", ())
    ):
        return False
    if name.party.kind != "name" or has_han(name.party.name):
        return True
    return not has_han(sentence.text) and (name.start > 0 or " " in name.party.name)


def _doer(sentence: Sentence, deal: Deal) -> About | None:
    """The named doer of a deal, or whose shares are dealt in, where nobody else is the topic."""
    names = {"doer", "target"} if deal.frame in _OF_SHARES else {"doer"}
    found = (_party(sentence, part) for part in deal.parts if part.name in names)
    return next((About(party, 0.5) for party in found if party), None)


def who(
    sentence: Sentence, happening: Happening, deal: Deal, topic: About, covered: Party | None
) -> tuple[Party, Party | None]:
    """Subject and object."""
    if deal.frame in _OF_SHARES:
        return _of_shares(sentence, deal, covered or topic.party)
    if deal.frame:
        doer, other = _of_deal(sentence, deal, topic)
        return doer, other or (topic.party if happening.swaps and topic.party != doer else None)
    if not happening.swaps:
        return topic.party, None
    names = (name for name in sentence.scene.names if happening.end <= name.start <= happening.end + _NEAR)
    behind = next((name.party for name in names if name.party.surface != topic.party.surface), None)
    return (behind, topic.party) if behind else (topic.party, None)


def _of_shares(sentence: Sentence, deal: Deal, default: Party) -> tuple[Party, Party | None]:
    """(company whose shares they are, who acts)."""
    target = next((_party(sentence, part) for part in deal.parts if part.name == "target"), None) or default
    doers = (_party(sentence, part) for part in deal.parts if part.name == "doer")
    return target, next((doer for doer in doers if doer and doer != target), None)


def _of_deal(sentence: Sentence, deal: Deal, topic: About) -> tuple[Party, Party | None]:
    """(who is spoken of if he takes part, else the doer; whom or what the deal is with)."""
    taking = [party for part in deal.parts if part.name in _SIDES and (party := _party(sentence, part))]
    doer = next((party for part in deal.parts if part.name == "doer" and (party := _party(sentence, part))), None)
    subject = topic.party if topic.party in taking or doer is None or doer.kind not in _ACTORS else doer
    coined = (_party(sentence, part, is_coined=True) for part in deal.parts if part.name in {"target", "other"})
    others = (party for party in (*coined, *taking) if party and party.surface != subject.surface)
    return subject, next(others, None)


def is_plaintiff(sentence: Sentence, deal: Deal, subject: Party) -> bool:
    """Whether the subject is who sues: a lawsuit of his own is nothing bad."""
    return deal.frame == "lawsuit" and any(
        part.name == "doer" and _party(sentence, part) == subject for part in deal.parts
    )


def _party(sentence: Sentence, part: Part, *, is_coined: bool = False) -> Party | None:
    """The party that a part names; if `is_coined`, words that only stand where a name would are one too."""
    named = next((n for n in sentence.scene.names if n.start == part.start and n.end == part.end), None)
    words = sentence.text[part.start : part.end]
    surface = fold(words) if is_coined and not named else ""
    return named.party if named else Party(words, surface, "name") if surface else None
