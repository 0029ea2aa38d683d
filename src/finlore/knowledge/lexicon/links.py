"""Links between companies, people and things, by cues and the parties around them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache, partial
from itertools import combinations, product
from typing import Final

from finlore.graph.folded import is_coined
from finlore.knowledge.lexicon.cues import GAP, CueMatch, CueMatcher
from finlore.knowledge.lexicon.intentions import awaited
from finlore.knowledge.lexicon.nouns import by_noun
from finlore.knowledge.lexicon.patterns import Patterns
from finlore.knowledge.lexicon.roles import PARTY, Pair, clause_of, mark_of
from finlore.knowledge.lexicon.shape import P, Shape, fits, shape_of
from finlore.knowledge.lexicon.verbs import Manner, by_verb
from finlore.knowledge.sentences import Reading
from finlore.language.dates import find_dates
from finlore.language.normal import HAN
from finlore.records.document import Metadata
from finlore.records.fact import Fact, Party
from finlore.records.instant import Instant, end_of_day
from finlore.records.schema import Cue, LinkType, Schema

_MOST: Final = 24  # facts of one cue: longer lists are tables of names, not statements
_PATTERNS: Final = Patterns("lexicon/links.toml")
_BUYS: Final = ("受让", "取得", "获得", "购买", "购入")
_GIVING: Final = frozenset(("提供", "转让", "出售", "出让", "provides", "provided"))
_DATIVE: Final = frozenset(("supplies", "customer_of", "guarantees", "lends_to", "transfers_to"))
_WITH_AMOUNT: Final = frozenset(("guarantees", "lends_to"))
_DEALS: Final = frozenset(("invests_in", "increases_holding", "reduces_holding", "acquires", "transfers_to"))
_AWAITING: Final = _DEALS | _WITH_AMOUNT | {"merges_with"}
"""The links that somebody may have to approve before they hold."""
_WITH_SHARE: Final = _DEALS | {"owns", "controls", "subsidiary_of"}


def find_links(readings: Iterable[Reading], subject: Party | None, metadata: Metadata, schema: Schema) -> list[Fact]:
    """The links that sentences state, each once a sentence, in the order of the text.

    What is planned or conditional says so in its note and is trusted less; what is denied or over is left out.
    """
    matcher = _matcher(_Cued(schema.version, schema.links))
    found: list[Fact] = []
    for reading in readings:
        found += _links_of(reading, subject, matcher)
    return found


@dataclass(frozen=True, slots=True)
class _Cued:
    """The links of a version of a schema: the key by which their matcher is kept."""

    version: str
    links: tuple[LinkType, ...] = field(compare=False)


@lru_cache(maxsize=4)
def _matcher(cued: _Cued) -> CueMatcher[LinkType]:
    return CueMatcher((cue, link) for link in cued.links for cue in link.cues)


def _links_of(reading: Reading, subject: Party | None, matcher: CueMatcher[LinkType]) -> Iterator[Fact]:
    shape = shape_of(reading, subject) if reading.names else None
    if shape is None or len({party for parties in shape.parties for party in parties}) < 2:
        return
    best: dict[tuple[Party, str, Party], Fact] = {}
    matches = matcher.find(shape.text)
    verbs = sorted(
        {m.start for m in matches if not _is_noun(m.cue.text) and not _PATTERNS["holding"].match(m.cue.text)}
    )
    fitting = {
        link.id: shape.of_kinds((*link.domain, *link.range)) for link in {m.owner.id: m.owner for m in matches}.values()
    }
    for match in (match for match in matches if fitting[match.owner.id].holds_two()):
        for fact in _facts_of(reading, fitting[match.owner.id], match, verbs):
            key = (fact.subject, fact.relation, fact.object or fact.subject)
            kept = best.get(key)
            if kept is None or (kept.value is None, -kept.confidence) > (fact.value is None, -fact.confidence):
                best[key] = fact
    yield from best.values()


def _facts_of(reading: Reading, shape: Shape, match: CueMatch[LinkType], verbs: list[int]) -> Iterator[Fact]:
    link = match.owner
    if _is_over(shape.text, match, verbs):
        return
    planned = _is_planned(shape.text, match)
    for pair in _pairs(shape, match, verbs):
        statement = _statement(reading, shape, match, pair)
        if planned:
            statement = replace(statement, note="planned", confidence=round(0.6 * statement.confidence, 3))
        in_turn = _in_turn(shape, match, pair)
        for one, other in _directed(shape, pair, swaps=_swaps(match.cue), symmetric=link.symmetric)[:_MOST]:
            is_fit = fits(one, link.domain) and fits(other, link.range) and _may(one, other, link)
            if is_fit and one.surface != other.surface and one.name != other.name:
                value = in_turn.get(one, in_turn.get(other, statement.value))
                unit = "%" if in_turn else statement.unit
                relation = "acquires" if _takes_over(match.cue.text, value) else link.id
                yield replace(statement, subject=one, object=other, value=value, unit=unit, relation=relation)


def _takes_over(cue: str, share: float | None) -> bool:
    """Whether who buys shares buys the company: most of them at once."""
    return cue.startswith(_BUYS) and cue.endswith(("股权", "股份", "受让")) and share is not None and share >= 50


def _in_turn(shape: Shape, match: CueMatch[LinkType], pair: Pair) -> dict[Party, float]:
    """The share of each of a list where they are told in turn (A、B分别持有30%、20%)."""
    text = shape.text
    first, last = clause_of(text, match.start, match.end)
    listed = next((shape.at(x) for x in (pair.doer, pair.other) if x and len(shape.at(x)) > 1), ())
    told = _PATTERNS["share"].findall(text, match.end, last + 12) if listed and "分别" in text[first:last] else []
    if match.owner.id not in _WITH_SHARE or len(told) != len(listed):
        return {}
    return dict(zip(listed, map(float, told), strict=True))


def _pairs(shape: Shape, match: CueMatch[LinkType], verbs: list[int]) -> Iterator[Pair]:
    link = match.owner
    if _is_noun(match.cue.text):
        is_it, has_it = (link.range, link.domain) if match.cue.swaps else (link.domain, link.range)
        pairs = by_noun(shape, match.start, match.end, partial(shape.fits, is_it), partial(shape.fits, has_it))
        found = list(pairs)
        if found or not link.symmetric:  # else A与B互为对手
            yield from found
            return
    manner = Manner(
        dative=link.id in _DATIVE, mutual=link.symmetric, reports=link.id == "rates", shares=link.id in _WITH_SHARE,
        lists=link.id == "competes_with", near=link.id == "affects" or "company" not in link.range,
    )  # fmt: skip
    yield from by_verb(shape, *_verb_of(shape.text, match, giving=manner.dative), verbs, manner)


def _verb_of(text: str, match: CueMatch[LinkType], *, giving: bool) -> tuple[int, int]:
    """The place of the verb of a cue. A preposition that it begins with marks a party, the verb comes behind; what
    somebody gives is no party, to whom is said elsewhere; else a party between its parts is the object."""
    head, _, tail = match.cue.text.partition(GAP)
    if tail and mark_of(head):
        return match.end - len(tail), match.end
    if (giving and head in _GIVING) or not PARTY.search(text, match.head_end, match.end):
        return match.start, match.end
    return match.start, match.head_end


def _is_noun(cue: str) -> bool:
    return GAP not in cue and _PATTERNS["noun"].search(cue) is not None


def _swaps(cue: Cue) -> bool:
    """Whether the doer is the object. A cue that itself marks the doer (获…担保, 获…订单) has him behind it."""
    return cue.swaps != (mark_of(cue.text.partition(GAP)[0]) == "agent")


def _directed(shape: Shape, pair: Pair, *, swaps: bool, symmetric: bool) -> list[tuple[Party, Party]]:
    doers = shape.at(pair.doer)
    if not pair.other:
        before = shape.joined.get(pair.doer)
        return list(combinations(doers, 2)) if before is None else list(product(doers[:before], doers[before:]))
    pairs = list(product(doers, shape.at(pair.other)))
    if symmetric:
        return [(min(p, key=_by_name), max(p, key=_by_name)) for p in pairs]
    return [(other, doer) for doer, other in pairs] if swaps else pairs


@lru_cache(maxsize=1 << 12)
def _is_of_words(name: str) -> bool:
    """Whether a guessed name is made of Chinese words (招股说明书, AI加速器): no company is called so."""
    return not all(is_coined(run) for run in re.findall(f"[{HAN}]+", name))


def _may(doer: Party, other: Party, link: LinkType) -> bool:
    """Of a thing and its maker somebody knows at least one; raters are known by kind or by name, as companies say much
    of others that is no rating; and only of companies it is worth while to say what moves them."""
    if doer.kind == other.kind == "name" and "company" not in link.range:
        return False
    if "company" in link.range and any(party.kind == "name" and _is_of_words(party.name) for party in (doer, other)):
        return False
    if link.id == "affects":
        return other.kind in ("security", "company", "industry")
    return link.id != "rates" or doer.kind in ("broker", "rating_agency") or bool(_PATTERNS["rater"].search(doer.name))


def _by_name(party: Party) -> tuple[str, str]:
    return party.surface, party.entity


def _is_over(text: str, match: CueMatch[LinkType], verbs: list[int]) -> bool:
    """Whether it is denied, over, or a rating that reads like a deal (“增持”). Who hands on is told with who takes
    over."""
    first, _ = clause_of(text, match.start, match.end)
    if _PATTERNS["opens"].match(text, max(0, match.start - 1)) and _PATTERNS["closes"].match(text, match.end):
        return True
    if _PATTERNS["handed_on"].match(text[match.end : match.end + 12]):
        return False
    denied = _PATTERNS["over"].search(text, first, match.start)
    if denied and not any(denied.start() < verb < match.start for verb in verbs):  # else that one is denied
        return True
    return _PATTERNS["over_behind"].match(text, match.end, match.end + 24) is not None


def _is_planned(text: str, match: CueMatch[LinkType]) -> bool:
    first, _ = clause_of(text, match.start, match.end)
    if match.owner.id in _AWAITING and awaited(text, match.end):
        return True
    planned = _PATTERNS["planned"].search(text, max(0, first - 12), match.end)
    return planned is not None and (planned.start() < match.start or match.owner.id == "acquires")


def _statement(reading: Reading, shape: Shape, match: CueMatch[LinkType], pair: Pair) -> Fact:
    """The fact but for its parties."""
    nobody = Party("", "", "name")
    text = shape.text
    start, end = shape.origins[match.start], shape.origins[match.end - 1] + 1
    value, unit = _measured(text, match, pair)
    return Fact(
        nobody, match.owner.id, reading.evidence(), reading.text[start:end], value=value, unit=unit,
        valid_from=_since(text), confidence=round(pair.sure, 3),
    )  # fmt: skip


def _measured(text: str, match: CueMatch[LinkType], pair: Pair) -> tuple[float | None, str]:
    """The share or amount that belongs to the pair: the first behind both, up to the next party and one clause on."""
    relation = match.owner.id
    if relation in _WITH_SHARE and _PATTERNS["wholly"].search(text[max(0, match.start - 3) : match.end]):
        return 100.0, "%"
    if relation not in (*_WITH_SHARE, *_WITH_AMOUNT):
        return None, ""
    pattern = _PATTERNS["share" if relation in _WITH_SHARE else "amount"]
    at = max(match.end, *(text.find(letter) for letter in (pair.doer, pair.other) if letter))
    stop = re.search(rf"{P}|[；;。]", text[at + 1 :])
    end = at + 1 + stop.start() if stop else len(text)
    found = (
        pattern.search(text, at, max(end, at))
        or pattern.search(text, match.start, at)
        or pattern.search(text, max(0, match.start - 16), match.start)
    )
    if found is None:
        return None, ""
    if relation in _WITH_SHARE:
        return float(found[1]), "%"
    unit = f"{found['sign'] or ''} {found['unit']}".strip()
    return float(found["number"].replace(",", "")), unit


@lru_cache(maxsize=16)
def _since(text: str) -> Instant | None:
    """The day from which it holds, where the sentence has one date only."""
    days: set[date] = {found.first for found in find_dates(text)}
    return end_of_day(days.pop()) if len(days) == 1 else None
