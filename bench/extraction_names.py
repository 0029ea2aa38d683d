"""Which names are one company's: short names, codes and legal names of listed companies, against their nearest others.

Three settings. `known`: short names and codes are shipped, legal names are new, as in ingest. `hidden`: half of the
companies are taken out of what is known, so that whatever their legal names are merged with is wrong. `letters`: two
names, nothing known at all. Right pairs share a code; wrong ones are the nearest other names by letters. Codes that
are in only one of the two files, and second legal names of a code, are left out. Short names and codes are one by
the list itself, so that `legal - code` is the figure that says something. `strict` is `known`, but counts whatever
wrong company a legal name is merged with, where `known` sees only those that are among the nearest.
"""

import csv
import json
import random
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rapidfuzz import fuzz, process

from extraction_texts import SEED, Score, split
from finlore.graph.shipped import shipped_aliases
from finlore.knowledge.quality.alike import likeness
from finlore.knowledge.quality.name_parts import read_name
from finlore.knowledge.quality.normalise import MergeProposal, company, compare, entity_of, propose
from finlore.language.codes import canonical_security

_NEAREST: Final = 3


@dataclass(frozen=True, slots=True)
class Listed:
    code: str
    short: str
    legal: str


@dataclass(slots=True)
class Names:
    companies: int = 0
    scores: dict[str, Score] = field(default_factory=dict)
    kinds: dict[str, Score] = field(default_factory=dict)
    questions: int = 0
    cpu_seconds: float = 0.0


def measure(data: Path, *, develop: bool = False, limit: int | None = None) -> Names:
    """Of the third of the companies to develop on, or of the rest; candidates are all companies in any case."""
    everyone = listed(data)
    measured = split(everyone)[0 if develop else 1][:limit]
    found = Names(companies=len(measured))
    _known(found, measured, everyone)
    _hidden(found, measured)
    _letters(found, measured, everyone)
    return found


def listed(data: Path) -> list[Listed]:
    """The companies of which both files tell a name, by code."""
    with (data / "market" / "securities.csv").open(encoding="utf-8-sig") as lines:
        shorts = {row["symbol"]: row["name"] for row in csv.DictReader(lines)}
    legal: dict[str, str] = {}
    for line in (data / "graphs" / "chain_kg" / "company.json").read_text("utf-8").splitlines():
        row = json.loads(line)
        legal.setdefault(row["code"][:6], row["fullname"].strip())
    codes = sorted(code for code in shorts.keys() & legal.keys() if legal[code] and canonical_security(code))
    return [Listed(canonical_security(code) or "", shorts[code], legal[code]) for code in codes]


def shipped(everyone: Iterable[Listed] = ()) -> dict[str, str]:
    """What each shipped surface means, and the short names of a list, as a market folder tells them."""
    known: dict[str, str] = {}
    for alias in sorted(shipped_aliases(), key=lambda alias: (-alias.strength, alias.entity)):
        known.setdefault(alias.surface, alias.entity)
    for one in everyone:
        known.setdefault(company(one.short).surface, one.code)
    return known


def _known(found: Names, measured: list[Listed], everyone: list[Listed]) -> None:
    known = shipped(everyone)
    began = time.process_time()
    proposals = propose([company(one.legal) for one in measured], known=known)
    found.cpu_seconds = time.process_time() - began
    found.questions = len({p.a.surface for p in proposals if p.decision == "review"})
    means = _meanings(proposals, known)
    by_short = {one.short: one.code for one in everyone}
    score = found.scores["known"] = Score()
    strict = found.scores["strict"] = Score()
    for one in measured:
        entity = _means(one.legal, means, known)
        for kind, merged, what in (
            ("short - code", _merged(one.short, one.code, known), f"{one.short} {one.code}"),
            ("legal - code", entity == one.code, f"{one.legal} {one.code} {one.short}"),
            ("legal - short", entity == one.code, f"{one.legal} {one.short}"),
        ):
            for counted in (score, strict, found.kinds.setdefault(kind, Score())):
                _count(counted, merged, is_right=True, what=what)
        any_other = f"{one.legal} {entity}, not {one.short}"
        for counted in (strict, strict, found.kinds["legal - code"]):  # wrong with the code and with its short name
            _count(counted, entity not in ("", one.code), is_right=False, what=any_other)
        for other in _nearest(one.legal, by_short, one.short):
            _count(score, entity == by_short[other], is_right=False, what=f"{one.legal} {other}, not {one.short}")
        for other in _nearest(one.short, by_short, one.short):
            _count(score, _merged(one.short, other, known), is_right=False, what=f"{one.short} {other}")


def _hidden(found: Names, measured: list[Listed]) -> None:
    """Companies are hidden with their second class of shares, which has the name of the first but for a letter."""
    gone = {one.code for one in random.Random(SEED).sample(measured, len(measured) // 2)}
    cores = {read_name(one.short).core for one in measured if one.code in gone}
    everything = shipped()
    gone |= {entity for surface, entity in everything.items() if read_name(surface).core in cores}
    known = {surface: entity for surface, entity in everything.items() if entity not in gone}
    means = _meanings(propose([company(one.legal) for one in measured], known=known), known)
    score = found.scores["hidden"] = Score()
    for one in measured:
        entity = _means(one.legal, means, known)
        if one.code not in gone:
            _count(score, entity == one.code, is_right=True, what=f"{one.legal} {one.short}")
        _count(score, entity not in ("", one.code), is_right=False, what=f"{one.legal} {entity}, not {one.short}")


def _letters(found: Names, measured: list[Listed], everyone: list[Listed]) -> None:
    by_short = {one.short: one.code for one in everyone}
    by_legal = {one.legal: one.code for one in everyone}
    score = found.scores["letters"] = Score()
    for one in measured:
        _count(score, _alike(one.legal, one.short), is_right=True, what=f"{one.legal} {one.short}")
        for others, of in ((by_short, one.legal), (by_legal, one.legal), (by_short, one.short)):
            for other in _nearest(of, others, one.short if others is by_short else one.legal):
                _count(score, _alike(of, other), is_right=False, what=f"{of} {other}, not {one.short}")


def _meanings(proposals: Iterable[MergeProposal], known: Mapping[str, str]) -> dict[str, str]:
    return {p.a.surface: entity_of(p.b, known) for p in proposals if p.decision == "merge"}


def _means(name: str, merged: Mapping[str, str], known: Mapping[str, str]) -> str:
    surface = company(name).surface
    return known.get(surface) or merged.get(surface, "")


def _merged(one: str, other: str, known: Mapping[str, str]) -> bool:
    return compare(company(one), company(other), known=known).decision == "merge"


def _alike(one: str, other: str) -> bool:
    return likeness(one, other).decision == "merge"


def _nearest(name: str, others: Mapping[str, str], own: str) -> Iterator[str]:
    near = process.extract(name, list(others), scorer=fuzz.partial_ratio, limit=_NEAREST + 1)
    return (other for other, _, _ in near if other != own and others[other] != others.get(own))


def _count(score: Score, merged: bool, *, is_right: bool, what: str) -> None:
    score.said += merged
    score.gold += is_right
    score.right += merged and is_right
    if is_right and not merged:
        score.missed.append(what)
    if merged and not is_right:
        score.wrong.append(what)
