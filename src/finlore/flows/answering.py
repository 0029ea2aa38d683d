"""Answering: a question at a date -> ranked passages -> evidence -> an answer, kept as a run that can be repeated."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from finlore.flows.knowledge_at import KnowledgeAt
from finlore.index.cues import shipped_cues
from finlore.ports import Bytes8, View
from finlore.records.answer import Answer, Method
from finlore.records.document import StoredPassage
from finlore.records.instant import now
from finlore.records.run import RunRecord
from finlore.retrieve.dense import quantised
from finlore.retrieve.question import read_question
from finlore.retrieve.search import Found, retrieve
from finlore.runs import run_name
from finlore.think.answer import extract
from finlore.think.conversation import continued
from finlore.wiring import Adapters

ASK_PASSAGES = 12
_LONGEST_QUESTION = 2000


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer with the name of its run; None where the workspace cannot be written to."""

    answer: Answer
    run: str | None
    trace: dict[str, object]


def readable(question: str) -> str:
    """The question without lone surrogates and line ends, cut where no person would still be asking."""
    text = question.encode("utf-8", "replace").decode()
    return " ".join(text.split())[:_LONGEST_QUESTION]


def find(adapters: Adapters, view: View, question: str, *, method: Method, top: int) -> Found:
    """The passages of a view that bear on a question."""
    model, vector = _query_vector(adapters, view, question, method)
    return retrieve(view, question, cues=shipped_cues(), method=method, model=model, query_vector=vector, top=top)


def _query_vector(adapters: Adapters, view: View, question: str, method: Method) -> tuple[str, Bytes8 | None]:
    """The question's vector, made only where the store has vectors to compare it with."""
    if method not in ("dense", "auto"):
        return "", None
    embedder = adapters.embedder if method == "dense" else adapters.embedder_if_installed()
    if embedder is None or view.vectors(embedder.name) is None:
        return "", None
    return embedder.name, quantised(embedder.embed_query(question))


def answered(
    adapters: Adapters, known: KnowledgeAt, question: str, previous: RunRecord | None, *, settings_hash: str
) -> RunRecord:
    """The run that answers a question from what was known; `previous` is the run whose conversation it continues."""
    view = known.view
    asked = continued(view, question, previous.question, shipped_cues()) if previous else question
    found = find(adapters, view, asked, method="auto", top=ASK_PASSAGES)
    places = [key for path in found.paths[:3] for key, _ in path.sentences]
    seen = known.passages([*(ranked.key for ranked in found.ranked), *places])
    passages = list(seen.values())

    def fetch(keys: Sequence[int]) -> list[StoredPassage]:
        more = known.passages(keys)
        seen.update(more)
        return list(more.values())

    question_read = read_question(view, asked, shipped_cues())
    answer = extract(view, question_read, passages, found.paths, fetch=fetch, read_slice=known.read_slice)
    record = RunRecord(
        run="",
        created_at=now(),
        question=asked,
        as_of=view.as_of,
        sequence=view.sequence,
        settings_hash=settings_hash,
        passages=tuple((passage.id, _fingerprint(passage.text)) for passage in seen.values()),
        answer=answer,
        after=previous.run if previous else None,
        entities=answer.entities,
    )
    return replace(record, run=run_name(record))


def trace(record: RunRecord) -> dict[str, object]:
    """What the answer was made from, step by step."""
    return {
        "question": record.question,
        "entities": list(record.entities),
        "passages": [passage for passage, _ in record.passages],
        "paths": [list(path.entities) for path in record.answer.paths],
        "sequence": record.sequence,
    }


def _fingerprint(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
