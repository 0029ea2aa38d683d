"""Figures stated in sentences of sector reports, against gold values: measure, period, value and unit, by sector.

A gold value is found where a fact overlaps its place in the text and says the same measure, number, unit and period (a
gold period without a year is compared without it; of a run of years each year agrees; one that nobody gives is not
compared). Precision is that of facts inside
sentences with gold values: the others have none to be compared with, and are counted.
"""

import gzip
import json
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from extraction_texts import Score, read_text, split
from finlore.graph.gazetteer import Gazetteer
from finlore.knowledge.lexicon.amounts import base_value, find_amounts
from finlore.knowledge.lexicon.measure_words import find_words
from finlore.knowledge.lexicon.metrics import published_on, sentence_facts
from finlore.knowledge.lexicon.stated_periods import find_stated_periods
from finlore.knowledge.sentences import readings, subject_party
from finlore.language.normal import normalise
from finlore.records.document import Document
from finlore.records.fact import Fact

SECTORS: Final = ("dianzi", "xuezhipin", "yiliaoqixie")


@dataclass(frozen=True, slots=True)
class Gold:
    """One gold value. `metric` as in facts, "" where the lexicon has no such measure."""

    name: str
    metric: str
    text: str
    time: str
    start: int
    end: int
    sentence: tuple[int, int]


@dataclass(slots=True)
class Sector:
    score: Score
    place: Score  # the number alone
    unknown: int = 0
    outside: int = 0
    documents: int = 0


def measure(data: Path, *, develop: bool = False, limit: int | None = None) -> dict[str, Sector]:
    """The scores of each sector; of the third to develop on, or of the rest."""
    gazetteer = Gazetteer.load()
    found = {}
    for name in SECTORS:
        rows = split(list(_rows(data / "reports" / "indicators" / f"{name}.jsonl.gz")))[0 if develop else 1][:limit]
        sector = Sector(Score(), Score(), documents=len(rows))
        for number, row in enumerate(rows):
            fields = {"id": f"{name}-{number}", "title": row["doc"], "text": row["text"], "format": "text"}
            if (read := read_text(fields, gazetteer)) is not None:
                document, names = read
                facts = sentence_facts(readings(document, names), document, names, subject_party(document, names))
                _add(sector, document, facts, list(_gold(row)))
        found[name] = sector
    return found


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _gold(row: dict[str, Any]) -> Iterator[Gold]:
    for sentence in row["sentences"]:
        span = (int(sentence["content_offset"][0]), int(sentence["content_offset"][1]))
        for one in sentence["indicators"]:
            text, start, end = one["indicator_value"]
            if not text or row["text"][int(start) : int(end)] != text:
                continue  # placed elsewhere than it says
            time = one["indicator_element"].get("时间", [""])[0]
            name = "".join(one["indicator_name"].split())
            yield Gold(name, metric_of(name), text, time, int(start), int(end), span)


def metric_of(name: str) -> str:
    """The relation that a gold name stands for: 批签发量同比 -> metric:batch_release.growth."""
    words = find_words(normalise(name.replace("增长率", "增速")).text)
    measures = [word.id for word in words if word.kind == "measure"]
    derived = [word.id for word in words if word.kind == "derived"]
    relation = ".".join((measures[0], *derived[-1:])) if measures else ""
    return "metric:market_share" if relation == "metric:market_size.share" else relation


def _add(sector: Sector, document: Document, facts: list[Fact], gold: list[Gold]) -> None:
    """Gold values that say the same of the same number are one."""
    unique = list({(g.metric, g.start, g.end): g for g in gold}.values())
    spans = sorted({g.sentence for g in unique})
    placed = {id(fact): _place(document, fact) for fact in facts}
    inside = [fact for fact in facts if _within(placed[id(fact)], spans)]
    sector.outside += len(facts) - len(inside)
    sector.unknown += sum(not g.metric for g in unique)
    taken: set[int] = set()
    for g in unique:
        near = [fact for fact in inside if _overlap(placed[id(fact)], (g.start, g.end))]
        same = next((fact for fact in near if id(fact) not in taken and _agrees(document, fact, g)), None)
        sector.place.gold += 1
        sector.place.right += bool(near)
        sector.score.gold += 1
        if same is not None:
            taken.add(id(same))
            sector.score.right += 1
        else:
            said = "; ".join(f"{f.relation} {f.value} {f.unit} {f.period}" for f in near[:2]) or "nothing"
            around = document.text[max(0, g.start - 40) : g.end + 6]
            sector.score.missed.append(f"{g.name} {g.text} ({g.time}) | said {said} | {around!r}")
    ranges = [fact for fact in inside if fact.bound != "high"]
    sector.score.said += len(ranges)
    for fact in ranges:
        if id(fact) not in taken:
            place = placed[id(fact)]
            wanted = [f"{g.name} {g.text} ({g.time})" for g in unique if _overlap(place, (g.start, g.end))]
            around = document.text[max(0, place[0] - 40) : place[1] + 6]
            said = f"{fact.relation} {fact.value} {fact.unit} {fact.period} [{fact.subject.name}]"
            sector.score.wrong.append(f"{said} | gold {wanted[:2]} | {around!r}")


def _place(document: Document, fact: Fact) -> tuple[int, int]:
    """Where the number of a fact stands: at either end of its evidence."""
    evidence = fact.evidence
    at = document.text.rfind(fact.text, evidence.start, evidence.end)
    return (at, at + len(fact.text)) if at >= 0 else (evidence.start, evidence.end)


def _within(place: tuple[int, int], spans: list[tuple[int, int]]) -> bool:
    at = bisect_right(spans, (place[0], 10**9)) - 1
    return any(start <= place[0] and place[1] <= end for start, end in spans[max(0, at - 3) : at + 1])


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _agrees(document: Document, fact: Fact, gold: Gold) -> bool:
    relation = fact.relation.replace(".segment", "")
    return relation == gold.metric and _same_number(fact, gold.text) and _same_period(document, fact, gold.time)


def _same_number(fact: Fact, text: str) -> bool:
    amounts = find_amounts(normalise(text).text)
    if not amounts or fact.value is None:
        return False
    value, unit = base_value(amounts[0].value, amounts[0].unit)
    is_bare = not amounts[0].unit  # one of a list, whose unit stands behind the last
    said, counted = (fact.value, "") if is_bare else base_value(fact.value, fact.unit)
    same_unit = unit == counted or not unit or not counted
    return same_unit and abs(abs(value) - abs(said)) <= 1e-6 * max(1.0, abs(value))


def _same_period(document: Document, fact: Fact, time: str) -> bool:
    """Gold gives each number of a list all periods of the list, and growth over years the last or the first of them."""
    periods = find_stated_periods(normalise(time).text, published=published_on(document))
    if not periods:
        return True
    named = {period.name for period in periods} | {str(year) for period in periods for year in period.years}
    ends = fact.period.split("-") if fact.relation.endswith(".cagr") else [fact.period]
    if any(part in time for part in ("19", "20")) or not named.isdisjoint(ends):
        return fact.period in named or not named.isdisjoint(ends)
    return periods[0].name[4:] == fact.period[4:]
