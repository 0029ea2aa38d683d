"""A second look finds the passages known last, whatever the order in which the index holds them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from finlore.think.lookup import MOST_PASSAGES, passages_holding
from finlore.think.needs import Need

NONE = np.zeros(0, np.int64)


class Rows:
    """As much of a view as the second look asks for: one sentence a row; entity 0 and the term stand in all of them."""

    def __init__(self, known: list[int], *, alive: list[bool] | None = None, owned: list[int] | None = None) -> None:
        self.known = np.array(known, np.int64)
        self.keys = self.known * 7 % 1009
        self.sentence_rows = np.arange(len(known))
        self.alive = np.array(alive or [True] * len(known))
        self.owned = np.array(owned or [], np.int64)

    def entity_rows(self, entities: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        rows = self.sentence_rows if entities[0] == 0 else NONE
        return rows, np.ones(len(rows), np.int64), np.zeros(len(rows), np.int64)

    def owned_rows(self, entities: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return (self.owned if entities[0] == 1 else NONE), NONE

    def words(self, term: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return (self.sentence_rows if term == "~rating" else NONE), NONE


NEED = Need(frozenset({0}), terms=frozenset({"~rating"}))


def known_at(view: Any, needs: list[Need]) -> list[int]:
    by_key = dict(zip(view.keys.tolist(), view.known.tolist(), strict=True))
    return [by_key[key] for key in passages_holding(view, needs)]


def test_the_last_known_come_first_also_where_older_ones_arrived_last() -> None:
    in_order = list(range(1, MOST_PASSAGES + 5))
    arrived = [*in_order[4:], *in_order[:4]]
    assert known_at(Rows(arrived), [NEED]) == known_at(Rows(in_order), [NEED]) == in_order[:3:-1]


def test_what_is_superseded_is_left_out() -> None:
    assert known_at(Rows([1, 2, 3], alive=[True, False, True]), [NEED]) == [3, 1]


def test_the_passages_of_documents_about_a_name_count_as_naming_it() -> None:
    assert known_at(Rows([1, 2, 3], owned=[0, 2]), [Need(frozenset({1}), terms=frozenset({"~rating"}))]) == [3, 1]


def test_a_need_of_one_thing_alone_would_fetch_everything_and_fetches_nothing() -> None:
    assert known_at(Rows([1, 2]), [Need(frozenset({0}))]) == []
