"""Reading facts and events out of documents by a language model, within a budget that is shown before.

A document is written whole or not at all. One that a budget cut short is not written, and waits; what was answered of
it is among the kept replies, so that the next run goes on in its midst and pays for nothing twice. Small documents
share a call; then all of them are answered, or none.
"""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final, Literal, Self

from finlore.flows.extracting import ALL, Extracting, Tally
from finlore.flows.ingest import Progress
from finlore.knowledge.prompted.asking import Answered, Asked, batches
from finlore.knowledge.prompted.prompts import version
from finlore.knowledge.quality.control import Control, controlled
from finlore.knowledge.quality.correct import readings_of
from finlore.ports import LanguageModel, Store
from finlore.records.fact import Extracted
from finlore.records.instant import NEVER
from finlore.records.llm import Budget, Prompt, Refusal, RefusalKind, Usage
from finlore.records.report import ExtractReport
from finlore.settings import Settings
from finlore.wiring import Adapters, language_models, model_of

_PATIENCE: Final = 3  # documents in a row of which an endpoint answers nothing
_Job = tuple[Sequence[Asked], Sequence[Future[Answered]]]
"""Documents that were asked about together, and the answers to come, one a group of passages."""
_STOPS: Final[dict[RefusalKind, Literal["budget", "endpoint", "replay"]]] = {
    "budget": "budget", "endpoint": "endpoint", "not recorded": "replay",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Waiting:
    """Documents to be read, as (document, version); `again` has those of which only the passages that failed are read,
    with what was read of the others."""

    places: Sequence[tuple[str, int]]
    again: dict[tuple[str, int], Extracted]

    def passages(self, document: str, version: int) -> tuple[int, ...]:
        """Those that are read again; none: all of it."""
        standing = self.again.get((document, version))
        return standing.failed if standing else ()


class Prompting:
    """The extractor `llm` over the store of `adapters`; `budget` in tokens, None for that of the settings.
    ConfigurationError where no endpoint is set."""

    def __init__(self, adapters: Adapters, settings: Settings, offline: Extracting, *, budget: int | None) -> None:
        self.extractor = f"llm/{version()}+{model_of(settings, 'extract')}+{offline.schema.version}"
        self._store: Store = adapters.store
        self._offline, self._schema = offline, offline.schema
        self._settings, self._market = settings, adapters.market
        allowed = settings.llm_budget_tokens if budget is None else budget
        models = language_models(settings, budget=Budget(tokens=allowed, cost=settings.llm_budget_cost))
        self._models = {id(model): model for model in models.values()}.values()
        self._model: LanguageModel = models["extract"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        for model in self._models:
            model.close()

    def waiting(self, *, retry: bool) -> Waiting:
        """What this model has not read under this schema; with `retry` also the passages that failed."""
        places = self._store.unextracted(self.extractor, limit=ALL)
        failed = self._store.failed(self.extractor) if retry else []
        again = {place: standing for place in failed if (standing := self._standing(*place)) is not None}
        return Waiting([*places, *again], again)

    def estimate(self, waiting: Waiting) -> ExtractReport:
        """What reading would take at most; nothing is sent."""
        needed = self._model.estimate(self._prompts(waiting))
        return Tally(self._schema).report(self.extractor, remaining=len(waiting.places), estimate=needed)

    def run(self, waiting: Waiting, estimate: Usage, *, progress: Progress) -> ExtractReport:
        """Ask about several groups of passages at a time, write documents in order, until all are read, the budget is
        spent or the endpoint is silent."""
        tally, notes, silent = Tally(self._schema), list[str](), 0
        stopped: Literal["", "budget", "endpoint", "replay"] = ""
        pool = ThreadPoolExecutor(self._settings.llm_concurrency, thread_name_prefix="extract")
        try:
            with self._store.writing():
                for documents, coming in self._jobs(waiting, pool):
                    answers = [answer.result() for answer in coming]
                    if why := _unanswered(answers):
                        notes.append(f"{', '.join(asked.document.id for asked in documents)}: {why.reason}")
                        stopped, silent = _STOPS[why.kind], silent + (why.kind == "endpoint")
                        if stopped == "budget" or silent == _PATIENCE:
                            break
                        continue
                    silent = 0
                    for asked in documents:
                        self._write(asked, answers, tally, waiting)
                        progress(tally.documents, len(waiting.places), asked.document.id)
                self._store.refresh()
        finally:
            pool.shutdown(cancel_futures=True)  # what is under way is paid for, and kept for the next run
        remaining = len(self._store.unextracted(self.extractor, limit=ALL))
        found = tally.report(self.extractor, remaining=remaining, estimate=estimate, usage=self._model.usage())
        return replace(found, stopped=stopped, notes=tuple(notes))

    def _prompts(self, waiting: Waiting) -> Iterator[Prompt]:
        asked = (
            Asked(document, self._schema, passages=waiting.passages(document.id, number))
            for number, document in self._offline.documents(waiting.places)
        )
        for batch in batches(asked, self._schema, most=self._settings.llm_passage_tokens):
            yield from batch.prompts()

    def _jobs(self, waiting: Waiting, pool: ThreadPoolExecutor) -> Iterator[_Job]:
        """All documents in order, those behind them under way already, as many as keep the model busy."""
        ahead: deque[_Job] = deque()
        for batch in batches(self._asked(waiting), self._schema, most=self._settings.llm_passage_tokens):
            ahead.append((batch.asked, [pool.submit(batch.ask, group, self._model) for group in batch.groups]))
            while sum(len(answers) for _, answers in ahead) > 2 * self._settings.llm_concurrency:
                yield ahead.popleft()
        yield from ahead

    def _asked(self, waiting: Waiting) -> Iterator[Asked]:
        for number, document, names in self._offline.named(waiting.places):
            by_rules = self._offline.unchecked(document, names)
            passages = waiting.passages(document.id, number)
            yield Asked(document, self._schema, version=number, names=names, by_rules=by_rules, passages=passages)

    def _write(self, asked: Asked, answers: Sequence[Answered], tally: Tally, waiting: Waiting) -> None:
        """Keep what was read of a document, after quality control."""
        document, version = asked.document, asked.version
        control = Control(self._schema, self._settings.zone, self._market, self._model)
        extracted, rules = asked.extracted(self.extractor, answers), readings_of(asked.by_rules.facts)
        checked = controlled(extracted, document, asked.names, control, reread=rules)
        tally.add(checked)
        self._store.put_extracted(document.id, version, _joined(waiting.again.get((document.id, version)), checked))

    def _standing(self, document: str, number: int) -> Extracted | None:
        said = self._store.extracted(document, number, as_of=NEVER)
        return next((one for one in said if one.extractor == self.extractor), None)


def _unanswered(answers: Sequence[Answered]) -> Refusal | None:
    """Why documents cannot be written: a group was not asked about, or the endpoint answered nothing at all."""
    refusals = [answer.refusal for answer in answers if answer.refusal is not None]
    final = next((refusal for refusal in refusals if refusal.kind != "endpoint"), None)
    if final is None and refusals and len(refusals) == len(answers):
        final = refusals[0]
    return final


def _joined(standing: Extracted | None, read: Extracted) -> Extracted:
    """What stands of a document with what was read of the passages that had failed."""
    if standing is None:
        return read
    pruned = Counter(dict(standing.pruned)) + Counter(dict(read.pruned))
    return replace(
        read,
        facts=(*standing.facts, *read.facts),
        events=(*standing.events, *read.events),
        pruned=tuple(sorted(pruned.items())),
    )
