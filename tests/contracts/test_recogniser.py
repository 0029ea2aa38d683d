"""What every recogniser promises, checked on each that is installed."""

from typing import get_args

import pytest

from finlore import registry
from finlore.errors import MissingExtra
from finlore.ports import Recogniser
from finlore.records.names import EntityKind

TEXTS = [
    "深圳市与江口机械集团签署协议，董事长王建国出席。",
    "Tim Fields of Larkfield Mills met the mayor of Berlin.",
    "",
    "，",
    "x\ud800𠮷" * 10,
    "北岭银行" * 400,
]


def installed() -> list[str]:
    names = []
    for name, adapter in registry.load_available("recognisers").items():
        try:
            adapter()
        except MissingExtra:
            continue
        names.append(name)
    return names


@pytest.fixture(scope="module", params=installed())
def recogniser(request: pytest.FixtureRequest) -> Recogniser:
    made: Recogniser = registry.load("recognisers", request.param)()
    return made


def test_one_sorted_list_of_spans_within_each_text(recogniser: Recogniser) -> None:
    results = recogniser.recognise(TEXTS)
    assert len(results) == len(TEXTS)
    for text, spans in zip(TEXTS, results, strict=True):
        assert spans == sorted(spans)
        assert all(0 <= start < end <= len(text) for start, end, _ in spans)


def test_kinds_are_entity_kinds(recogniser: Recogniser) -> None:
    kinds = {kind for spans in recogniser.recognise(TEXTS) for _, _, kind in spans}
    assert kinds
    assert kinds <= set(get_args(EntityKind))


def test_the_same_texts_give_the_same_names(recogniser: Recogniser) -> None:
    assert recogniser.recognise(TEXTS) == recogniser.recognise(TEXTS)


def test_no_texts_give_no_lists(recogniser: Recogniser) -> None:
    assert recogniser.recognise([]) == []
