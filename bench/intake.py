"""Intake of PDF: cells against the truth, rows against poppler, columns, speed, what is left out, OCR, a whole ingest.

usage: intake.py --data FOLDER [--json]

Every PDF below FOLDER is read; `NAME.truth.json` beside `NAME.pdf` states what its tables say. pypdfium2 (plain text),
liteparse and pdf-inspector read the same files in the same run, each reader in a process of its own; parts that are not
installed are named and left out. Text of the documents is printed and never saved.
"""

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from finlore.flows import Workspace
from finlore.records.document import NOT_INDEXED, Document
from finlore.settings import load_settings
from intake_engines import PEERS, OurReading, Reading, read_by_poppler, read_by_us
from intake_ocr import Recognised, recognise_all
from intake_records import Records, records_right
from intake_scores import (
    Truth,
    cells_right,
    changes,
    pairs_right,
    prose_whole,
    read_truth,
    rows_kept,
    rows_right,
    switches,
)
from machine import facts, save
from memory import peak_mb_of

SAMPLE = 60  # characters of what was left out
MOST_SAMPLES = 6  # of each role, the longest
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Reader:
    """All files by one reader. `peak_mb`: PSS of its process, imports included."""

    name: str
    readings: Mapping[str, Reading]
    peak_mb: float


@dataclass(frozen=True)
class Cells:
    """One truth file by one reader: what is right of what there is."""

    file: str
    reader: str
    cells: tuple[int, int]
    rows: tuple[int, int]
    pairs: tuple[int, int]
    prose: tuple[int, int]
    records: Records | None = None


@dataclass(frozen=True)
class Speed:
    reader: str
    files: int
    pages: int
    cpu_seconds: float
    peak_mb: float

    @property
    def pages_per_cpu_second(self) -> float:
        return self.pages / max(self.cpu_seconds, 1e-6)


@dataclass(frozen=True)
class LeftOut:
    """Characters of one file that are flagged and not indexed, and how they begin."""

    file: str
    characters: int
    flagged: Mapping[str, int]
    samples: tuple[tuple[str, int | None, str], ...]  # role, page, beginning


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--json", action="store_true")
    options = arguments.parse_args()
    paths = sorted(map(str, options.data.glob("**/*.pdf")))
    if not paths:
        arguments.error(f"there is no PDF below {options.data}")
    result, tables = measure(paths)
    save("intake", {"machine": facts(), **_without_text(result)})
    print(json.dumps(result, ensure_ascii=False) if options.json else "\n\n".join(tables))


def measure(paths: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """All figures by name, and the same as tables to read."""
    watched = peak_mb_of(read_by_us, paths)
    ours: dict[str, OurReading] = {one.reading.file: one for one in watched.result}
    readers = [Reader("finlore", {file: one.reading for file, one in ours.items()}, watched.peak_mb), *_peers(paths)]
    documents = {file: one.document for file, one in ours.items() if one.document}
    cells, rows = _cells(readers, documents), _rows(readers)
    columns, speeds = _columns(readers, ours), _speeds(readers, documents)
    left_out = [_left_out(file, document) for file, document in documents.items()]
    pages = {_name(file): _verdicts(document) for file, document in documents.items()}
    scans = peak_mb_of(recognise_all, [(file, _waiting(document)) for file, document in documents.items()])
    whole = {ocr: peak_mb_of(ingest, paths, ocr) for ocr in ("none", "auto")}
    result = {
        "versions": {
            name: version(name) for name in ("pypdf", *PEERS, "rapidocr") if find_spec(name.replace("-", "_"))
        },
        "files": {_name(path): ours[path].reading.problem or len(ours[path].reading.pages) for path in paths},
        "cells": [asdict(one) for one in cells],
        "rows_against_poppler": rows,
        "column_switches": columns,
        "speed": [{**asdict(one), "pages_per_cpu_second": one.pages_per_cpu_second} for one in speeds],
        "left_out": [asdict(one) for one in left_out],
        "verdicts": pages,
        "ocr": {**asdict(scans.result), "peak_mb": scans.peak_mb},
        "ingest": {ocr: {**one.result, "peak_mb": one.peak_mb} for ocr, one in whole.items()},
    }
    tables = [
        _files_table(ours),
        _cells_table(cells),
        _share_table("rows of 3 or more numbers kept, against pdftotext -layout (a ranking aid)", rows, "poppler"),
        _share_table(
            "jumps between main column and side bar on the first page, in reading order", columns, "side bars"
        ),
        _speed_table(speeds),
        _left_out_table(left_out),
        _verdicts_table(pages),
        _ocr_table(scans.result, scans.peak_mb),
        *(_ingest_table(ocr, spent) for ocr, spent in result["ingest"].items()),
    ]
    return result, tables


def _peers(paths: Sequence[str]) -> Iterable[Reader]:
    for name, read in PEERS.items():
        try:
            watched = peak_mb_of(read, paths)
        except ImportError as error:
            print(f"{name} is left out: {error}")
            continue
        yield Reader(name, {one.file: one for one in watched.result}, watched.peak_mb)


def _cells(readers: Sequence[Reader], documents: Mapping[str, Document]) -> list[Cells]:
    found: list[Cells] = []
    for file in readers[0].readings:
        truth = _truth(file)
        for reader in readers if truth else ():
            reading, records = reader.readings[file], None
            text = "\n".join(line for page in reading.pages for line in page)
            if reader.name == "finlore" and file in documents:
                text, records = documents[file].text, records_right(truth, documents[file])
            found.append(
                Cells(
                    _name(file),
                    reader.name,
                    (cells_right(truth, reading.grids), truth.n_cells),
                    (rows_right(truth, reading.grids), sum(map(len, truth.tables.values()))),
                    (pairs_right(truth, reading.grids), len(truth.pairs)),
                    (prose_whole(truth, text), len(truth.prose)),
                    records,
                )
            )
    return found


def _truth(file: str) -> Truth | None:
    path = Path(file).with_suffix(".truth.json")
    return read_truth(json.loads(path.read_text("utf-8"))) if path.is_file() else None


def _rows(readers: Sequence[Reader]) -> dict[str, dict[str, tuple[int, int]]]:
    """(kept, all) by file and reader, of files that poppler and the reader can read."""
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for file in readers[0].readings:
        reference = read_by_poppler(file)
        kept = {} if reference is None else {
            reader.name: rows_kept(reference, reader.readings[file].pages)
            for reader in readers if not reader.readings[file].problem
        }  # fmt: skip
        if any(total for _, total in kept.values()):
            found[_name(file)] = kept
    return found


def _columns(readers: Sequence[Reader], ours: Mapping[str, OurReading]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for file, one in ours.items():
        if cover := one.cover:
            read = {r.name: r.readings[file].pages[0] for r in readers[1:] if r.readings[file].pages}
            theirs = {name: switches(lines, cover.main, cover.side) for name, lines in read.items()}
            found[_name(file)] = {"finlore": changes(cover.order), **theirs}
    return found


def _speeds(readers: Sequence[Reader], documents: Mapping[str, Document]) -> list[Speed]:
    """Of files that every reader reads and that hold no page without text."""
    digital = [file for file, document in documents.items()
               if not _waiting(document) and any(block.role not in NOT_INDEXED for block in document.blocks)
               and not any(reader.readings[file].problem for reader in readers)]  # fmt: skip
    return [
        Speed(
            reader.name,
            len(digital),
            sum(len(reader.readings[file].pages) for file in digital),
            sum(reader.readings[file].cpu_seconds for file in digital),
            reader.peak_mb,
        )
        for reader in readers
    ]


def _left_out(file: str, document: Document) -> LeftOut:
    flagged, samples = Counter[str](), dict[tuple[str, str], tuple[str, int | None, str]]()
    for block in document.blocks:
        if block.role in NOT_INDEXED:
            flagged[block.role] += block.end - block.start
            text = " ".join(document.text[block.start : block.end].split())[:SAMPLE]
            samples.setdefault((block.role, _DIGITS.sub("#", text)), (block.role, block.page, text))
    return LeftOut(_name(file), len(document.text), dict(flagged), tuple(samples.values()))


def _waiting(document: Document) -> list[int]:
    return [page.page for page in document.pages if page.status == "needs_ocr"]


def _verdicts(document: Document) -> dict[str, int]:
    return dict(Counter(page.status for page in document.pages)) or {"no verdict": document.n_pages or 0}


def ingest(paths: Sequence[str], ocr: str) -> dict[str, Any]:
    """The whole way of all files into a new workspace; `ocr` as in the settings."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(arguments={"workspace": Path(folder), "ocr": ocr})
        with Workspace(settings=settings) as workspace:
            report = workspace.ingest(list(paths))
    outcomes = [(_name(one.source), one.status, one.reason, one.notes) for one in report.documents]
    return {
        "seconds": report.seconds,
        "cpu_seconds": report.cpu_seconds,
        "pages": sum(one.pages or 0 for one in report.documents),
        "passages": sum(one.passages for one in report.documents),
        "statuses": dict(Counter(one.status for one in report.documents)),
        "outcomes": outcomes,
    }


def _name(path: str) -> str:
    return Path(path).name


def _without_text(result: Mapping[str, Any]) -> dict[str, Any]:
    """The figures alone: what documents say stays with them."""
    left_out = [{k: v for k, v in one.items() if k != "samples"} for one in result["left_out"]]
    ocr = {k: v for k, v in result["ocr"].items() if k != "samples"}
    return {**result, "left_out": left_out, "ocr": ocr}


# tables


def _files_table(ours: Mapping[str, OurReading]) -> str:
    lines = [f"{'file':28} {'pages':>5}  truth  problem"]
    for file, one in ours.items():
        has = "yes" if _truth(file) else "-"
        lines.append(f"{_name(file)[:28]:28} {len(one.reading.pages):5}  {has:5}  {one.reading.problem}")
    return "\n".join(lines)


def _cells_table(cells: Sequence[Cells]) -> str:
    if not cells:
        return "cells: there is no truth file beside any PDF"
    lines = [
        f"{'right of all, exactly':28} {'reader':14} {'cells':>9} {'rows':>9} {'side bar':>9} {'prose':>9}  records"
    ]
    for c in cells:
        shares = " ".join(f"{f'{right}/{total}':>9}" for right, total in (c.cells, c.rows, c.pairs, c.prose))
        lines.append(f"{c.file[:28]:28} {c.reader:14} {shares}  {c.records or '-'}")
    return "\n".join(lines)


def _share_table(title: str, rows: Mapping[str, Mapping[str, Any]], missing: str) -> str:
    if not rows:
        return f"{title}: none ({missing} not there)"
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    lines = [title, f"{'file':28} " + " ".join(f"{name:>15}" for name in names)]
    for file, row in rows.items():
        lines.append(f"{file[:28]:28} " + " ".join(f"{_share(row.get(name)):>15}" for name in names))
    total = {name: [row[name] for row in rows.values() if name in row] for name in names}
    sums = [tuple(map(sum, zip(*v, strict=True))) if isinstance(v[0], tuple) else sum(v) for v in total.values()]
    return "\n".join([*lines, f"{'all':28} " + " ".join(f"{_share(value):>15}" for value in sums)])


def _share(value: Any) -> str:
    if isinstance(value, tuple):
        kept, total = value
        return f"{kept}/{total} {kept / max(total, 1):4.0%}"
    return "-" if value is None else str(value)


def _speed_table(speeds: Sequence[Speed]) -> str:
    lines = [f"{'reader':14} {'files':>5} {'pages':>5} {'CPU s':>7} {'pages/CPU s':>11} {'peak MB':>8}"]
    for s in speeds:
        lines.append(
            f"{s.reader:14} {s.files:5} {s.pages:5} {s.cpu_seconds:7.2f} {s.pages_per_cpu_second:11.1f} "
            f"{s.peak_mb:8.0f}"
        )
    return "\n".join([*lines, "digital files without OCR; start-up left out of CPU, not of memory"])


def _left_out_table(left_out: Sequence[LeftOut]) -> str:
    lines = ["left out of the index (role, page, beginning)"]
    for one in left_out:
        flagged = ", ".join(f"{role} {n}" for role, n in one.flagged.items()) or "nothing"
        lines.append(f"{one.file}: {flagged} of {one.characters} characters")
        for role in one.flagged:
            longest = sorted((s for s in one.samples if s[0] == role), key=lambda s: -len(s[2]))[:MOST_SAMPLES]
            lines += [f"    {role:13} {page or '-':>4}  {text}" for _, page, text in longest]
    return "\n".join(lines)


def _verdicts_table(pages: Mapping[str, Mapping[str, int]]) -> str:
    lines = [f"{file[:28]:28} " + ", ".join(f"{n} {status}" for status, n in counts.items())
             for file, counts in pages.items()]  # fmt: skip
    return "\n".join(["verdicts of pages", *lines])


def _ocr_table(scans: Recognised, peak_mb: float) -> str:
    if scans.problem:
        return f"OCR: {scans.problem}"
    per_page = scans.cpu_seconds / max(scans.pages, 1)
    lines = [f"OCR: {scans.pages} pages, {per_page:.1f} CPU s each, {scans.characters} characters, {peak_mb:.0f} MB"]
    return "\n".join([*lines, *(f"    {file} {page:4}  {text}" for file, page, text in scans.samples)])


def _ingest_table(ocr: str, spent: Mapping[str, Any]) -> str:
    statuses = ", ".join(f"{n} {status}" for status, n in spent["statuses"].items())
    lines = [
        f"ingest of all, OCR {ocr}: {spent['seconds']:.1f} s, {spent['cpu_seconds']:.1f} CPU s, "
        f"{spent['peak_mb']:.0f} MB; {statuses}; {spent['pages']} pages, {spent['passages']} passages"
    ]
    for file, status, reason, notes in spent["outcomes"]:
        lines.append(f"    {file[:28]:28} {status:11} {'; '.join([reason, *notes] if reason else notes)[:160]}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
