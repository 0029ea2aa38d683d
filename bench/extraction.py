"""What the offline extractor reads: attributes, figures, events and links against gold, and what it costs.

usage: extraction.py --data FOLDER [--json] [--develop]

FOLDER is laid out as described in its README. A third of each set, drawn by a fixed seed, is what rules were made on;
the rest is reported (--develop: that third). Sections whose data is not there are named and left out. Texts of the
documents are printed as examples and never saved.
"""

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import extraction_attributes
import extraction_events
import extraction_gold
import extraction_indicators
import extraction_links
import extraction_llm
import extraction_names
import extraction_world
from extraction_texts import Score, examples, load_settled
from finlore.graph.gazetteer import Gazetteer
from machine import facts, save

_HEAD: Final = f"{'':16} {'precision':>9} {'recall':>9} {'right':>6} {'said':>6} {'gold':>6}"


@dataclass(slots=True)
class Section:
    """Figures by name, and how they read."""

    figures: dict[str, Any]
    lines: list[str] = field(default_factory=list)


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--json", action="store_true")
    arguments.add_argument("--develop", action="store_true", help="score the third that rules were made on")
    options = arguments.parse_args()
    result: dict[str, Any] = {"machine": facts()}
    for name, (folder, section) in SECTIONS.items():
        if not (options.data / folder).is_dir():
            print(f"{name} is left out: there is no {folder}")
            continue
        measured = section(options.data, options.develop)
        result[name] = measured.figures
        if not options.json:
            print("\n".join([f"== {name}", *measured.lines, ""]), flush=True)
    if not options.develop:
        save("extraction", result)
    if options.json:
        print(json.dumps(result, ensure_ascii=False))


def _abstracts(data: Path, develop: bool) -> Section:
    found = extraction_attributes.measure(data, develop=develop)
    cost = 1000 * found.cpu_seconds / max(found.characters / 300, 1)
    figures = {"documents": found.documents, "cpu_ms_per_300_characters": round(cost, 2)}
    lines = [f"{found.documents} documents, {cost:.2f} ms CPU per 300 characters for all that is extracted", _HEAD]
    for name, score in found.scores.items():
        figures[name] = score.row()
        lines.append(_line(name, score))
        lines += _examples(score, 3)
    return Section(figures, lines)


def _indicators(data: Path, develop: bool) -> Section:
    figures: dict[str, Any] = {}
    lines = [_HEAD]
    for name, sector in extraction_indicators.measure(data, develop=develop).items():
        figures[name] = {
            **sector.score.row(), "documents": sector.documents, "recall_of_places": round(sector.place.recall, 4),
            "gold_of_unknown_measures": sector.unknown, "facts_outside_of_gold_sentences": sector.outside,
        }  # fmt: skip
        lines.append(_line(name, sector.score) + f"  number found {sector.place.recall:.3f}")
        lines += _examples(sector.score, 10)
    return Section(figures, lines)


def _gold(data: Path, develop: bool) -> Section:
    """All of it: it is small."""
    scores = extraction_gold.measure(data)
    lines = [f"{'found':28} {'recall':>9} {'right':>6} {'gold':>6}"]
    for name, score in scores.items():
        lines.append(f"{name:28} {score.recall:9.3f} {score.right:6} {score.gold:6}")
    missed = [line for score in scores.values() for line in score.missed]
    lines += [f"  missed {line}" for line in examples(missed)]
    return Section({name: {"recall": round(s.recall, 4), "gold": s.gold} for name, s in scores.items()}, lines)


def _events(data: Path, develop: bool) -> Section:
    return _told(extraction_events.measure(data / "extraction" / "events", develop=develop))


def _links(data: Path, develop: bool) -> Section:
    """Those of FinRE and of the fictional world, by a split of their own."""
    return _told(extraction_links.run(data, Gazetteer.load(), load_settled()))


def _names(data: Path, develop: bool) -> Section:
    found = extraction_names.measure(data, develop=develop)
    scores = {**found.scores, **found.kinds}
    lines = [f"{found.companies} companies", _HEAD, *(_line(name, score) for name, score in scores.items())]
    return Section({"companies": found.companies, **{name: score.row() for name, score in scores.items()}}, lines)


def _world(data: Path, develop: bool) -> Section:
    """All of it: nothing was developed on its numbers, some wordings were looked at."""
    scores = extraction_world.measure(data)
    lines = [_HEAD]
    for name, score in sorted(scores.items()):
        lines += [_line(name.removeprefix("metric:")[:16], score), *_examples(score, 2)]
    return Section({name: score.row() for name, score in scores.items()}, lines)


def _llm(data: Path, develop: bool) -> Section:
    """What a language model would take, beside what LightRAG took and what is wanted; nothing is sent."""
    figures = {name: taken.row() for name, taken in extraction_llm.measure(data).items()}
    lines = [f"{'1,000 passages':18} {'calls':>7} {'tokens':>11}   {'of 300 characters: calls':>25} {'tokens':>11}"]
    for name, row in figures.items():
        lines.append(
            f"{name:18} {row['calls_per_1000_passages']:7,} {row['tokens_per_1000_passages']:11,}"
            f"   {row['calls_per_300k_characters']:25,} {row['tokens_per_300k_characters']:11,}"
        )
    for name, other in (("LightRAG", extraction_llm.LIGHTRAG), ("wanted", extraction_llm.WANTED)):
        lines.append(f"{name:18} {other['calls']:7,} {other['tokens']:11,}")
    return Section({**figures, "LightRAG": extraction_llm.LIGHTRAG, "wanted": extraction_llm.WANTED}, lines)


def _told(figures: Mapping[str, Any]) -> Section:
    """Figures of a module that prints them as they are; examples are told and not saved."""
    kept = {name: value for name, value in figures.items() if not name.startswith(("examples", "missed"))}
    return Section(
        kept, [f"{name:28} {json.dumps(value, ensure_ascii=False)[:400]}" for name, value in figures.items()]
    )


def _line(name: str, score: Score) -> str:
    return f"{name:16} {score.precision:9.3f} {score.recall:9.3f} {score.right:6} {score.said:6} {score.gold:6}"


def _examples(score: Score, n: int) -> list[str]:
    missed = [f"  missed {line[:240]}" for line in examples(score.missed, n)]
    return missed + [f"  wrong  {line[:240]}" for line in examples(score.wrong, n)]


SECTIONS: Final[Mapping[str, tuple[str, Callable[[Path, bool], Section]]]] = {
    "abstracts": ("reports/abstracts", _abstracts),
    "indicators": ("reports/indicators", _indicators),
    "graph_gold": ("reports/graph_gold", _gold),
    "events": ("extraction/events", _events),
    "world": ("finance_multihop", _world),
    "links": ("extraction/relations", _links),
    "names": ("market", _names),
    "language model": ("reports", _llm),
}

if __name__ == "__main__":
    main()
