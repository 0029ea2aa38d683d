from finlore.retrieve.neighbours import edge, neighbours, passages_of, paths
from tests.retrieve.fake_view import FakeView, passage

NAMES = {name: f"company:{name.lower()}" for name in ("Alder", "Birch", "Cedar", "Doum", "Elm")}
ROWS = [
    passage(1, "Alder met Birch.", names=NAMES),
    passage(2, "Alder slept.", "Birch woke.", names=NAMES),
    passage(3, "Birch met Cedar.", "Birch left.", names=NAMES),
    passage(4, "Cedar met Doum.", names=NAMES),
    passage(5, "Notes.", names=NAMES, owner="company:alder"),
    passage(6, "Elm stood alone.", names=NAMES),
]
VIEW = FakeView(ROWS, NAMES)


def number(name: str) -> int:
    return VIEW.entity_ids.index(NAMES[name])


def test_own_documents_come_first_among_the_passages_of_a_name() -> None:
    assert passages_of(VIEW, number("Alder"), top=9) == [5, 1, 2]


def test_neighbours_share_passages_and_say_which() -> None:
    (birch,) = neighbours(VIEW, number("Alder"))
    assert (birch.entity, birch.passages) == ("company:birch", (1, 2))


def test_an_edge_is_every_passage_with_both_names_one_sentence_first() -> None:
    assert edge(VIEW, number("Birch"), number("Alder")) == [1, 2]
    assert edge(VIEW, number("Alder"), number("Doum")) == []


def test_a_path_goes_through_shared_passages() -> None:
    (found,) = paths(VIEW, number("Alder"), number("Doum"), hops=3)
    assert found.entities == ("company:alder", "company:birch", "company:cedar", "company:doum")
    assert found.passages == ((1, 2), (3,), (4,))


def test_no_path_is_longer_than_asked_for() -> None:
    assert paths(VIEW, number("Alder"), number("Doum"), hops=2) == []
    assert paths(VIEW, number("Alder"), number("Elm"), hops=9) == []
    assert paths(VIEW, number("Alder"), number("Alder")) == []


def test_paths_do_not_depend_on_the_order_of_rows() -> None:
    other = FakeView(ROWS[::-1], NAMES)
    a, b = (other.entity_ids.index(NAMES[name]) for name in ("Alder", "Doum"))
    assert paths(other, a, b) == paths(VIEW, number("Alder"), number("Doum"))
