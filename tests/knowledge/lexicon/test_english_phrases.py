"""How an English sentence is cut into phrases."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from finlore.knowledge.lexicon.english_phrases import phrases_of


def cut(text: str) -> list[tuple[str, str]]:
    return [(phrase.kind, text[phrase.said : phrase.end]) for phrase in phrases_of(text) if phrase.said < phrase.end]


def test_what_something_is_compared_with_and_why_it_moved_are_phrases_of_their_own() -> None:
    assert cut("Sales rose to $5, compared to $4 a year ago, driven by prices, volumes, and mix.") == [
        ("main", "Sales rose to $5"),
        ("base", "$4 a year ago"),
        ("aside", "prices, volumes, and mix"),
    ]


def test_a_cause_that_leads_ends_at_the_comma() -> None:
    assert cut("Driven by demand, sales rose.") == [("aside", "demand"), ("main", "sales rose")]


def test_another_clause_ends_a_list_of_causes() -> None:
    assert cut("Sales rose due to prices, and profit was flat.")[-1] == ("main", "profit was flat")


@given(st.text(alphabet="ab ,.$15", max_size=12), st.sampled_from(["due to", "from $4 to $5", "compared to", "and"]))
def test_phrases_cover_the_text_in_order(text: str, words: str) -> None:
    found = phrases_of(f"{text} {words} {text}")
    assert found[0].start == 0
    assert all(one.start <= one.end <= other.start for one, other in pairwise(found))
