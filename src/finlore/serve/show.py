"""The JSON documents of `words` as text for people. Document text is shown literally: markup in it means nothing."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Column, Table
from rich.text import Text

from finlore.serve.words import Json

Report = Callable[[int, int | None, str], None]
_RUN_NAME = 16
_NEW = ("added", "new_version")
out = Console(highlight=False, markup=False, emoji=False)
log = Console(stderr=True, highlight=False, markup=False, emoji=False)


@contextmanager
def progress(verb: str, *, every_seconds: float = 30.0) -> Iterator[Report]:
    """Tells on stderr how far a verb is, how fast, and how long it will take: with a bar on a terminal, else in a line
    now and then. Yields ``report(done, total, what)``."""
    if not log.is_terminal:
        yield _lines(verb, every_seconds)
        return
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(), TimeRemainingColumn(), TextColumn("{task.fields[what]}", markup=False),
    )  # fmt: skip
    with Progress(*columns, console=log, transient=True) as bar:
        task = bar.add_task(verb, total=None, what="", rate="")

        def report(done: int, total: int | None, what: str) -> None:
            elapsed = bar.tasks[0].elapsed or 0
            rate = f"{done / elapsed:.1f}/s" if elapsed > 1 else ""
            bar.update(task, completed=done, total=total, what=_printable(what)[-40:], rate=rate)

        yield report


def _lines(verb: str, every_seconds: float) -> Report:
    began = told = time.monotonic()

    def report(done: int, total: int | None, what: str) -> None:
        nonlocal told
        at = time.monotonic()
        if at - told < every_seconds:
            return
        told = at
        rate = done / (at - began)
        known = total is not None and rate > 0
        left = f" of about {total}, {_duration((total - done) / rate)} left" if total is not None and known else ""
        _note(f"{verb}: {done}{left}, {rate:.1f}/s, {what}")

    return report


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(max(0.0, seconds)), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {seconds} s"


def ingested(document: Json) -> None:
    shown = [d for d in document["documents"] if d["status"] == "rejected" or d["notes"]]
    for row in shown[:50]:
        _note(f"{row['status']}: {row['source']}: {row['reason'] or '; '.join(row['notes'])}")
    if len(shown) > 50:
        _note(f"… and {len(shown) - 50} more; --json lists all")
    if remembered := sum(d["status"] == "rejected" and bool(d["notes"]) for d in shown):
        _note(f"{remembered} rejected as before, without being read again; --retry reads them")
    if undated := sum(d["status"] in _NEW and d["published_at"] is None for d in document["documents"]):
        _note(f"{undated} without a printed date: known from today, so that an earlier --as-of does not see them")
    counts = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in document["totals"].items() if n)
    spent = f"{document['seconds']:.1f} s ({document['cpu_seconds']:.1f} s CPU)"
    _say(f"{counts or 'nothing to ingest'} in {spent}, no LLM call")


def embedded(document: Json) -> None:
    _say(f"{document['embedded']} passages embedded with {document['model']}, {document['remaining']} remaining")


def searched(document: Json) -> None:
    if document["unknown_names"]:
        _note("not known at this date: " + ", ".join(document["unknown_names"]))
    for rank, row in enumerate(document["passages"], 1):
        _passage(rank, row, f"{row['score']:.3f}")
    if not document["passages"]:
        _say("nothing found")


def entity(document: Json) -> None:
    _say(f"{document['name']}  {document['id']}  ({document['kind']}, {document['n_passages']} passages)", "bold")
    _say("also: " + ", ".join(document["aliases"]))
    table = Table("occurs with", "shared weight", box=None, pad_edge=False)
    for row in document["neighbours"][:15]:
        table.add_row(_text(row["name"]), f"{row['weight']:.2f}")
    out.print(table)
    _facts([row for row in document["facts"] if row["until"] is None][-15:])
    _events(document["events"][-10:])
    for rank, row in enumerate(document["passages"][:5], 1):
        _passage(rank, row)


def facts(document: Json) -> None:
    _facts(document["facts"])
    if not document["facts"]:
        _say("nothing is stated")


def events(document: Json) -> None:
    _events(document["events"])
    if not document["events"]:
        _say("nothing is known to have happened")


def timeline(document: Json) -> None:
    rows = [row for row in document["timeline"] if row["change"] != "confirmed"]
    for row in rows:
        before = f"{_stated(row['before'])} → " if row["change"] == "superseded" else ""
        whose = row["subject_name"] if row["subject"] != document["entity"] else ""
        said = f"{_matter(row)}: {before}{_stated(row)}"
        _say("  ".join(filter(None, (row["at"][:10], row["change"], whose, said))))
        _indented(_cited(row["source"]), 3, "dim")
    if confirmed := len(document["timeline"]) - len(rows):
        _say(f"{confirmed} statements say again what was known", "dim")
    _events(document["events"])
    if document["from"]:
        counts = Counter(row["change"] for row in document["difference"])
        said = ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items()))
        _say(f"{document['from'][:10]} and {(document['to'] or 'now')[:10]} differ: {said or 'in nothing'}")
    elif not (document["timeline"] or document["events"]):
        _say("nothing is stated")


def _facts(rows: list[Json]) -> None:
    for row in rows:
        until = f"until {row['until'][:10]}" if row["until"] else ""
        doubt = f"contradicted by {len(row['contradicts'])}" if row["contradicts"] else ""
        said = f"{row['subject_name']}  {_matter(row)}: {_stated(row)}"
        _say("  ".join(filter(None, ((row["known_at"] or "")[:10], said, until, doubt))))
        _indented(_cited(row["source"]), 3, "dim")


def _events(rows: list[Json]) -> None:
    for row in rows:
        frame = "  ".join(filter(None, ((row["known_at"] or "")[:10], row["label"]["zh"], row["label"]["en"])))
        _say(f"{frame}  ({row['direction']} for {row['subject_name']})", "bold")
        _indented(row["source"]["quote"], 3)
        _indented(_cited(row["source"]), 3, "dim")


def _matter(row: Json) -> str:
    return " ".join(
        filter(None, (row["label"]["zh"], row["label"]["en"], row["part"], row["bound"], row["period"], row["basis"]))
    )


def _stated(row: Json) -> str:
    number = "" if row["value"] is None else f"{row['value']:.10g}{row['unit']}"
    return "  ".join(filter(None, (row["object_name"], number))) or row["text"]


def _cited(source: Json) -> str:
    page = f", p. {source['page']}" if source["page"] else ""
    return f"{source['title'] or source['document']}{page}"


def edge(document: Json) -> None:
    for rank, row in enumerate(document["edge"], 1):
        _passage(rank, row)
    if not document["edge"]:
        _say("they share no passage")


def tables(document: Json) -> None:
    for number, found in enumerate(document["tables"], 1):
        where = f"page {found['page']}" if found["page"] else ""
        _say("  ".join(filter(None, (f"{number}.", found["caption"], where, found["unit"]))), "bold")
        header, *rows = found["rows"]
        grid = Table(*(Column(_printable(name), overflow="fold") for name in header), box=None, pad_edge=False)
        for row in rows:
            grid.add_row(*map(_printable, row))
        out.print(grid)
        known = sum(bool(value["metric"]) for value in found["values"])
        _say(f"{len(found['values'])} numbers read, {known} of a known measure", "dim")
        for doubt in found["doubts"]:
            _note(f"! {doubt}", "yellow")
    if not document["tables"]:
        _say("no table in it")


def name_paths(document: Json) -> None:
    for path in document["paths"]:
        _say("  →  ".join(path["names"]))
        for ids, titles in zip(path["passages"], path["titles"], strict=True):
            shown = [title or passage for passage, title in zip(ids, titles, strict=True)]
            _indented("; ".join(dict.fromkeys(shown[:3])), 4, "dim")
    if not document["paths"]:
        _say("no connection found")


def answered(document: Json) -> None:
    for line in document["answer"].split("\n"):
        _say(line)
    _say("")
    for cited in document["citations"]:
        page = f", p. {cited['page']}" if cited["page"] else ""
        known = (cited["known_at"] or "")[:10]
        _say(f"[{cited['n']}] {cited['title'] or cited['document']}{page}  {known}", "dim")
        _indented(cited["document"], 4, "dim")
    for flag in document["flags"]:
        _note(f"! {flag}", "yellow")
    as_of = (document["as_of"] or "now")[:10]
    run = f"run {document['run']} · " if document["run"] else ""  # a workspace that cannot be written keeps none
    _say(f"as of {as_of} · {run}{document['notice']}", "dim")


def status(document: Json) -> None:
    _say(f"workspace {document['workspace']}", "bold")
    for part in ("counts", "sizes"):
        table = Table(part, "", box=None, pad_edge=False)
        for name, value in document[part].items():
            table.add_row(name, f"{value:,}")
        out.print(table)
    _say(f"derived files at sequence {document['derived']['sequence']}, {document['derived']['behind']} behind")
    _say(f"content digest {document['digest']}")
    for problem in document["problems"]:
        _note(f"! {problem}", "yellow")


def findings(document: Json) -> None:
    for row in document["checks"]:
        mark, style = ("ok", "") if row["fine"] else ("! ", "yellow")
        _say(f"{mark}  {row['subject']}: {row['message']}", style)
        if row["fix"]:
            _say(f"      {row['fix']}", "dim")


def settings(document: Json) -> None:
    table = Table("setting", "value", "from", box=None, pad_edge=False)
    for row in document["settings"]:
        table.add_row(row["key"], _text(str(row["value"])), _text(row["from"]))
    out.print(table)


def runs(document: Json) -> None:
    run = Column("run", min_width=_RUN_NAME, no_wrap=True)  # cut, it could not be replayed
    table = Table(run, "when", "as of", "question", box=None, pad_edge=False)
    for row in document["runs"]:
        table.add_row(row["run"], row["created_at"][:16], (row["as_of"] or "")[:10], _text(row["question"][:60]))
    out.print(table)


def replayed(document: Json) -> None:
    _say(f"run {document['run']}: {'the same answer' if document['equal'] else document['difference']}")


def plain(document: Json) -> None:
    for name, value in document.items():
        written = ", ".join(map(str, value)) if isinstance(value, list) else value
        _say(f"{name}: {written or 'nothing by that name'}")


def _passage(rank: int, row: Json, score: str = "") -> None:
    page = f"  p. {row['page']}" if row["page"] else ""
    parts = (f"{rank}. {row['title'] or row['document']}{page}", (row["known_at"] or "")[:10], score)
    _say("  ".join(filter(None, parts)), "bold")
    _indented(row["document"], 3, "dim")
    _indented(row["reading"], 3)
    _say("")


def _indented(text: str, by: int, style: str = "") -> None:
    if out.is_terminal:
        out.print(Padding(_text(text, style), (0, 0, 0, by), expand=False))
    else:
        _say(" " * by + text, style)


def _say(text: str, style: str = "") -> None:
    _line(out, text, style)


def _note(text: str, style: str = "") -> None:
    _line(log, text, style)


def _line(console: Console, text: str, style: str) -> None:
    """Folded at the width of a terminal; in a pipe or file one line stays one line, so that it can be searched."""
    console.print(_text(text, style), soft_wrap=not console.is_terminal)


def _text(text: str, style: str = "") -> Text:
    """Literal text, the only way to the terminal: markup means nothing, and control, bidirectional and surrogate
    characters, which could rewrite what is shown, are gone."""
    return Text(_printable(text), style)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
