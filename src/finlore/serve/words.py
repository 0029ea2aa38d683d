"""Records as JSON documents: what `--json` prints, and what `show` makes tables of."""

from collections.abc import Iterable, Sequence
from typing import Any

from finlore.language.reading import read_stored
from finlore.records.answer import Answer, Citation, Hit, Retrieved, SentencePath
from finlore.records.document import Box, Document, StoredPassage
from finlore.records.instant import isoformat
from finlore.records.names import Entity
from finlore.records.report import (
    BackupReport,
    DocumentOutcome,
    EmbedReport,
    Finding,
    IngestReport,
    NamePath,
    Neighbour,
)
from finlore.records.run import Replay, RunRecord
from finlore.records.store import StoreStatus
from finlore.records.table import Table, TableValue

Json = dict[str, Any]
NOTICE = "AI-generated, research use, not investment advice / 由 AI 生成，仅供研究，不构成投资建议"
STATUSES = ("added", "new_version", "unchanged", "duplicate", "rejected")


def ingested(report: IngestReport) -> Json:
    totals = {status: report.count(status) for status in STATUSES}
    return {
        "documents": [_outcome(outcome) for outcome in report.documents],
        "totals": {**totals, "skipped": report.skipped, "passages": sum(o.passages for o in report.documents)},
        "seconds": round(report.seconds, 3),
        "cpu_seconds": round(report.cpu_seconds, 3),
        "llm_calls": 0,
        "cost": 0,
    }


def embedded(report: EmbedReport) -> Json:
    return {"model": report.model, "embedded": report.embedded, "remaining": report.remaining}


def searched(found: Retrieved) -> Json:
    return {
        "passages": [{**passage(hit.passage), **_ranking(hit)} for hit in found.hits],
        "entities": list(found.entities),
        "unknown_names": list(found.unknown_names),
        "method": found.method,
        "as_of": isoformat(found.as_of),
        "timing_ms": {name: round(value, 3) for name, value in found.timing_ms},
    }


def passage(stored: StoredPassage) -> Json:
    first = stored.sentences[0] if stored.sentences else None
    return {
        "id": stored.id,
        "document": stored.document,
        "title": stored.metadata.title,
        "heading": stored.heading,
        "page": first.page if first else None,
        "bbox": box(first.box if first else None),
        "text": stored.text,
        "reading": " ".join(read_stored(stored, s.start, s.end) for s in stored.sentences),
        "start": stored.start,
        "end": stored.end,
        "published_at": isoformat(stored.metadata.published_at),
        "known_at": isoformat(stored.known_at),
    }


def entity(found: Entity, neighbours: Sequence[Neighbour], passages: Sequence[StoredPassage]) -> Json:
    ids = {stored.key: stored.id for stored in passages}
    return {
        "id": found.id,
        "name": found.name,
        "kind": found.kind,
        "aliases": list(found.aliases),
        "n_passages": found.n_passages,
        "neighbours": [
            {"id": n.entity, "name": n.name, "weight": n.weight, "passages": [ids[k] for k in n.passages if k in ids]}
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
                "entities": list(path.entities),
                "names": list(path.names),
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
    rows = [[""] * table.n_columns for _ in range(table.n_rows)]
    for cell in table.cells:
        rows[cell.row][cell.column] = document.text[cell.start : cell.end]
    caption = table.caption
    own = [value for value in values if table.start <= value.start < table.end]
    return {
        "page": table.page,
        "bbox": box(table.box),
        "caption": document.text[caption.start : caption.end] if caption else "",
        "unit": table.unit,
        "header_rows": table.n_header_rows,
        "rows": rows,
        "doubts": list(table.doubts),
        "values": [
            {
                "metric": value.metric, "label": value.label, "value": value.value, "unit": value.unit,
                "period": value.period, "basis": value.basis, "security": value.security, "company": value.company,
                "page": value.page, "bbox": box(value.box), "row": value.row, "column": value.column,
                "start": value.start, "end": value.end, "doubtful": value.is_doubtful,
            }
            for value in own
        ],
    }  # fmt: skip


def answered(answer: Answer, run: str | None, trace: Json) -> Json:
    return {
        "answer": answer.text,
        "mode": answer.mode,
        "found": answer.found,
        "citations": [citation(c) for c in answer.citations],
        "flags": list(answer.flags),
        "entities": list(answer.entities),
        "paths": [sentence_path(path) for path in answer.paths],
        "trace": trace,
        "as_of": isoformat(answer.as_of),
        "run": run,
        "notice": NOTICE,
    }


def citation(cited: Citation) -> Json:
    return {
        "n": cited.n,
        "document": cited.document,
        "version": cited.version,
        "title": cited.title,
        "page": cited.page,
        "bbox": box(cited.box),
        "quote": cited.quote,
        "start": cited.start,
        "end": cited.end,
        "verified": cited.verified,
        "passage": cited.passage,
        "known_at": isoformat(cited.known_at),
    }


def sentence_path(path: SentencePath) -> Json:
    return {"entities": list(path.entities), "sentences": len(path.sentences), "score": round(path.score, 4)}


def status(found: StoreStatus) -> Json:
    return {
        "digest": found.digest,
        "counts": dict(found.counts),
        "sizes": dict(found.sizes),
        "derived": {"sequence": found.indexed_sequence, "behind": found.sequence - found.indexed_sequence},
        "schema_version": found.schema_version,
        "sequence": found.sequence,
        "problems": list(found.problems),
    }


def findings(found: Iterable[Finding]) -> Json:
    return {"checks": [{"subject": f.subject, "fine": f.fine, "message": f.message, "fix": f.fix} for f in found]}


def backed_up(found: BackupReport) -> Json:
    return {
        "file": found.file,
        "bytes": found.n_bytes,
        "created_at": isoformat(found.created_at),
        "schema_version": found.schema_version,
        "sequence": found.sequence,
        "digest": found.digest,
        "documents": found.documents,
        "runs": found.runs,
    }


def runs(records: Iterable[RunRecord]) -> Json:
    return {
        "runs": [
            {
                "run": record.run,
                "created_at": isoformat(record.created_at),
                "question": record.question,
                "as_of": isoformat(record.as_of),
                "after": record.after,
                "found": record.answer.found,
                "redacted": list(record.redacted),
            }
            for record in records
        ]
    }


def replayed(replay: Replay) -> Json:
    return {"run": replay.run, "equal": replay.equal, "difference": replay.difference}


def box(found: Box | None) -> list[float] | None:
    return [round(found.x0, 1), round(found.y0, 1), round(found.x1, 1), round(found.y1, 1)] if found else None


def _ranking(hit: Hit) -> Json:
    parts = {name: round(value, 6) for name, value in hit.parts}
    return {"score": round(hit.score, 6), "parts": parts, "entities": list(hit.entities)}


def _outcome(outcome: DocumentOutcome) -> Json:
    return {
        "id": outcome.id,
        "source": outcome.source,
        "status": outcome.status,
        "reason": outcome.reason,
        "pages": outcome.pages,
        "passages": outcome.passages,
        "published_at": isoformat(outcome.published_at),
        "known_at": isoformat(outcome.known_at),
        "notes": list(outcome.notes),
        "quality": list(outcome.quality),
        "page_verdicts": [
            {"page": page.page, "status": page.status, "reason": page.reason, "ocr": page.is_ocr}
            for page in outcome.page_verdicts
        ],
    }
