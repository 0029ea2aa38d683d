"""The few sentences that an answer says in its own words, in the language of the question."""

from collections.abc import Callable

from finlore.index.cues import MARK
from finlore.language.normal import has_han, normalise
from finlore.resources import load_toml

Say = Callable[..., str]
"""Key of `lexicon/answers.toml`, and what it is about -> the sentence."""


def phrases_for(question: str) -> Say:
    """Chinese when the question holds a Chinese character, else English."""
    said = load_toml("lexicon/answers.toml")["zh" if has_han(question) else "en"]
    return lambda what, *about: str(said[what]).format(*about)


def wording(term: str, question: str) -> str:
    """A word as it is; of a relation mark the wording that the question uses."""
    if not term.startswith(MARK):
        return term
    relations: dict[str, list[str]] = load_toml("lexicon/relations.toml")["relations"]
    cues, asked = [cue.rstrip("*") for cue in relations[term.removeprefix(MARK)]], normalise(question).text
    return max((cue for cue in cues if normalise(cue).text in asked), key=len, default=cues[0])
