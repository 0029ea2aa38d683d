"""A follow-up question made whole: what it leaves unsaid is taken from the question before it."""

from finlore.index.cues import MARK, RelationCues
from finlore.language.normal import fold
from finlore.ports import View
from finlore.retrieve.question import Question, read_question
from finlore.think.asking import YEAR

_THINGS = frozenset({"metric", "region", "concept"})  # asked of somebody; alone they are not what a question is about


def continued(view: View, question: str, previous: str, cues: RelationCues) -> str:
    """`question` with the names that it leaves out and, when it asks for nothing itself, with what was asked before.

    "And in 2024?" keeps company and measure and changes the year; "its guarantor?" keeps the company alone.
    """
    now, before = read_question(view, question, cues), read_question(view, previous, cues)
    about = [] if _has_subject(view, now) else _names(view, before, things=False)
    asked = [] if _asks(view, now) else _names(view, before, things=True) + _words(before, now)
    return " ".join([*about, *asked, question])


def _has_subject(view: View, question: Question) -> bool:
    return any(view.entity(entity).kind not in _THINGS for entity in question.entities)


def _asks(view: View, question: Question) -> bool:
    """Whether the question names a relation or a measure itself."""
    return any(term.startswith(MARK) for term in question.wanted) or any(
        view.entity(entity).kind in _THINGS for entity in question.entities
    )


def _names(view: View, question: Question, *, things: bool) -> list[str]:
    """As the question spells them: another spelling may be unknown, and a part of it known as something else."""
    entities = sorted(question.entities, key=lambda e: (-question.entities[e], view.entity_ids[e]))
    asked = fold(question.text)
    wanted = [view.entity(e) for e in entities if (view.entity(e).kind in _THINGS) == things]
    return [max((a for a in known.aliases if a in asked), key=len, default=known.name) for known in wanted]


def _words(before: Question, now: Question) -> list[str]:
    """The plain words asked before; a year only when none is asked for now."""
    dated = any(YEAR.fullmatch(term) for term in now.wanted)
    plain = (term for term in before.wanted if not term.startswith(MARK))
    return [term for term in plain if not (dated and YEAR.fullmatch(term))]
