"""What the extraction by a language model takes: calls and tokens for 1,000 passages of 300 Chinese characters.

Nothing is sent. Prompts are those that would be; a reply is as long as one that says what the offline extractor finds
in the same passages (attributes, links and events). Tokens are counted by the rule of thumb of the estimate. LightRAG
took 2,000 calls and 5.1 million tokens for as much text; wanted are at most 250 and 0.9 million.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Final

from extraction_texts import read_text
from finlore.adapters.language_model.budget import prompt_tokens, tokens_in
from finlore.adapters.language_model.ladder import compact
from finlore.graph.gazetteer import Gazetteer
from finlore.knowledge.lexicon.extract import extract_facts
from finlore.knowledge.prompted.asking import Asked, batches
from finlore.knowledge.prune import METRIC
from finlore.knowledge.schema import load_schema
from finlore.records.document import Document
from finlore.records.fact import Event, Extracted, Fact
from finlore.records.llm import Prompt

_CHARACTERS: Final = 300 * 1_000
_MOST_OF_A_SET: Final = 40  # documents
_MOST_OF_A_CALL: Final = 3_500  # tokens of passages, as the settings have it
_LONGEST_QUOTE: Final = 40  # characters, as replies are asked for
LIGHTRAG: Final = {"calls": 2_000, "tokens": 5_100_000}
WANTED: Final = {"calls": 250, "tokens": 900_000}


@dataclass(slots=True)
class Taken:
    """Sums over documents; of `system` tokens most endpoints keep what they worked out for the call before."""

    documents: int = 0
    passages: int = 0
    characters: int = 0
    calls: int = 0
    prompt: int = 0
    system: int = 0
    reply: int = 0

    def add_document(self, document: Document, extracted: Extracted) -> None:
        self.documents += 1
        self.passages += len(document.passages)
        self.characters += sum(passage.end - passage.start for passage in document.passages)
        self.reply += tokens_in(_said(document, extracted))

    def add_call(self, prompt: Prompt) -> None:
        form = compact(prompt.schema) if prompt.schema is not None else ""
        self.calls += 1
        self.prompt += prompt_tokens(prompt.messages, form)
        self.system += prompt_tokens(prompt.messages[:1], form)

    def row(self) -> dict[str, Any]:
        """For 1,000 passages as they are cut, and for as much text as 1,000 of 300 characters."""
        by_passage, by_text = 1_000 / max(self.passages, 1), _CHARACTERS / max(self.characters, 1)
        tokens = self.prompt + self.reply
        return {
            "documents": self.documents,
            "passages": self.passages,
            "characters_a_passage": round(self.characters / max(self.passages, 1)),
            "calls_per_1000_passages": round(self.calls * by_passage),
            "tokens_per_1000_passages": round(tokens * by_passage),
            "calls_per_300k_characters": round(self.calls * by_text),
            "tokens_per_300k_characters": round(tokens * by_text),
            "of_these_system": round(self.system * by_text),
            "of_these_reply": round(self.reply * by_text),
        }


def measure(data: Path) -> dict[str, Taken]:
    """By set of reports."""
    gazetteer, schema = Gazetteer.load(), load_schema()
    found: dict[str, Taken] = {}
    for name, rows in groupby(_documents(data / "reports"), lambda row: row[0]):
        taken = found[name] = Taken()
        documents = [read for _, fields in rows if (read := read_text(fields, gazetteer)) is not None]
        for document, names in documents:
            taken.add_document(document, extract_facts(document, names, schema))
        for batch in batches((Asked(document, schema) for document, _ in documents), schema, most=_MOST_OF_A_CALL):
            for prompt in batch.prompts():
                taken.add_call(prompt)
    return found


def _documents(reports: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(set, fields) of every report."""
    whole = reports / "markdown_37" / "kv_store_full_docs.json"
    rows = json.loads(whole.read_text("utf-8")).items() if whole.is_file() else ()
    for number, row in islice(rows, _MOST_OF_A_SET):
        yield "markdown reports", {"id": number, "text": row["content"]}
    for file in sorted((reports / "indicators").glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(islice(lines, _MOST_OF_A_SET // 4)):
                text = json.loads(line)["text"]
                yield "indicator reports", {"id": f"{file.stem}:{number}", "text": text, "format": "text"}
    abstracts = reports / "abstracts" / "reports.json"
    told = json.loads(abstracts.read_text("utf-8")) if abstracts.is_file() else []
    for at, row in enumerate(told[: 2 * _MOST_OF_A_SET]):
        yield "abstracts", {"id": str(at), "text": f"{row['summary']}\n\n{row['content']}", "format": "text"}


def _said(document: Document, extracted: Extracted) -> str:
    """A reply that says what was extracted."""
    rows: dict[str, list[dict[str, object]]] = {"facts": [], "events": []}
    for fact in extracted.facts:
        if not fact.relation.startswith(METRIC) and fact.evidence.passage >= 0:
            rows["facts"].append(_fact(document, fact))
    rows["events"] = [_event(document, event) for event in extracted.events]
    return compact(rows)


def _fact(document: Document, fact: Fact) -> dict[str, object]:
    quote = document.text[fact.evidence.start : fact.evidence.end][:_LONGEST_QUOTE]
    named = fact.object.name if fact.object else fact.text
    return {"p": 1, "q": quote, "s": fact.subject.name, "r": fact.relation, "o": named}


def _event(document: Document, event: Event) -> dict[str, object]:
    quote = document.text[event.evidence.start : event.evidence.end][:_LONGEST_QUOTE]
    return {
        "p": 1, "q": quote, "s": event.subject.name, "t": event.subtype, "d": event.direction, "w": event.relation,
        "o": event.object.name if event.object else "", "when": event.time_frame, "metric": event.metric,
        "because": event.cause, "why": "x" * 60,
    }  # fmt: skip
