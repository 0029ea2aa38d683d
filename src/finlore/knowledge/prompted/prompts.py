"""Passages in groups, and what a model is asked about a group: one question for attributes, links and events."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from finlore.knowledge.lexicon.instructions import hides_text, speaks_to_model
from finlore.knowledge.prompted.excerpts import Excerpt
from finlore.knowledge.prompted.form import accepted_form, described, form_of
from finlore.knowledge.questions import digest, load_wording
from finlore.records.document import Document
from finlore.records.instant import as_datetime
from finlore.records.llm import Message, Prompt
from finlore.records.schema import Schema

_WORDINGS: Final = "lexicon/extraction.toml"
_LEAST_REPLY: Final = 600  # tokens
_REPLY: Final = 1.5  # tokens for each of the passages: of dense ones more is to be said than they are long
_MOST_NAMED: Final = 300  # characters of a title


@dataclass(frozen=True, slots=True)
class Shown:
    """An excerpt and the document that it is of."""

    document: Document
    excerpt: Excerpt


Group = tuple[Shown, ...]


def grouped(shown: Sequence[Shown], *, most: float) -> list[Group]:
    """The excerpts in order, as many together as are of at most so many tokens; longer ones are cut between lines."""
    groups: list[list[Shown]] = []
    size = 0.0
    for one in shown:
        for piece in _pieces(one.excerpt, most):
            if not groups or size + piece.size > most:
                groups.append([])
                size = 0.0
            groups[-1].append(Shown(one.document, piece))
            size += piece.size
    return [tuple(group) for group in groups]


def halves(group: Group) -> list[Group]:
    """A group in two, of one excerpt its lines; nothing where there is no smaller group."""
    if len(group) == 1:
        return [(Shown(group[0].document, half),) for half in group[0].excerpt.halves()]
    return [group[: len(group) // 2], group[len(group) // 2 :]]


def prompt_of(group: Group, schema: Schema) -> Prompt:
    """The question about a group: the same system message for all, then reports and passages between lines that cannot
    occur in them. Nothing of a document stands outside of these."""
    wording = load_wording(_WORDINGS)
    messages = (
        Message("system", f"{wording.system}\n\n{described(schema)}"),
        Message("user", f"{wording.question}\n\n{_quoted(group)}"),
    )
    most_tokens = _LEAST_REPLY + round(_REPLY * sum(shown.excerpt.size for shown in group))
    sources = tuple(dict.fromkeys(shown.document.id for shown in group))
    return Prompt(
        "extract", wording.version, "extract", messages, form_of(schema), most_tokens, sources, accepted_form(schema)
    )


def version() -> int:
    """Of the wordings: what was read with others is read again."""
    return load_wording(_WORDINGS).version


def _pieces(excerpt: Excerpt, most: float) -> Iterator[Excerpt]:
    halved = excerpt.halves() if excerpt.size > most else []
    for half in halved:
        yield from _pieces(half, most)
    if not halved:
        yield excerpt


def _quoted(group: Group) -> str:
    blocks: list[tuple[str, str]] = []
    number = 0
    for document, listed in groupby(group, lambda shown: shown.document):
        blocks.append(("report", _heading(document)))
        for shown in listed:
            number += 1
            blocks.append((f"passage {number}", shown.excerpt.text))
    mark = digest("\0".join(text for _, text in blocks))[:12]
    return "\n".join((*(f"===== {mark} {name}\n{text}" for name, text in blocks), f"===== {mark} end"))


def _heading(document: Document) -> str:
    """What a document is, by its own account."""
    stated = document.metadata
    day = "" if stated.published_at is None else as_datetime(stated.published_at).date().isoformat()
    parts = (stated.title[:_MOST_NAMED], stated.security or "", stated.broker or "", day)
    lines = (" ".join(part.split()) for part in parts)
    return "\n".join(line for line in lines if line and not speaks_to_model(line) and not hides_text(line))
