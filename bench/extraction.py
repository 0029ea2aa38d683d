"""What the offline extractor reads: attributes, figures, events and links against gold, and what it costs.

usage: extraction.py --data FOLDER [--json] [--develop]

FOLDER is laid out as described in its README. A third of each set, drawn by a fixed seed, is what rules were made on;
the rest is reported (--develop: that third). Sections whose data is not there are named and left out. Texts of the
documents are printed as examples and never saved.
"""

import argparse
import json
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import extraction_attributes
import extraction_gold
import extraction_indicators
from extraction_texts import Score, examples
from machine import facts, save

OTHERS: Final = {
    "events": ("extraction_events", "extraction/events"),
    "links": ("extraction_links", "extraction/relations"),
    "world": ("extraction_world", "finance_multihop"),
}


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
    sections = measure(options.data, develop=options.develop)
    result = {"machine": facts(), **{name: section.figures for name, section in sections.items()}}
    if not options.develop:
        save("extraction", result)
    tables = ("\n".join([f"== {name}", *section.lines]) for name, section in sections.items())
    print(json.dumps(result, ensure_ascii=False) if options.json else "\n\n".join(tables))


def measure(data: Path, *, develop: bool) -> dict[str, Section]:
    """The sections whose data is there."""
    found: dict[str, Section] = {}
    if (data / "reports" / "abstracts").is_dir():
        found["abstracts"] = _abstracts(data, develop)
    if (data / "reports" / "indicators").is_dir():
        found["indicators"] = _indicators(data, develop)
    if (data / "reports" / "graph_gold").is_dir():
        found["graph_gold"] = _gold(data)
    for name, (module, folder) in OTHERS.items():
        if find_spec(module) is not None and (data / folder).is_dir():
            found[name] = _other(import_module(module).measure(data / folder, develop=develop))
    for name in {"abstracts", "indicators", "graph_gold", *OTHERS} - found.keys():
        print(f"{name} is left out: it is not there")
    return found


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


def _gold(data: Path) -> Section:
    scores = extraction_gold.measure(data)
    lines = [f"{'found':28} {'recall':>9} {'right':>6} {'gold':>6}"]
    for name, score in scores.items():
        lines.append(f"{name:28} {score.recall:9.3f} {score.right:6} {score.gold:6}")
    missed = [line for score in scores.values() for line in score.missed]
    lines += [f"  missed {line}" for line in examples(missed)]
    return Section({name: {"recall": round(s.recall, 4), "gold": s.gold} for name, s in scores.items()}, lines)


def _other(figures: dict[str, Any]) -> Section:
    """A section that another module measures; its examples are printed and not saved."""
    kept = {name: value for name, value in figures.items() if not name.startswith(("examples", "missed"))}
    lines = [f"{name:28} {json.dumps(value, ensure_ascii=False)[:400]}" for name, value in figures.items()]
    return Section(kept, lines)


_HEAD = f"{'':16} {'precision':>9} {'recall':>9} {'right':>6} {'said':>6} {'gold':>6}"


def _line(name: str, score: Score) -> str:
    return f"{name:16} {score.precision:9.3f} {score.recall:9.3f} {score.right:6} {score.said:6} {score.gold:6}"


def _examples(score: Score, n: int) -> list[str]:
    missed = [f"  missed {line[:240]}" for line in examples(score.missed, n)]
    return missed + [f"  wrong  {line[:240]}" for line in examples(score.wrong, n)]


if __name__ == "__main__":
    main()
