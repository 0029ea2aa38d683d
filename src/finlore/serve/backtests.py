"""Backtests as text for people: tables of strategies and benchmarks, what they are held against, and what is to be said
of them."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len

from finlore.records.instant import end_of_day, isoformat
from finlore.records.run import BacktestRun
from finlore.serve.tearsheet.answer import answer
from finlore.serve.tearsheet.cells import Row, Table, definitions
from finlore.serve.tearsheet.drawing import shortened
from finlore.serve.tearsheet.ranking import ranked
from finlore.serve.tearsheet.tables import Tables
from finlore.serve.terminal import note, printable, say
from finlore.serve.words import NOTICE, Json

_ISSUES: Final = 20
_STRATEGIES: Final = 20
_NAME: Final = 36  # columns of a name
_WORDS: Final = re.compile(r"\S+(?: %)?")


def listed(records: Iterable[BacktestRun]) -> list[Json]:
    """Rows as `runs list` has them for answers."""
    return [
        {
            "run": record.run,
            "created_at": isoformat(record.created_at),
            "question": _asked(record),
            "as_of": isoformat(end_of_day(record.request.until)),
            "after": None,
            "found": True,
            "redacted": [],
        }
        for record in records
    ]


def _asked(record: BacktestRun) -> str:
    """What was tested by which rules, and what did best."""
    request = record.request
    entry = (request.entry or "next_close").replace("_", " ")
    costs = "costs of the mode" if request.cost_bps is None else f"{request.cost_bps:g} bp a side"
    rules = f"backtest {request.since} to {request.until}, {request.mode}, entry {entry}, {costs}"
    return f"{rules}: {', '.join(request.strategies) or 'all strategies'}{_best(json.loads(record.document))}"


def _best(document: Json) -> str:
    try:
        total, name = max((row["total"], row["name"]) for row in document["strategies"] if row["total"] is not None)
        return f"; best {name} {total:+.1%}"
    except (LookupError, TypeError, ValueError):  # of few sessions or no strategies, or forged
        return ""


def show(document: Json) -> None:
    """What an analyst asks first; the page and the document hold the rest."""
    order, rules = ranked(document, best=_STRATEGIES), document["rules"]
    tables = Tables(order.document, definitions(), order.styles, most=_STRATEGIES)
    weeks = f"weeks {document['weeks']}, weekly returns {document['weekly_returns']}"
    entry = rules["entry"].replace("_", " ")
    say(f"Backtest {document['since']} to {document['until']}: {weeks}, {rules['mode']}, entry {entry}", "bold")
    if told := answer(order.document):
        say(told)
    _warnings(document)
    _tell(tables.results)
    if document["strategies"]:
        _tell(tables.calls)
        _tell(tables.confidences)
        _tell(tables.chance)
        say(f"PBO {tables.overfitting}")
        _tell(tables.trading)
        _tell(tables.around)
    for table in (*tables.evaluations, *filter(None, [tables.market])):
        _tell(table)
    say("")
    for remark in document["honesty"]:
        say(f"{remark['what']}: {remark['words']}", "dim")
    say("what each term means, with its formula: at the end of the page that --html FILE writes", "dim")
    run = f"run {document['run']} · " if document.get("run") else ""
    say(f"{run}{NOTICE}", "dim")


def _warnings(document: Json) -> None:
    """What is wrong with the inputs: who does not know it misreads every figure."""
    told = (issue for owner in (*document["strategies"], document) for issue in owner["issues"])
    issues = list({(issue["message"], issue["line"]): issue for issue in reversed(list(told))}.values())[::-1]
    for issue in issues[:_ISSUES]:
        line = f", line {issue['line']}" if issue["line"] else ""
        note(f"! {issue['source']}{line}: {issue['message']}", "yellow")
    if len(issues) > _ISSUES:
        note(f"… and {len(issues) - _ISSUES} more; --json lists all")


def _tell(table: Table) -> None:
    """A table whose columns stand one below the other, and what has none."""
    rows = (*table.rows, *table.below)
    if rows and table.columns:
        say("")
        say(table.caption, "bold")
        body = [(_named(row), *(cell.text for cell in row.cells)) for row in rows]
        heads = _heads(["", *(column.head for column in table.columns)])
        _columns(heads, body, [True, *(column.is_words for column in table.columns)])
    if table.rest:
        n = len(table.rest)
        say(f"… and {n} more {'strategies' if n > 1 else 'strategy'}; --json and --html tell of all", "dim")
    if table.remark and (rows or table.rest):
        say(table.remark, "dim")


def _named(row: Row) -> str:
    return shortened(" ".join(filter(None, (row.note, row.name))), _NAME)


def _heads(heads: Sequence[str]) -> list[tuple[str, ...]]:
    """Two lines, the second of which is never empty, as narrow as words allow."""
    halves = []
    for head in heads:
        words = _WORDS.findall(head)
        splits = [(" ".join(words[:n]), " ".join(words[n:])) for n in range(len(words) or 1)]
        halves.append(min(splits, key=lambda split: max(map(cell_len, split))))
    lines = list(zip(*halves, strict=True))
    return lines if any(lines[0]) else lines[1:]


def _columns(heads: Sequence[tuple[str, ...]], rows: Sequence[tuple[str, ...]], is_words: Sequence[bool]) -> None:
    """One line a row however wide it is, for a figure that is cut says nothing."""
    lines = [tuple(map(printable, line)) for line in (*heads, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for number, line in enumerate(lines):
        gaps = (" " * (width - cell_len(cell)) for cell, width in zip(line, widths, strict=True))
        cells = (cell + gap if left else gap + cell for cell, gap, left in zip(line, gaps, is_words, strict=True))
        say("  ".join(cells).rstrip(), "dim" if number < len(heads) else "")
