"""Records as JSON documents: what `--json` prints, and what `show` makes tables of."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, get_args, get_type_hints

from finlore.language.reading import read_stored
from finlore.records.answer import Answer, Citation, Hit, Retrieved
from finlore.records.document import Box, Document, StoredPassage
from finlore.records.instant import Instant, isoformat
from finlore.records.names import Entity
from finlore.records.report import BackupReport, EmbedReport, Finding, IngestReport, NamePath, Neighbour
from finlore.records.run import Replay, RunRecord
from finlore.records.store import StoreStatus
from finlore.records.table import Table, TableValue

Json = dict[str, Any]
NOTICE = "AI-generated, research use, not investment advice / 由 AI 生成，仅供研究，不构成投资建议"
STATUSES = ("added", "new_version", "unchanged", "duplicate", "rejected")


def told(record: object, fields: str) -> Json:
    """These fields of a record by name: instants as ISO text with offset, a box as four numbers under `bbox`, tuples as
    lists, those of pairs as objects."""
    hints = _hints((type(record),))
    names = {field: "box" if field == "bbox" else field for field in fields.split()}
    return {field: _plain(getattr(record, name), hints.get(name)) for field, name in names.items()}


@cache
def _hints(of: tuple[type]) -> Mapping[str, object]:
    """In a tuple, for a type alone is not hashable to mypy."""
    return get_type_hints(of[0])


def _plain(value: object, hint: object) -> object:
    """An instant is a whole number to all but its type."""
    inner = get_args(hint)
    if Instant in (hint, *inner):
        return isoformat(Instant(value)) if isinstance(value, int) else None
    if isinstance(value, Box):
        return box(value)
    if isinstance(value, tuple):
        return dict(value) if get_args(inner[0])[:1] == (str,) else list(value)
    return value


def ingested(report: IngestReport) -> Json:
    fields = "id source status reason pages passages published_at known_at notes quality"
    totals = {status: report.count(status) for status in STATUSES}
    return {
        "documents": [
            {
                **told(outcome, fields),
                "page_verdicts": [
                    {**told(page, "page status reason"), "ocr": page.is_ocr} for page in outcome.page_verdicts
                ],
            }
            for outcome in report.documents
        ],
        "totals": {**totals, "skipped": report.skipped, "passages": sum(o.passages for o in report.documents)},
        "seconds": round(report.seconds, 3),
        "cpu_seconds": round(report.cpu_seconds, 3),
        "llm_calls": 0,
        "cost": 0,
    }


def embedded(report: EmbedReport) -> Json:
    return told(report, "model embedded remaining")


def searched(found: Retrieved) -> Json:
    return {
        "passages": [{**passage(hit.passage), **_ranking(hit)} for hit in found.hits],
        **told(found, "entities unknown_names method as_of"),
        "timing_ms": {name: round(value, 3) for name, value in found.timing_ms},
    }


def passage(stored: StoredPassage) -> Json:
    first = stored.sentences[0] if stored.sentences else None
    return {
        **told(stored, "id document"),
        "title": stored.metadata.title,
        "heading": stored.heading,
        "page": first.page if first else None,
        "bbox": box(first.box if first else None),
        "text": stored.text,
        "reading": " ".join(read_stored(stored, s.start, s.end) for s in stored.sentences),
        **told(stored, "start end"),
        "published_at": isoformat(stored.metadata.published_at),
        "known_at": isoformat(stored.known_at),
    }


def entity(found: Entity, neighbours: Sequence[Neighbour], passages: Sequence[StoredPassage]) -> Json:
    ids = {stored.key: stored.id for stored in passages}
    return {
        **told(found, "id name kind aliases n_passages"),
        "neighbours": [
            {"id": n.entity, **told(n, "name weight"), "passages": [ids[k] for k in n.passages if k in ids]}
            for n in neighbours
        ],
        "passages": [passage(stored) for stored in passages],
    }


def name_paths(paths: Sequence[NamePath], passages: Sequence[StoredPassage]) -> Json:
    known = {stored.key: stored for stored in passages}
    steps = [[[known[key] for key in keys if key in known] for keys in path.passages] for path in paths]
    return {
        "paths": [
            {
                **told(path, "entities names"),
                "passages": [[stored.id for stored in step] for step in between],
                "titles": [[stored.metadata.title for stored in step] for step in between],
            }
            for path, between in zip(paths, steps, strict=True)
        ]
    }


def edge(passages: Sequence[StoredPassage]) -> Json:
    return {"edge": [passage(stored) for stored in passages]}


def tables(document: Document, found: Sequence[Table], values: Sequence[TableValue]) -> Json:
    """Each table as rows of cell texts, header rows first, with the numbers that lie in it."""
    return {"document": document.id, "tables": [_table(document, table, values) for table in found]}


def _table(document: Document, table: Table, values: Sequence[TableValue]) -> Json:
    fields = "metric label value unit period basis security company page bbox row column start end"
    rows = [[""] * table.n_columns for _ in range(table.n_rows)]
    for cell in table.cells:
        rows[cell.row][cell.column] = document.text[cell.start : cell.end]
    caption = table.caption
    return {
        **told(table, "page bbox"),
        "caption": document.text[caption.start : caption.end] if caption else "",
        "unit": table.unit,
        "header_rows": table.n_header_rows,
        "rows": rows,
        "doubts": list(table.doubts),
        "values": [
            {**told(value, fields), "doubtful": value.is_doubtful}
            for value in values
            if table.start <= value.start < table.end
        ],
    }


def answered(answer: Answer, run: str | None, trace: Json) -> Json:
    return {
        "answer": answer.text,
        **told(answer, "mode found"),
        "citations": [citation(c) for c in answer.citations],
        **told(answer, "flags entities"),
        "paths": [
            {**told(path, "entities"), "sentences": len(path.sentences), "score": round(path.score, 4)}
            for path in answer.paths
        ],
        "trace": trace,
        "as_of": isoformat(answer.as_of),
        "run": run,
        "notice": NOTICE,
    }


def citation(cited: Citation) -> Json:
    return told(cited, "n document version title page bbox quote start end verified passage known_at")


def status(found: StoreStatus) -> Json:
    return {
        **told(found, "digest counts sizes"),
        "derived": {"sequence": found.indexed_sequence, "behind": found.sequence - found.indexed_sequence},
        **told(found, "schema_version sequence problems"),
    }


def findings(found: Iterable[Finding]) -> Json:
    return {"checks": [told(finding, "subject fine message fix") for finding in found]}


def backed_up(found: BackupReport) -> Json:
    fields = "created_at schema_version sequence digest documents runs"
    return {"file": found.file, "bytes": found.n_bytes, **told(found, fields)}


def runs(records: Iterable[RunRecord]) -> Json:
    fields = "run created_at question as_of after"
    return {"runs": [{**told(r, fields), "found": r.answer.found, **told(r, "redacted")} for r in records]}


def replayed(replay: Replay) -> Json:
    return told(replay, "run equal difference")


def box(found: Box | None) -> list[float] | None:
    return [round(found.x0, 1), round(found.y0, 1), round(found.x1, 1), round(found.y1, 1)] if found else None


def _ranking(hit: Hit) -> Json:
    parts = {name: round(value, 6) for name, value in hit.parts}
    return {"score": round(hit.score, 6), "parts": parts, "entities": list(hit.entities)}
