"""Asking about documents in groups of passages, and what comes of it: facts and events, failed passages, no answer."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from finlore.knowledge.agreement import surest
from finlore.knowledge.lexicon.withheld import for_people
from finlore.knowledge.prompted.excerpts import Excerpt, excerpts
from finlore.knowledge.prompted.prompts import Group, Shown, grouped, halves, prompt_of
from finlore.knowledge.prompted.replies import Found, ReplyReader
from finlore.knowledge.prune import METRIC, prune
from finlore.language.normal import fold
from finlore.ports import LanguageModel
from finlore.records.document import Document
from finlore.records.fact import Extracted, Fact
from finlore.records.llm import Prompt, Refusal
from finlore.records.names import FoundNames
from finlore.records.schema import Schema

_MUCH: Final = 3  # sentences out of which rules read something where a model reads nothing: then it has not read
_NO_NAMES: Final = FoundNames((), ())
_NOTHING: Final = Extracted("")


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a group, by document. `failed` are passages of which nothing usable was said; `refusal` says why
    there was no answer at all: then it is not known what they say."""

    found: Mapping[str, Found] = field(default_factory=dict)
    failed: frozenset[tuple[str, int]] = frozenset()
    refusal: Refusal | None = None


class Asked:
    """One version of a document as it is asked about. `names` and what rules read out of it (`by_rules`) are for
    judging replies; `passages`: only these, one by one."""

    def __init__(
        self,
        document: Document,
        schema: Schema,
        *,
        version: int = 0,
        names: FoundNames = _NO_NAMES,
        by_rules: Extracted = _NOTHING,
        passages: Sequence[int] = (),
    ) -> None:
        self.document, self.version, self._schema, self.is_apart = document, version, schema, bool(passages)
        self.names, self.by_rules = names, by_rules
        told = for_people(document, names)
        self._instructed = told.instructed
        self.shown = [Shown(document, excerpt) for excerpt in excerpts(told.sentences)]
        if passages:
            self.shown = [shown for shown in self.shown if shown.excerpt.passage in passages]
        self.reader = ReplyReader(document, names, schema)

    @property
    def size(self) -> float:
        return sum(shown.excerpt.size for shown in self.shown)

    def own(self, group: Group) -> list[Excerpt | None]:
        """The excerpts of a group, None for those of other documents."""
        return [shown.excerpt if shown.document is self.document else None for shown in group]

    def expected(self, group: Group) -> int:
        """In how many sentences of this document in a group the rules find something other than figures."""
        places = [fact.evidence.start for fact in self.by_rules.facts if not fact.relation.startswith(METRIC)]
        places += [event.evidence.start for event in self.by_rules.events]
        return sum(shown.excerpt.told_of(places) for shown in group if shown.document is self.document)

    def extracted(self, extractor: str, answers: Iterable[Answered]) -> Extracted:
        """What all answers say of this document together, by the schema."""
        whole, failed, name = Found(), set[int](), self.document.id
        for answer in answers:
            whole.add(answer.found.get(name, Found()))
            failed |= {passage for document, passage in answer.failed if document == name}
        read = Extracted(
            extractor,
            tuple(surest(whole.facts, matter=_statement)),
            tuple(whole.events),
            pruned=tuple(sorted(whole.dropped.items())),
            failed=tuple(sorted(failed)),
            instruction_like=self._instructed,
        )
        return prune(read, self._schema)


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents that are asked about together: several small ones in one group, or a large one in several."""

    asked: tuple[Asked, ...]
    groups: tuple[Group, ...]
    schema: Schema

    def prompts(self) -> list[Prompt]:
        return [prompt_of(group, self.schema) for group in self.groups]

    def ask(self, group: Group, model: LanguageModel) -> Answered:
        """What a model says of a group. Where its reply is cut off, or finds nothing where the rules found much, each
        half of the group is asked about by itself, once. ConfigurationError as of the model."""
        answered, is_worth_halving = self._ask(group, model)
        parts = halves(group) if is_worth_halving else []
        return _together([self._ask(part, model)[0] for part in parts]) if parts else answered

    def _ask(self, group: Group, model: LanguageModel) -> tuple[Answered, bool]:
        reply = model.ask(prompt_of(group, self.schema))
        failed = frozenset((shown.document.id, shown.excerpt.passage) for shown in group)
        if isinstance(reply, Refusal):
            if reply.kind not in ("truncated", "invalid"):
                return Answered(refusal=reply), False
            return Answered(failed=failed), reply.kind == "truncated"
        found = {one.document.id: one.reader.read(reply.data, one.own(group)) for one in self.asked}
        says_nothing = not any(read.facts or read.events for read in found.values())
        if says_nothing and sum(one.expected(group) for one in self.asked) >= _MUCH:
            return Answered(found, failed), True
        return Answered(found), False


def batches(documents: Iterable[Asked], schema: Schema, *, most: int) -> Iterator[Batch]:
    """The documents in order, small ones together as long as they fit into one call of `most` tokens; versions of one
    document are never together, since what is said of a document goes by its name."""
    small: list[Asked] = []
    for asked in documents:
        is_version = any(one.document.id == asked.document.id for one in small)
        if small and (asked.is_apart or is_version or sum(one.size for one in small) + asked.size > most):
            yield _batch(small, schema, most)
            small = []
        if asked.is_apart:
            groups = (group for shown in asked.shown for group in grouped([shown], most=most))
            yield Batch((asked,), tuple(groups), schema)
        else:
            small.append(asked)
    if small:
        yield _batch(small, schema, most)


def _batch(documents: Sequence[Asked], schema: Schema, most: int) -> Batch:
    return Batch(
        tuple(documents), tuple(grouped([shown for one in documents for shown in one.shown], most=most)), schema
    )


def _statement(fact: Fact) -> Hashable:
    """What makes two facts one statement, which a document repeats."""
    said = fact.object.surface if fact.object else fold(fact.text)
    return fact.subject.surface, fact.relation, said, fact.value, fact.unit, fact.bound


def _together(answers: Sequence[Answered]) -> Answered:
    found: dict[str, Found] = {}
    for answer in answers:
        for name, read in answer.found.items():
            found.setdefault(name, Found()).add(read)
    failed = frozenset[tuple[str, int]]().union(*(answer.failed for answer in answers))
    return Answered(found, failed, next((answer.refusal for answer in answers if answer.refusal), None))
