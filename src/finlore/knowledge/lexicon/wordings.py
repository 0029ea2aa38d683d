"""Every wording that the event extractor knows, in one automaton: cues of the schema, and the words around them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from finlore.errors import ConfigurationError
from finlore.intake.tables.labels import read_label
from finlore.knowledge.lexicon.cues import CueMatch, CueMatcher
from finlore.records.schema import Cue, EventType, Schema
from finlore.resources import load_rows, load_toml

_SIGNS: Final = {"good": 1, "bad": -1}
_MOVES: Final = {"up": 1, "down": -1}
_JUDGED: Final = {"better": 1, "worse": -1}
_PAIRS: Final = (  # a role, its wordings, and those that only look like them; the longer one stands
    ("negation", "negations", "not_negations"),
    ("supposed", "hypothetical", "not_hypothetical"),
    ("risk", "risk", "no_risk"),
    ("expected", "expected", "not_expected"),
    ("company", "company", "not_company"),
    ("others", "others", ""),
    ("boilerplate", "boilerplate", ""),
    ("risks", "risks", ""),
    ("title", "titles", ""),
    ("valuation", "valuation", ""),
    ("event", "", "no_events"),
    ("measure", "", "no_measures"),
)


@dataclass(frozen=True, slots=True)
class Wording:
    """What a wording is: a `role`, and by role the type of event, the sign (+1 up or good, -1), the metric.

    Roles: event, move, judged, measure, derived, because (the cause follows), thereby (it went before), ends, negation,
    supposed, risk, risks, expected, company, others, boilerplate, title, valuation; "" only looks
    like one of its `group`.
    """

    role: str
    group: str
    event: EventType | None = None
    sign: int = 0
    metric: str = ""
    is_weak: bool = False


Match = CueMatch[Wording]


@dataclass(frozen=True, slots=True)
class Wordings:
    """Finds wordings by their role; of those of a group that stand inside one another only the longest."""

    matcher: CueMatcher[Wording]

    def find(self, text: str) -> dict[str, list[Match]]:
        """Role -> matches from left to right."""
        matches = sorted(self.matcher.find_all(text), key=lambda match: (match.start, -match.end))
        looks = [match for match in matches if not match.owner.role]
        found: dict[str, list[Match]] = {}
        reach: dict[str, tuple[int, int]] = {}
        for match in matches:
            wording = match.owner
            if any(_is_part(match, look) for look in looks):
                continue
            start, end = reach.get(wording.group, (-1, -1))
            if match.end > end or (match.start, match.end) == (start, end):
                reach[wording.group] = (match.start, match.end)
                found.setdefault(wording.role, []).append(match)
        return found


def _is_part(match: Match, look: Match) -> bool:
    """Whether what stands there only looks like the wording, or like the first part of one with a gap."""
    return (
        match.owner.group == look.owner.group
        and match is not look
        and look.start <= match.start
        and match.head_end <= look.end
        and match.head_end - match.start < look.end - look.start
    )


@lru_cache(maxsize=4)
def wordings_of(schema: Schema) -> Wordings:
    """The wordings for a schema; measures whose type of event the schema lacks are left out."""
    events = {event.id: event for driver in schema.drivers for event in driver.events}
    return Wordings(CueMatcher([*_cues(events), *_measures(events), *_words()]))


def _cues(events: dict[str, EventType]) -> Iterator[tuple[Cue, Wording]]:
    for event in events.values():
        for cue in event.cues:
            yield cue, Wording("event", "event", event, _SIGNS.get(cue.direction, 0))


def _measures(events: dict[str, EventType]) -> Iterator[tuple[Cue, Wording]]:
    """Measures by the words of the data files, then by the names of the metric lexicon."""
    table = load_toml("lexicon/events.toml")
    seen: set[str] = set()
    for key, lists in table["measures"].items():
        for direction, words in lists.items():
            for word in words if key in events else ():
                seen.add(word.lower())
                metric = read_label(word.removesuffix("*")).id
                yield Cue(word), Wording("measure", "measure", events[key], _sign(direction), metric)
    kinds = {f"metric:{name}": (_sign(way), key) for way, ids in table["metrics"].items() for name, key in ids.items()}
    for _, name, also, metric in islice(load_rows("names/metrics.tsv", 4), 1, None):
        sign, key = kinds.get(metric, (0, ""))
        for word in (name, *also.split("|")):
            if len(word) > 1 and word.lower() not in seen:
                seen.add(word.lower())
                yield Cue(word), Wording("measure", "measure", events.get(key), sign, metric)
    for direction, words in table["derived"].items():
        for word in words:
            yield Cue(word), Wording("derived", "derived", None, _sign(direction))


def _sign(direction: str) -> int:
    if direction not in _SIGNS:
        raise ConfigurationError(f"lexicon/events.toml: '{direction}' is neither good nor bad")
    return _SIGNS[direction]


def _words() -> Iterator[tuple[Cue, Wording]]:
    table = load_toml("lexicon/events.toml")
    for way, words in table["moves"].items():
        role = "move" if way in _MOVES else "judged"
        for word in words:
            yield Cue(word), Wording(role, "move", None, (_MOVES | _JUDGED)[way])
    for role, shows, denies in _PAIRS:
        for word in table["context"][shows] if shows else ():
            yield Cue(word), Wording(role, role)
        for word in table["context"][denies] if denies else ():
            yield Cue(word), Wording("", role)
    causes, weak = table["causes"], frozenset(table["causes"]["weak"])
    for role, key in (("because", "before"), ("thereby", "after")):
        for word in causes[key]:
            yield Cue(word), Wording(role, "cause", is_weak=word in weak)
    for word in causes["none"]:
        yield Cue(word), Wording("", "cause")
    for word in causes["ends"]:
        yield Cue(word), Wording("ends", "ends")
