"""The few sentences that an answer says in its own words, in the language of the question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from finlore.index.cues import MARK
from finlore.language.normal import normalise
from finlore.resources import load_toml

_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Phrases:
    not_found: str
    nearest: str
    no_name: str
    _unknown: str
    _not_said: str
    _unverified: str

    def unknown_name(self, name: str) -> str:
        return self._unknown.format(name)

    def wording(self, term: str, question: str) -> str:
        """A word as it is; of a relation mark the wording that the question uses."""
        if not term.startswith(MARK):
            return term
        cues: list[str] = [
            cue.rstrip("*") for cue in load_toml("lexicon/relations.toml")["relations"][term.removeprefix(MARK)]
        ]
        asked = normalise(question).text
        return max((cue for cue in cues if normalise(cue).text in asked), key=len, default=cues[0])

    def not_said(self, terms: Sequence[str]) -> str:
        return self._not_said.format(" + ".join(terms))

    def unverified(self, count: int) -> str:
        return self._unverified.format(count)


_ZH = Phrases(
    not_found="在当前日期可见的文档中没有找到足以回答的依据。",
    nearest="最接近的内容：",
    no_name="问题中没有出现文档里已知的名称",
    _unknown="文档中（截至该日期）没有出现“{}”",
    _not_said="没有一句话同时说明：{}",
    _unverified="{} 条引文未通过核对，已舍弃",
)
_EN = Phrases(
    not_found="The documents known at this date do not hold enough evidence for an answer.",
    nearest="What comes nearest:",
    no_name="the question holds no name that the documents know",
    _unknown="“{}” does not occur in the documents (at this date)",
    _not_said="no sentence says this together: {}",
    _unverified="{} citations did not pass verification and were dropped",
)


def phrases_for(question: str) -> Phrases:
    """Chinese when the question holds a Chinese character, else English."""
    return _ZH if _HAN.search(question) else _EN
