"""What became known day by day, and how two days differ, for people: bounded, the latest days last."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from finlore.serve.terminal import indented, say
from finlore.serve.words import Json

_MOST_DAYS, _MOST_LINES, _LONGEST = 30, 12, 90
_SIGNS = {"added": "+", "superseded": "~", "ended": "-"}
_ORDER = "~-!+="


def timeline(document: Json) -> None:
    """Each day with its sources, under each what it added, changed, ended and told; then the difference of the ends."""
    days = document["days"]
    if left_out := days[:-_MOST_DAYS]:
        say(f"… {len(left_out)} days until {left_out[-1]['day']}; --from D, or --json for all", "dim")
    changes, events = _by_day(document["timeline"], "at"), _by_day(document["events"], "known_at")
    for row in days[-_MOST_DAYS:]:
        say(f"{row['day']}  {_counted(row)}", "bold")
        for source, lines in _by_source(document["entity"], changes[row["day"]], events[row["day"]]).items():
            indented(source, 2, "dim")
            _bounded(lines)
    if document["from"]:
        counts = Counter(row["change"] for row in document["difference"])
        ends = f"{document['from'][:10]} and {(document['to'] or 'now')[:10]}"
        say(f"{ends} differ: {_counted(counts) or 'in nothing'}", "bold")
        _bounded(_line(row, document["entity"]) for row in document["difference"])
    elif not days:
        say("nothing is stated")


def changes(document: Json) -> None:
    """What changed between two days, of whomever."""
    for row in document["facts"]:
        say(f"{row['at'][:10]}  {_line(row, '')}")
        indented(cited(row["source"]), 3, "dim")
    if not document["facts"]:
        say("nothing has changed")


def _by_day(rows: Iterable[Json], key: str) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = defaultdict(list)
    for row in rows:
        found[row[key][:10]].append(row)
    return found


def _by_source(entity: str, changes: Iterable[Json], events: Iterable[Json]) -> dict[str, list[str]]:
    """Source -> its lines, what changed first, then events; what only says again what was known is counted."""
    found: dict[str, list[str]] = defaultdict(list)
    again: Counter[str] = Counter()
    for row in changes:
        source = cited(row["source"])
        if row["change"] == "confirmed":
            again[source] += 1
        else:
            found[source].append(_line(row, entity))
    for row in events:
        label = both(row["label"])
        found[cited(row["source"])].append(f"! {label} ({row['direction']})  {_short(row['source']['quote'])}")
    for source, n in again.items():
        found[source].append(f"= says again {n} of what was known")
    return {source: sorted(lines, key=lambda line: _ORDER.index(line[0])) for source, lines in found.items()}


def cited(source: Json) -> str:
    """Who says it, in which document, on which page."""
    page = f"p. {source['page']}" if source["page"] else ""
    return ", ".join(filter(None, (source["broker"], source["title"] or source["document"], page)))


def whom(row: Json) -> str:
    """What the subject is called, with its code: every company under one name, however documents write it."""
    name, code = str(row["name"]), str(row["subject"])
    if ":" in code:
        return name
    return code if name in code else f"{name} {code}"


def _line(row: Json, entity: str) -> str:
    """+ 目标价 target price  21.5元 → 26.8元"""
    whose = "" if row["subject"] == entity else whom(row)
    about = " ".join(filter(None, (row["part"], row["bound"], row["period"], row["basis"])))
    value = " → ".join(stated(told) for told in (row["before"], row) if told and row["change"] != "ended")
    value = value or stated(row)
    since = f"since {row['valid_from'][:10]}" if row["valid_from"] and row["object"] else ""
    parts = (whose, both(row["label"]), about, value, since)
    return f"{_SIGNS.get(row['change'], '=')} {'  '.join(filter(None, parts))}"


def stated(row: Json) -> str:
    """What a fact says, in a few words."""
    number = "" if row["value"] is None else f"{row['value']:.10g}{row['unit']}"
    return "  ".join(filter(None, (row["name_of_object"] or row["object_name"], number))) or _short(row["text"])


def both(label: Json) -> str:
    """In Chinese and English, once where they agree."""
    return str(label["zh"]) if label["zh"] == label["en"] else f"{label['zh']} {label['en']}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _counted(counts: Json | Counter[str]) -> str:
    return ", ".join(f"{n} {kind}" for kind, n in counts.items() if kind != "day" and n)


def _bounded(lines: Iterable[str]) -> None:
    for line in _first(list(lines)):
        indented(line, 4)


def _first(lines: list[str]) -> Iterator[str]:
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"… and {len(lines) - _MOST_LINES} more"
