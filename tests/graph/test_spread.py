"""Back-filling finds exactly the wanted surfaces, and the same ones in whatever portions the work arrives."""

from hypothesis import given
from hypothesis import strategies as st

from finlore.graph.spread import scan
from finlore.records.mapped import MappedText
from finlore.records.names import Mention
from finlore.records.store import NameScan, ScanText


def texts(*sentences: str) -> tuple[ScanText, ...]:
    return tuple(ScanText(row, 0, ((1, MappedText(sentence)),)) for row, sentence in enumerate(sentences))


def found(surfaces: tuple[str, ...], *sentences: str) -> list[tuple[int, str]]:
    return [(row, mention.surface) for row, mention in scan(NameScan(surfaces, texts(*sentences), 1)).mentions]


def test_a_mention_says_where_it_stands_in_the_document() -> None:
    marked = MappedText("向骊阡新材供货", (0, 3), (100, 102))  # two characters of mark-up inside the name
    work = NameScan(("骊阡新材",), (ScanText(7, 3, ((0, MappedText("骊阡新材")), (2, marked))),), 1)
    assert scan(work).mentions == ((7, Mention(3, 0, 0, 4, "骊阡新材")), (7, Mention(3, 2, 101, 107, "骊阡新材")))


def test_nothing_but_the_wanted_surfaces_is_found() -> None:
    assert found(("骊阡新材",), "宁德时代与骊阡新材", "青禾电池") == [(0, "骊阡新材")]


def test_case_possessives_and_brackets_do_not_matter() -> None:
    assert found(("larkfield mills",), "LARKFIELD Mills' plan", "Larkfield's Mills", "larkfield mills") == [
        (0, "larkfield mills"),
        (1, "larkfield mills"),
        (2, "larkfield mills"),
    ]


def test_one_word_is_a_name_only_with_a_capital() -> None:
    assert found(("nest",), "The Nest opened", "a nest of birds") == [(0, "nest")]


def test_a_number_is_a_code_only_where_something_says_so() -> None:
    assert found(("609990",), "产量609990吨", "骊阡新材（609990）") == [(1, "609990")]


SENTENCES = ("骊阡新材（609990）与Larkfield", "The Nest，骊阡新材料", "骊阡 新材")
SURFACES = ("骊阡新材", "骊阡新材料", "609990", "larkfield", "nest")


@given(st.lists(st.sampled_from(SURFACES), unique=True), st.lists(st.sampled_from(SURFACES), unique=True))
def test_surfaces_in_portions_find_what_all_find_together(first: list[str], second: list[str]) -> None:
    together = found(tuple(sorted({*first, *second})), *SENTENCES)
    apart = {*found(tuple(first), *SENTENCES), *found(tuple(second), *SENTENCES)}
    assert set(together) == apart
