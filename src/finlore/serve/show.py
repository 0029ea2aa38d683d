"""The JSON documents of `words` as text for people. Document text is shown literally: markup in it means nothing."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Column, Table

from finlore.serve import published, review_words
from finlore.serve.days import both, cited, stated, whom
from finlore.serve.terminal import fits, indented, literal, log, note, out, printable, say
from finlore.serve.words import Json

Report = Callable[[int, int | None, str], None]
_RUN_NAME = 16
_QUESTION = 160  # characters
_NEW = ("added", "new_version")


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
            bar.update(task, completed=done, total=total, what=printable(what)[-40:], rate=rate)

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
        note(f"{verb}: {done}{left}, {rate:.1f}/s, {what}")

    return report


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(max(0.0, seconds)), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {seconds} s"


def ingested(document: Json) -> None:
    shown = [d for d in document["documents"] if d["status"] == "rejected" or d["notes"]]
    for row in shown[:50]:
        note(f"{row['status']}: {row['source']}: {row['reason'] or '; '.join(row['notes'])}")
    if len(shown) > 50:
        note(f"… and {len(shown) - 50} more; --json lists all")
    if remembered := sum(d["status"] == "rejected" and bool(d["notes"]) for d in shown):
        note(f"{remembered} rejected as before, without being read again; --retry reads them")
    if undated := sum(d["status"] in _NEW and d["published_at"] is None for d in document["documents"]):
        note(f"{undated} without a printed date: known from today, so that an earlier --as-of does not see them")
    for line in review_words.quality(document["documents"]):
        note(line)
    counts = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in document["totals"].items() if n)
    spent = f"{document['seconds']:.1f} s ({document['cpu_seconds']:.1f} s CPU)"
    say(f"{counts or 'nothing to ingest'} in {spent}, no LLM call")


def embedded(document: Json) -> None:
    say(f"{document['embedded']} passages embedded with {document['model']}, {document['remaining']} remaining")


def searched(document: Json) -> None:
    if document["unknown_names"]:
        note("not known at this date: " + ", ".join(document["unknown_names"]))
    for rank, row in enumerate(document["passages"], 1):
        _passage(rank, row, f"{row['score']:.3f}")
    if not document["passages"]:
        say("nothing found")


def entity(document: Json) -> None:
    say(f"{document['name']}  {document['id']}  ({document['kind']}, {document['n_passages']} passages)", "bold")
    say("also: " + ", ".join(document["aliases"]))
    table = Table("occurs with", "shared weight", box=None, pad_edge=False)
    for row in document["neighbours"][:15]:
        table.add_row(literal(row["name"]), f"{row['weight']:.2f}")
    out.print(table)
    _facts([row for row in document["facts"] if row["until"] is None][-15:])
    _events(document["events"][-10:])
    for rank, row in enumerate(document["passages"][:5], 1):
        _passage(rank, row)


def facts(document: Json) -> None:
    _facts(document["facts"])
    if not document["facts"]:
        say("nothing is stated")


def events(document: Json) -> None:
    _events(document["events"])
    if not document["events"]:
        say("nothing is known to have happened")


def _facts(rows: list[Json]) -> None:
    for row in rows:
        until = f"until {row['until'][:10]}" if row["until"] else ""
        over = row["valid_to"] if row["valid_to"] != row["valid_from"] else None
        ended = f"ended {over[:10]}" if over and row["object"] else ""
        doubt = f"contradicted by {len(row['contradicts'])}" if row["contradicts"] else ""
        said = f"{whom(row)}  {_matter(row)}: {stated(row)}"
        say("  ".join(filter(None, ((row["known_at"] or "")[:10], said, until, ended, doubt))))
        changed = f"{row['status']}: {row['note']}" if row["status"] != "stated" else ""
        source = "  ".join(filter(None, (cited(row["source"]), changed)))
        quote = row["source"]["quote"]
        quoted = f"{source}  “{quote}”"
        is_quoted = row["value"] is None and quote not in said and fits(quoted, 3)
        indented(quoted if is_quoted else source, 3, "dim")


def _events(rows: list[Json]) -> None:
    for row in rows:
        frame = "  ".join(filter(None, ((row["known_at"] or "")[:10], both(row["label"]))))
        say(f"{frame}  ({row['direction']} for {whom(row)})", "bold")
        indented(row["source"]["quote"], 3)
        indented(cited(row["source"]), 3, "dim")


def _matter(row: Json) -> str:
    return " ".join(filter(None, (both(row["label"]), row["part"], row["bound"], row["period"], row["basis"])))


def edge(document: Json) -> None:
    for rank, row in enumerate(document["edge"], 1):
        _passage(rank, row)
    if not document["edge"]:
        say("they share no passage")


def tables(document: Json) -> None:
    for number, found in enumerate(document["tables"], 1):
        where = f"page {found['page']}" if found["page"] else ""
        say("  ".join(filter(None, (f"{number}.", found["caption"], where, found["unit"]))), "bold")
        header, *rows = found["rows"]
        grid = Table(*(Column(printable(name), overflow="fold") for name in header), box=None, pad_edge=False)
        for row in rows:
            grid.add_row(*map(printable, row))
        out.print(grid)
        known = sum(bool(value["metric"]) for value in found["values"])
        say(f"{len(found['values'])} numbers read, {known} of a known measure", "dim")
        for doubt in found["doubts"]:
            note(f"! {doubt}", "yellow")
    if not document["tables"]:
        say("no table in it")


def name_paths(document: Json) -> None:
    for path in document["paths"]:
        say("  →  ".join(path["names"]))
        for ids, titles in zip(path["passages"], path["titles"], strict=True):
            shown = [title or passage for passage, title in zip(ids, titles, strict=True)]
            indented("; ".join(dict.fromkeys(shown[:3])), 4, "dim")
    if not document["paths"]:
        say("no connection found")


def answered(document: Json) -> None:
    for line in document["answer"].split("\n"):
        say(line)
    say("")
    for found in document["citations"]:
        page = f", p. {found['page']}" if found["page"] else ""
        known = (found["known_at"] or "")[:10]
        say(f"[{found['n']}] {found['title'] or found['document']}{page}  {known}", "dim")
        indented(found["document"], 4, "dim")
    for flag in document["flags"]:
        note(f"! {flag}", "yellow")
    as_of = (document["as_of"] or "now")[:10]
    run = f"run {document['run']} · " if document["run"] else ""  # a workspace that cannot be written keeps none
    say(f"as of {as_of} · {run}{document['notice']}", "dim")


def status(document: Json, *, whole: bool = False) -> None:
    """`whole`: with all published graphs."""
    say(f"workspace {document['workspace']}  schema {document['schema']}", "bold")
    for part in ("counts", "sizes"):
        table = Table(part, "", box=None, pad_edge=False)
        for name, value in document[part].items():
            table.add_row(name, f"{value:,}")
        out.print(table)
    say(f"derived files at sequence {document['derived']['sequence']}, {document['derived']['behind']} behind")
    say(f"content digest {document['digest']}")
    published.show(document["graphs"], whole=whole)
    for problem in document["problems"]:
        note(f"! {problem}", "yellow")


def findings(document: Json) -> None:
    for row in document["checks"]:
        mark, style = ("ok", "") if row["fine"] else ("! ", "yellow")
        say(f"{mark}  {row['subject']}: {row['message']}", style)
        if row["fix"]:
            say(f"      {row['fix']}", "dim")


def settings(document: Json) -> None:
    table = Table("setting", "value", "from", box=None, pad_edge=False)
    for row in document["settings"]:
        table.add_row(row["key"], literal(str(row["value"])), literal(row["from"]))
    out.print(table)


def runs(document: Json) -> None:
    run = Column("run", min_width=_RUN_NAME, no_wrap=True)  # cut, it could not be replayed
    table = Table(run, "when", "as of", "question", box=None, pad_edge=False)
    for row in document["runs"]:
        when = datetime.fromisoformat(row["created_at"]).isoformat(timespec="minutes")
        table.add_row(row["run"], when, (row["as_of"] or "")[:10], literal(row["question"][:_QUESTION]))
    out.print(table)
    for message in document["damaged"]:
        note(f"! {message}", "yellow")


def replayed(document: Json) -> None:
    say(f"run {document['run']}: {'the same' if document['equal'] else document['difference']}")


def plain(document: Json) -> None:
    for name, value in document.items():
        written = ", ".join(map(str, value)) if isinstance(value, list) else value
        say(f"{name}: {written or 'nothing by that name'}")


def _passage(rank: int, row: Json, score: str = "") -> None:
    page = f"  p. {row['page']}" if row["page"] else ""
    parts = (f"{rank}. {row['title'] or row['document']}{page}", (row["known_at"] or "")[:10], score)
    say("  ".join(filter(None, parts)), "bold")
    indented(row["document"], 3, "dim")
    indented(row["reading"], 3)
    say("")
