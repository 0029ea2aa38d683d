"""Step 1 of quality control: which names are one company's. Identifiers first, then known aliases, then letters.

Nothing is merged on letters alone where a rival explains the name nearly as well: that is a question to a person.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import LCSseq

from finlore.graph.folded import surface_of
from finlore.knowledge.quality.alike import LONGEST, MERGE_FROM, REVIEW_FROM, Likeness, MergeDecision, likeness
from finlore.knowledge.quality.name_parts import NameParts, has_brand, is_listed, read_name, word_list
from finlore.language.codes import canonical_security
from finlore.records.fact import Party

COMPANIES: Final = frozenset({"security", "company", "broker", "rating_agency", "organisation", "name"})
"""The kinds under which a name of a company may be read."""
_COMPANIES: Final = COMPANIES | {""}
_CLEAR: Final = 0.08
"""By how much the best candidate must surpass a rival."""
_STATED: Final = 0.98
_KEYS: Final = 2
_HEAD: Final = 6
"""Letters of a name under which it is filed; the brand of most is among them."""
_MOST_IN_BLOCK: Final = 60
_SLIP_IN: Final = 7
"""Letters of a name in which one may be another."""
_MOST_FILED: Final = 200
"""What more names than this share, and nothing rarer, tells none of them from the others."""
_NO_CODE: Final = ":"


@dataclass(frozen=True, slots=True)
class MergeProposal:
    """That `a` is another name of `b`, the entity that stays; `decision` says whether to merge them, to ask a person,
    or never to. `is_stated`: an identifier or a known alias says so; else their letters do."""

    a: Party
    b: Party
    score: float
    reason: str
    decision: MergeDecision
    is_stated: bool = False


def company(name: str, *, kind: str = "company", entity: str = "") -> Party:
    """A name as printed, as a party."""
    return Party(name, surface_of(name), kind, entity)


def kind_of(entity: str) -> str:
    """The kind that an entity id tells; what has a code is a security."""
    return entity.partition(_NO_CODE)[0] if _NO_CODE in entity else "security"


def entity_of(party: Party, known: Mapping[str, str]) -> str:
    """The entity that a party is by what is stated or known; ``kind:surface`` where nobody says."""
    return _identified(party, known) or f"{party.kind or 'name'}:{party.surface}"


def compare(one: Party, other: Party, *, known: Mapping[str, str]) -> MergeProposal:
    """What becomes of two names, whichever others there are. `known`: folded surface -> entity id."""
    a, b = _kept_last(one, other, known)
    (of_a, why), (of_b, why_b) = _resolved(a, known), _resolved(b, known)
    if of_a and of_b:
        if of_a == of_b:
            return MergeProposal(a, b, 1.0, why if a.surface not in known else why_b, "merge", is_stated=True)
        if _NO_CODE not in of_a and _NO_CODE not in of_b:
            return MergeProposal(a, b, 0.0, f"{of_a} and {of_b} are two", "never")
    if not {a.kind, b.kind} <= _COMPANIES:
        return MergeProposal(a, b, 0.0, f"no two names of a {a.kind} are one by their letters", "never")
    alike = likeness(a.name, b.name)
    return MergeProposal(a, b, alike.score, alike.reason, alike.decision)


def propose(parties: Iterable[Party], *, known: Mapping[str, str], others: Iterable[Party] = ()) -> list[MergeProposal]:
    """What the names that stand for nobody known could be, best first for each: merges and questions, sorted by name.

    Names are compared with those known, with one another and with `others` where they share what is rare in them, never
    all with all.
    """
    asked = sorted(set(parties), key=lambda p: (p.surface, p.kind, p.entity, p.name))
    found = list(stated(asked, known))
    unresolved = [party for party in asked if party.kind in _COMPANIES and not _resolved(party, known)[0]]
    if unresolved:
        named = (_known_name(surface, entity) for surface, entity in known.items())
        blocks = Blocks(list(dict.fromkeys((*named, *unresolved, *others))))
        for party in unresolved:
            found += _best(party, blocks.near(party), known)
    return sorted(_once(found), key=lambda p: (p.a.surface, -p.score, p.b.surface))


def stated(parties: Iterable[Party], known: Mapping[str, str]) -> Iterator[MergeProposal]:
    """A merge for each name that stands for nobody known although an identifier or a known alias says who it is."""
    named = {entity for entity in known.values() if _NO_CODE in entity and kind_of(entity) in _COMPANIES}
    called = {entity.partition(_NO_CODE)[2]: entity for entity in sorted(named)}
    for party in parties:
        resolved, why = _resolved(party, known)
        if not resolved and party.kind in _COMPANIES and party.surface in called:
            resolved, why = called[party.surface], "what it is called"
        if resolved and resolved != _identified(party, known):
            yield MergeProposal(party, _known_party(resolved, known), _STATED, why, "merge", is_stated=True)


def is_worth_asking(proposal: MergeProposal, known: Mapping[str, str]) -> bool:
    """Whether a person should be asked about a merge that letters propose: one of the two is somebody (a listed
    company, or one by its legal name), the name itself is more than a trade or a place, and what the longer name says
    beside the shorter one is not a name of its own."""
    if proposal.is_stated or proposal.decision == "never" or proposal.score < MERGE_FROM:
        return False
    parts = [read_name(party.name) for party in (proposal.a, proposal.b)]
    somebody = _NO_CODE not in entity_of(proposal.b, known) or any(of.form for of in parts)
    return somebody and all(has_brand(of.core) for of in parts) and (proposal.decision == "merge" or _is_said(*parts))


def _is_said(one: NameParts, other: NameParts) -> bool:
    """Whether the longer of two names is the shorter one with words of the lists, or one letter apart."""
    short, long = sorted((one.core, other.core), key=len)
    if len(short) == len(long):
        return True
    return short in long and all(is_listed(rest) for rest in long.split(short, 1))


class Blocks:
    """Names filed under the rarest pairs of letters (latin: words) that they have; a name is looked for under all of
    its pairs, so that what is short for it is found however common its other letters are. Names with other numbers are
    never near, however many there are (云禾1号, 云禾2号)."""

    __slots__ = ("_filed", "_frequency")

    def __init__(self, parties: Sequence[Party]) -> None:
        keys = [(party, _keys(party.name, _HEAD)) for party in parties if party.kind in _COMPANIES]
        self._frequency = Counter(key for _, of in keys for key in of)
        filed: dict[str, list[Party]] = defaultdict(list)
        for party, of in keys:
            for key in sorted(of, key=lambda key: (self._frequency[key], key))[:_KEYS]:
                filed[key].append(party)
        self._filed = {key: of for key, of in filed.items() if len(of) <= _MOST_FILED}

    def near(self, party: Party) -> list[Party]:
        """The names of its blocks that look most like it, itself left out."""
        found = {other: None for key in sorted(_keys(party.name)) for other in self._filed.get(key, ())}
        found.pop(party, None)
        others, own = list(found), read_name(party.name)
        parts = [read_name(other.name) for other in others]
        nearest = process.extract(
            own.whole, [of.whole for of in parts], scorer=LCSseq.similarity, score_cutoff=2, limit=_MOST_IN_BLOCK
        )
        return _first_class([others[at] for _, shared, at in nearest if _may_be_one(own, parts[at], shared)])


def _may_be_one(one: NameParts, other: NameParts, shared: float) -> bool:
    """Whether two names share nearly all letters of the shorter one: without them nothing makes them one company's."""
    shorter = min(len(one.core), len(other.core))
    return shared >= shorter - shorter // _SLIP_IN


def _first_class(others: Sequence[Party]) -> list[Party]:
    """Without shares of a second class (B, H) beside the first of the same company: a company's name means that."""
    parts = [read_name(other.name) for other in others]
    first = {of.core.removesuffix("股份") for of in parts if of.share_class in ("", "A")}
    return [
        other
        for other, of in zip(others, parts, strict=True)
        if of.share_class in ("", "A") or of.core.removesuffix("股份") not in first
    ]


def _keys(name: str, n_letters: int = LONGEST) -> frozenset[str]:
    """Pairs of letters in order, of the first ones; of a latin name its words; each with the numbers of the name."""
    parts = read_name(name)
    if parts.language == "en":
        keys: Iterable[str] = (word for word in parts.core.split() if word not in word_list("descriptions", "en"))
    else:
        keys = map("".join, combinations(parts.whole[:n_letters], 2))
    return frozenset(f"{key} {parts.numbers}" for key in keys)


def _best(party: Party, others: Iterable[Party], known: Mapping[str, str]) -> Iterator[MergeProposal]:
    """The best candidate of each entity, with the decision that its rivals leave."""
    by_entity: dict[str, tuple[Likeness, Party]] = {}
    for other in others:
        alike = _of_a_group(party, other, likeness(party.name, other.name))
        entity = entity_of(other, known)
        if alike.score >= REVIEW_FROM and (entity not in by_entity or alike.score > by_entity[entity][0].score):
            by_entity[entity] = (alike, other)
    ranked = sorted(by_entity.values(), key=lambda pair: (-pair[0].score, pair[1].surface))
    for place, (alike, other) in enumerate(ranked[:3]):
        rival = ranked[1 - place][0].score if len(ranked) > 1 and place < 2 else 0.0
        if place == 0 and alike.decision == "merge" and alike.score - rival >= _CLEAR:
            yield _directed(party, other, known, alike)
            return
        if alike.decision != "never":
            doubt = alike if alike.decision == "review" else Likeness(alike.score, "review", _rivalry(alike, ranked))
            yield _directed(party, other, known, doubt)


def _of_a_group(party: Party, other: Party, alike: Likeness) -> Likeness:
    """A stock company that goes on where a group's bare name ends is a member of it, unless a person says otherwise."""
    a, b = read_name(party.name), read_name(other.name)
    is_member = a.is_stock_company and not b.form and _NO_CODE in other.entity and a.core != b.core
    if not is_member or alike.decision != "merge":
        return alike
    return Likeness(alike.score, "review", f"{alike.reason}; may be a member of the group of that name")


def _rivalry(alike: Likeness, ranked: Sequence[tuple[Likeness, Party]]) -> str:
    names = ", ".join(other.name for _, other in ranked[:3])
    return f"{alike.reason}; could be any of {names}" if len(ranked) > 1 else alike.reason


def _resolved(party: Party, known: Mapping[str, str]) -> tuple[str, str]:
    """(the entity that a party is by identifier or alias, how one knows); ("", "") where nobody knows."""
    if stated := _identified(party, known):
        return stated, "same identifier" if party.entity or party.surface not in known else "known alias"
    if party.kind not in _COMPANIES:
        return "", ""
    parts = read_name(party.name)
    if parts.core and not parts.share_class and parts.core in known and not parts.form.startswith("集团"):
        return known[parts.core], f"known alias but for {parts.form or 'marks of trading'}"
    for word in word_list("descriptions", parts.language) if not parts.form else ():
        brand = parts.core.removesuffix(word).strip()
        is_word = parts.language == "zh" or parts.core.endswith(f" {word}")
        if brand != parts.core and is_word and brand in known and _NO_CODE not in known[brand]:
            return known[brand], f"known alias, described as {word}"
    return "", ""


def _identified(party: Party, known: Mapping[str, str]) -> str:
    """By what is stated: an entity, a code, a surface that is known as it is."""
    if party.entity:
        return known.get(party.surface, party.entity) if _NO_CODE in party.entity else party.entity
    if code := read_name(party.name).code:
        return known.get(party.surface, code)
    return known.get(party.surface, "")


def _kept_last(one: Party, other: Party, known: Mapping[str, str]) -> tuple[Party, Party]:
    """(the name that goes, the one that stays): who is identified stays, else who has
    no legal form, as people call him."""

    def rank(party: Party) -> tuple[bool, bool, bool, str]:
        entity = _identified(party, known)
        return (bool(entity) and _NO_CODE not in entity, bool(entity), not read_name(party.name).form, party.surface)

    a, b = sorted((one, other), key=rank)
    return a, b


def _directed(party: Party, other: Party, known: Mapping[str, str], alike: Likeness) -> MergeProposal:
    a, b = _kept_last(party, other, known)
    return MergeProposal(a, b, alike.score, alike.reason, alike.decision)


def _known_name(surface: str, entity: str) -> Party:
    return Party(surface, surface, kind_of(entity), entity)


def _known_party(entity: str, known: Mapping[str, str]) -> Party:
    name = canonical_security(entity) or entity.partition(":")[2] or entity
    return Party(name, surface_of(name), kind_of(entity), entity)


def _once(proposals: Iterable[MergeProposal]) -> Iterator[MergeProposal]:
    """Each pair once, whichever of the two it was found from; the surer finding of it."""
    kept: dict[frozenset[tuple[str, str]], MergeProposal] = {}
    for proposal in proposals:
        pair = frozenset(((proposal.a.surface, proposal.a.entity), (proposal.b.surface, proposal.b.entity)))
        if pair not in kept or (proposal.decision == "review" and kept[pair].decision == "merge"):
            kept[pair] = proposal
    yield from kept.values()
