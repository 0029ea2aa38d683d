"""Step 3 of quality control: where an extractor left a placeholder, the passage is read again, or the fact is dropped.

First by rules, then, where there is one, by a language model, once; what that answers counts only if it stands in the
passage letter by letter.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from finlore.knowledge.lexicon.amounts import find_amounts
from finlore.knowledge.lexicon.instructions import hides_text, speaks_to_model
from finlore.knowledge.questions import load_wording, messages_about, record_form
from finlore.language.normal import normalise
from finlore.language.reading import read, readable_spans
from finlore.ports import LanguageModel
from finlore.records.document import Document
from finlore.records.fact import Evidence, Fact
from finlore.records.llm import Prompt, Refusal
from finlore.records.mapped import MappedText
from finlore.records.schema import AttributeType, Schema
from finlore.resources import load_toml

Reread = Callable[[Fact], Fact | None]
"""What stricter rules read where a fact comes from, None where they read nothing."""
_WORDINGS: Final = "quality/prompts.toml"
_STRIPPED: Final = " \t\n.,;:!?。,;:!、()[]{}<>\"'“”‘’《》【】*_"
_DASHES: Final = frozenset("-—–―−~/\\.…·_*?")
_FORM: Final = record_form(text={"type": "string", "maxLength": 200})
_MOST_TOKENS: Final = 200
_CONFIDENCE: Final = 0.7


@dataclass(frozen=True, slots=True)
class Reader:
    """A document to be read again: by `reread`, then by `model`. `schema` says what a relation means."""

    document: Document
    schema: Schema
    reread: Reread
    model: LanguageModel | None = None


def is_placeholder(text: str) -> bool:
    """Whether a value stands for none: 未提及, N/A, a dash, "No relevant information was found", nothing at all."""
    folded = " ".join(normalise(text).text.split())
    if not folded or set(folded) <= _DASHES | {" "}:
        return True
    plain = folded.strip(_STRIPPED)
    words, openings = _placeholders()
    return not plain or folded in words or plain in words or plain.startswith(openings)


def correct(facts: Iterable[Fact], reader: Reader) -> tuple[list[Fact], list[str]]:
    """The facts in their order, placeholders read again or dropped, with a note for each."""
    kept: list[Fact] = []
    notes: list[str] = []
    for fact in facts:
        if not has_placeholder(fact):
            kept.append(fact)
            continue
        found, note = _again(fact, reader)
        notes.append(f"correct: {fact.relation}: {note}")
        kept += [replace(found, status="corrected", note=note)] if found else []
    return kept, notes


def has_placeholder(fact: Fact) -> bool:
    """Whether the value or the object of a fact is a placeholder; a number was read, whatever is printed."""
    named = fact.object.name if fact.object else fact.text
    return fact.value is None and (is_placeholder(named) or is_placeholder(fact.text))


def readings_of(facts: Sequence[Fact]) -> Reread:
    """What other rules read out of the same document: the fact of the same relation and subject in the same passage,
    if there is just one value, none of it a placeholder."""

    def reread(fact: Fact) -> Fact | None:
        same = [
            other
            for other in facts
            if other.relation == fact.relation
            and other.subject.surface == fact.subject.surface
            and other.evidence.passage == fact.evidence.passage
            and not has_placeholder(other)
        ]
        values = {(other.text, other.value, other.unit) for other in same}
        return same[0] if len(values) == 1 else None

    return reread


def _again(fact: Fact, reader: Reader) -> tuple[Fact | None, str]:
    was = f"was {fact.text!r}" if fact.text else "was empty"
    if (found := reader.reread(fact)) is not None and not has_placeholder(found):
        return found, f"{was}; read again by rules"
    if reader.model is None:
        return None, f"{was}; dropped: the passage gives nothing"
    found, why = _asked(fact, reader, reader.model)
    return found, f"{was}; {why}"


def _asked(fact: Fact, reader: Reader, model: LanguageModel) -> tuple[Fact | None, str]:
    """What a model finds in the passage, and why nothing where it does not."""
    attribute = next((a for a in reader.schema.attributes if a.id == fact.relation), None)
    number = fact.evidence.passage
    if attribute is None or attribute.value == "entity" or not 0 <= number < len(reader.document.passages):
        return None, "dropped: nobody can be asked about it"
    passage = reader.document.passages[number]
    mapped = read(reader.document.text, readable_spans(reader.document.markup), passage.start, passage.end)
    if speaks_to_model(mapped.text) or hides_text(mapped.text):
        return None, "dropped: the passage speaks to a model"
    reply = model.ask(_prompt(fact, attribute, mapped.text, reader.document.id))
    if isinstance(reply, Refusal):
        return None, f"dropped: {reply.reason}"
    answer = reply.data.get("text", "") if isinstance(reply.data, dict) else ""
    if not isinstance(answer, str) or is_placeholder(answer):
        return None, "dropped: the model finds nothing either"
    return _placed(fact, attribute, mapped, answer.strip())


def _placed(fact: Fact, attribute: AttributeType, mapped: MappedText, answer: str) -> tuple[Fact | None, str]:
    """The fact with an answer that stands in the passage once or more; a number needs to be readable as one."""
    start = mapped.text.find(answer)
    if start < 0:
        return None, f"dropped: the passage does not say {answer[:40]!r}"
    place = Evidence(*mapped.span(start, start + len(answer)), fact.evidence.passage)
    found = replace(fact, text=answer, evidence=place, object=None, confidence=min(fact.confidence, _CONFIDENCE))
    if attribute.value == "number":
        amounts = find_amounts(normalise(answer).text)
        if len(amounts) != 1:
            return None, f"dropped: {answer[:40]!r} is no number"
        found = replace(found, value=amounts[0].value, unit=amounts[0].unit)
    return found, "read again by a language model"


def _prompt(fact: Fact, attribute: AttributeType, passage: str, document: str) -> Prompt:
    wording = load_wording(_WORDINGS)
    question = wording.question.replace("{relation}", attribute.labels.en)
    question = question.replace("{description}", attribute.description).replace("{subject}", "the company quoted first")
    quoted = f"{' '.join(fact.subject.name.split())}\n\n{passage}"
    messages = messages_about(quoted, called="passage", system=wording.system, question=question)
    return Prompt("correct", wording.version, "extract", messages, _FORM, _MOST_TOKENS, sources=(document,))


@lru_cache(maxsize=1)
def _placeholders() -> tuple[frozenset[str], tuple[str, ...]]:
    table = load_toml("lexicon/placeholders.toml")
    return frozenset(normalise(w).text for w in table["words"]), tuple(normalise(w).text for w in table["openings"])
