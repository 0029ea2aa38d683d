import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.adapters.language_model.reading import check_of, read_json, without_thought

ANYTHING = check_of({})

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
within = st.lists(values, max_size=3) | st.dictionaries(st.text(), values, max_size=3)


@given(within, st.booleans())
def test_every_json_value_is_read_as_it_is(value: object, escaped: bool) -> None:
    assert read_json(json.dumps(value, ensure_ascii=escaped), ANYTHING) == (value, "")


@given(
    st.dictionaries(st.text("渡口ab ", min_size=1), st.integers() | st.text("渡口ab '", min_size=1)), st.text("好 .\n")
)
def test_words_around_json_change_nothing(value: object, words: str) -> None:
    assert read_json(f"{words}\n```json\n{json.dumps(value)}\n```\n{words}", ANYTHING) == (value, "")


@given(st.text("{}[]\",:'\\ab1. \n渡", max_size=60))
def test_nothing_that_a_model_says_is_an_error(text: str) -> None:
    value, fault = read_json(text, check_of({"type": "object", "required": ["a"]}))
    assert bool(fault) == (value is None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 46.40, b: None,}", {"a": 46.4, "b": None}),
        ('{"a": "says "buy" now"}', {"a": 'says "buy" now'}),
        ('{"a": "first\nsecond"}', {"a": "first\nsecond"}),
        ("{“a”: “渡口”}", {"a": "渡口"}),
        ("[1, 2,, 3]", [1, 2, 3]),
    ],
)
def test_brackets_quotes_and_commas_are_mended(text: str, value: object) -> None:
    assert read_json(text, ANYTHING) == (value, "")


@pytest.mark.parametrize(
    "text",
    [
        '{"share": 12%}',
        '{"price": $5.2}',
        '{"about": ~5}',
        '{"company": , "target": 1}',
        '{"company": "a" "b"}',
        '{"a": 1} {"a": 2}',
        '{"facts": [{"x": 1}, {"x": 2}, {"x": "tru',
        '{"rate": Infinity}',
    ],
)
def test_values_are_never_mended(text: str) -> None:
    value, fault = read_json(text, ANYTHING)
    assert value is None
    assert fault


def test_the_faults_are_told_with_their_place() -> None:
    rows = {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}
    _, fault = read_json('[{"n": 1}, {"n": "two"}, {}]', check_of(rows))
    assert fault == "$[1].n: 'two' is not of type 'integer'; $[2]: 'n' is a required property"


def test_a_schema_that_is_none_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="not a JSON schema"):
        check_of({"type": "objekt"})


def test_a_schema_fetches_nothing_from_elsewhere() -> None:
    elsewhere = check_of({"$ref": "http://192.0.2.1/schema.json"})
    with pytest.raises(Exception, match="Unresolvable"):
        read_json("{}", elsewhere)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a</think> b", "b"),
        ("\n<thinking>a\n</thinking>\n\nb", "b"),
        ("a</think>b", "b"),
        ("<think>a", ""),
        ("b says <think>", "b says <think>"),
        ("b", "b"),
    ],
)
def test_a_thought_is_what_stands_before_the_reply(text: str, left: str) -> None:
    assert without_thought(text) == left
