"""Answering: a question at a date -> ranked passages -> evidence -> an answer, kept as a run that can be repeated."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Final

from finlore.errors import UsageError
from finlore.flows.finding import find, readable
from finlore.flows.knowledge_at import KnowledgeAt
from finlore.index.cues import shipped_cues
from finlore.records.answer import Answer
from finlore.records.document import StoredPassage
from finlore.records.instant import Instant, end_of_day, now
from finlore.records.run import Replay, RunRecord
from finlore.retrieve.question import read_question
from finlore.runs import RunFolder, first_difference, run_name
from finlore.settings import Settings
from finlore.think.answer import extract
from finlore.think.conversation import continued
from finlore.think.moment import moment_of
from finlore.wiring import Adapters

_PASSAGES: Final = 12


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer with the name of its run; None where the workspace cannot be written to."""

    answer: Answer
    run: str | None
    trace: dict[str, object]


class Answering:
    """Answers from the store of `adapters`, and the `runs` in which they are kept."""

    def __init__(self, adapters: Adapters, settings: Settings, runs: RunFolder) -> None:
        self._adapters, self._settings, self._runs = adapters, settings, runs

    def ask(self, question: str, *, after: str | None, as_of: Instant) -> Asked:
        """An answer from what was known at an instant, or at the earlier day that the question names; `after` names the
        run that it continues."""
        if not question.strip():
            raise UsageError("there is no question", hint='finlore ask "…"')
        previous = self._runs.load(after) if after else None
        asked, day = moment_of(readable(question))
        at = min(as_of, end_of_day(day, self._settings.zone)) if day else as_of
        record = self._answered(KnowledgeAt(self._adapters.store, at), asked, previous)
        return Asked(record.answer, record.run if self._keep(record) else None, trace(record))

    def replay(self, run: str) -> Replay:
        """Answer again on the rows that the run had; equal, or where it differs first."""
        record = self._runs.load(run)
        if record.redacted:
            return Replay(run, False, f"forgotten since: {', '.join(record.redacted)}; its quotes are redacted")
        known = KnowledgeAt(self._adapters.store, record.as_of, sequence=record.sequence)
        again = self._answered(known, record.question, None)
        difference = first_difference(record.passages, again.passages, "passages") or first_difference(
            asdict(record.answer), asdict(again.answer)
        )
        return Replay(run, not difference, difference)

    def _keep(self, record: RunRecord) -> bool:
        """Whether the record could be written; asking makes no workspace where there is none."""
        if not self._settings.workspace.is_dir():
            return False
        try:
            self._runs.save(record)
        except OSError:
            return False
        return True

    def _answered(self, known: KnowledgeAt, question: str, previous: RunRecord | None) -> RunRecord:
        """The run that answers a question; `previous` is the run whose conversation it continues."""
        view = known.view
        asked = continued(view, question, previous.question, shipped_cues()) if previous else question
        found = find(self._adapters, view, asked, method="auto", top=_PASSAGES)
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
            settings_hash=self._settings_hash,
            passages=tuple((passage.id, _fingerprint(passage.text)) for passage in seen.values()),
            answer=answer,
            after=previous.run if previous else None,
            entities=answer.entities,
        )
        return replace(record, run=run_name(record))

    @cached_property
    def _settings_hash(self) -> str:
        told = self._settings.explain()
        shown = repr([(key, value) for key, value, _ in told if key not in ("workspace", "market")])
        return sha256(shown.encode()).hexdigest()[:16]


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
