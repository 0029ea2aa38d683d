import numpy as np

from finlore.retrieve.question import Question
from finlore.retrieve.walk import UNIT, walk
from tests.retrieve.fake_view import FakeView, passage

NAMES = {"Alder": "company:alder", "Birch": "company:birch", "Cedar": "company:cedar"}


def view(*texts: str, owners: tuple[str | None, ...] = ()) -> FakeView:
    rows = [passage(n, text, names=NAMES, owner=owners[n] if owners else None) for n, text in enumerate(texts)]
    return FakeView(rows, NAMES)


def asked(view: FakeView, *entities: str) -> Question:
    return Question("", (), {view.entity_ids.index(e): 1.0 for e in entities}, {})


def test_mass_reaches_passages_that_share_a_name_with_the_best() -> None:
    linked = view("Alder buys Birch", "Birch buys Cedar", "Alder sleeps", "nothing here")
    mass = walk(linked, asked(linked), np.array([1.0, 0, 0, 0]), [])
    assert mass[0] > mass[1] > 0
    assert mass[3] == 0


def test_no_mass_is_made_and_little_is_lost() -> None:
    linked = view("Alder buys Birch", "Birch buys Cedar", "Alder sees Cedar")
    total = walk(linked, asked(linked, "company:alder"), np.array([1.0, 0.5, 0]), []).sum()
    assert 0.99 * UNIT < total <= UNIT


def test_half_of_a_name_s_mass_goes_to_its_own_documents() -> None:
    texts = ("Alder here", "Alder there", "all about it")
    owned = view(*texts, owners=(None, None, "company:alder"))
    mass = walk(owned, asked(owned, "company:alder"), np.zeros(3), [])
    assert mass[2] > mass[0]


def test_mass_comes_in_whole_units() -> None:
    linked = view("Alder buys Birch", "Birch buys Cedar", "Alder sees Cedar")
    mass = walk(linked, asked(linked, "company:birch"), np.array([0.3, 0.7, 0.1]), [])
    assert np.array_equal(mass, np.floor(mass))
