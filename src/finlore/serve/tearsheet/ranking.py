"""Which strategies are shown first, and the one style that each keeps in all tables and drawings of a page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final

from finlore.backtest.strategies import ALWAYS_RISE
from finlore.serve.words import Json

_BEST: Final = 5
_BENCHMARKS: Final = 3  # drawn ones


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document whose strategies stand by their total net of costs, what is not known last; `styles` of those that are
    drawn, by place."""

    document: Json
    styles: Mapping[int, str]

    @property
    def drawn(self) -> list[tuple[Json, str]]:
        return [(self.document["strategies"][place], style) for place, style in self.styles.items()]

    @property
    def benchmarks(self) -> list[tuple[Json, str]]:
        return [(row, f"b{place}") for place, row in enumerate(self.document["benchmarks"][:_BENCHMARKS])]


def ranked(document: Json, *, best: int = _BEST) -> Ranked:
    """The best few and always-Rise are drawn."""
    named = [row if row["name"].strip() else row | {"name": "(no name)"} for row in document["strategies"]]
    rows = [named[place] for place in _by_total((row["name"], row["total"]) for row in named)]
    return Ranked(document | {"strategies": rows}, _shown_first([row["name"] for row in rows], best=best))


def _by_total(strategies: Iterable[tuple[str, float | None]]) -> list[int]:
    """Places of (name, total), the best first."""
    rows = [
        (False, -total, name) if total is not None and isfinite(total) else (True, 0.0, name)
        for name, total in strategies
    ]
    return sorted(range(len(rows)), key=rows.__getitem__)


def _shown_first(names: Sequence[str], *, best: int) -> dict[int, str]:
    """Styles of the best few of what is ordered, and of always-Rise, by place."""
    styles = {place: f"s{place}" for place in range(min(best, len(names)))}
    return styles | {place: "rise" for place, name in enumerate(names) if place not in styles and name == ALWAYS_RISE}
