"""Evidence -> an answer whose every sentence is a cited quotation, or a refusal that says what is missing."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from finlore.ports import View
from finlore.records.answer import Answer, Citation, SentencePath
from finlore.records.document import StoredPassage
from finlore.records.instant import Instant
from finlore.retrieve.question import Question
from finlore.think.choose import Chosen, choose, unmet
from finlore.think.evidence import Evidence, gather
from finlore.think.lookup import passages_holding
from finlore.think.needs import Need, needs, together
from finlore.think.phrases import Say, phrases_for, wording

FetchPassages = Callable[[Sequence[int]], Sequence[StoredPassage]]
"""Keys -> the passages that may be read, in that order."""
ReadSlice = Callable[[str, int, int, int], str | None]
"""(document, version, start, end) -> that slice of the stored text, None where it may not be read."""


def extract(
    view: View,
    question: Question,
    passages: Sequence[StoredPassage],
    paths: Sequence[SentencePath],
    *,
    fetch: FetchPassages,
    read_slice: ReadSlice,
) -> Answer:
    """An extractive answer in the language of the question; `found` is False when the evidence is not there."""
    say = phrases_for(question.text)
    wanted, joint = needs(question, view), together(needs(question, view))
    evidence = gather(view, question, passages, paths)
    unsettled = [n for n in [*joint, *wanted] if n.revised or n.several or not any(map(n.met_by, evidence))]
    if unsettled:
        more = fetch(passages_holding(view, unsettled))
        known = {passage.key for passage in passages}
        evidence = gather(view, question, [*passages, *(p for p in more if p.key not in known)], paths)
    if all(any(map(need.met_by, evidence)) for need in joint):
        wanted = joint
    chosen = choose(wanted, evidence, paths, view)
    missing = unmet(wanted, question, chosen, view)
    flags = _flags(question, missing, view, say)
    found = bool(chosen) and not missing and not question.unknown and bool(question.entities or question.wanted)
    citations = _cite([e for group in chosen for e in group.evidence], read_slice)
    numbers = {(c.passage, c.start): c.n for c in citations if c.verified}
    dropped = sum(not citation.verified for citation in citations)
    if dropped:
        flags = (*flags, say("unverified", dropped))
    text = _told(chosen, numbers, _Named(view, question.text))
    return Answer(
        question=question.text,
        as_of=Instant(view.as_of),
        mode="extractive",
        text=text if found else "\n".join(filter(None, (say("not_found"), say("nearest") if text else "", text))),
        citations=tuple(citation for citation in citations if citation.verified),
        flags=flags,
        paths=tuple(paths[:3]),
        found=found,
        entities=tuple(sorted(view.entity_ids[number] for number in question.entities)),
    )


@dataclass(frozen=True, slots=True)
class _Named:
    """What to call an entity: as the question spells it, else by the name that it is known under."""

    view: View
    question: str

    def __getitem__(self, entity: int) -> str:
        known = self.view.entity(entity)
        spelt = (re.search(re.escape(alias), self.question, re.IGNORECASE) for alias in known.aliases)
        return max((found.group() for found in spelt if found), key=len, default=known.name)


def _told(chosen: Sequence[Chosen], numbers: dict[tuple[str, int], int], named: _Named) -> str:
    """``A → B`` on a line of its own, then the sentences with the numbers of their citations; equal heads once."""
    lines: list[str] = []
    last = ""
    for group in chosen:
        head = " → ".join(dict.fromkeys(named[entity] for entity in group.entities))
        cited = [(e.text, numbers.get((e.passage.id, _span(e)[0]))) for e in group.evidence]
        told = [f"  {text} [{number}]" for text, number in cited if number is not None]
        lines += [*([head] if told and head and head != last else []), *told]
        last = head if told else last
    return "\n".join(lines)


def _cite(evidence: Sequence[Evidence], read_slice: ReadSlice) -> list[Citation]:
    """One citation per sentence; its quote is verified against the stored text, not against what retrieval returned."""
    citations = []
    for n, sentence in enumerate(evidence, 1):
        passage, (start, end) = sentence.passage, _span(sentence)
        quote = passage.text[start - passage.start : end - passage.start]
        place = passage.sentences[sentence.ordinal - 1]
        citations.append(
            Citation(
                n=n,
                document=passage.document,
                version=passage.version,
                title=passage.metadata.title,
                page=place.page,
                box=place.box,
                quote=quote,
                start=start,
                end=end,
                verified=bool(quote) and read_slice(passage.document, passage.version, start, end) == quote,
                passage=passage.id,
                known_at=passage.known_at,
            )
        )
    return citations


def _span(evidence: Evidence) -> tuple[int, int]:
    sentence = evidence.passage.sentences[evidence.ordinal - 1]
    return sentence.start, sentence.end


def _flags(question: Question, missing: Sequence[Need], view: View, say: Say) -> tuple[str, ...]:
    flags = [say("unknown_name", name) for name in question.unknown]
    for need in missing:
        names = [
            view.entity(entity).name for entity in sorted(need.names | need.sources, key=lambda e: view.entity_ids[e])
        ]
        terms = [wording(term, question.text) for term in sorted(need.terms | need.either)]
        flags += [say("not_said", " + ".join((*names, *terms)))] if names or terms else []
    if not question.entities and not question.unknown:
        flags.append(say("no_name"))
    return tuple(dict.fromkeys(flags))
