from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.adapters.language_model.budget import Ledger, Prices, prompt_tokens, tokens_in, total
from finlore.records.llm import Budget, Message, Usage
from tests.adapters.language_model.asking import Clock


@pytest.mark.parametrize(
    ("text", "n"), [("", 0), ("渡口控股", 4), ("four", 1), ("fours", 2), ("涨12%", 2), ("한국，", 3)]
)
def test_a_wide_character_is_a_token_and_four_others_are_one(text: str, n: int) -> None:
    assert tokens_in(text) == n


def test_a_prompt_takes_its_messages_their_marks_and_its_schema() -> None:
    turns = [Message("system", "four"), Message("user", "渡口")]
    assert prompt_tokens(turns) == 1 + 2 + 2 * 4
    assert prompt_tokens(turns, "{}{}") == 1 + 2 + 2 * 4 + 1


def test_an_unknown_cost_makes_the_sum_unknown() -> None:
    known, unknown = Prices(1.0, 1.0).usage(10, 10), Prices(1.0).usage(10, 10)
    assert total([known, known]).cost == pytest.approx(4e-5)
    assert total([known, unknown]).cost is None


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=30), st.integers(0, 300))
def test_no_order_of_requests_spends_more_than_the_budget(requests: list[tuple[int, int]], tokens: int) -> None:
    ledger = Ledger(Budget(tokens=tokens), clock=Clock())
    spent = 0
    for worst, took in requests:
        reserved = Usage(1, worst, 0)
        if not ledger.reserve(reserved):
            ledger.settle(reserved, Usage(1, min(worst, took), 0))
            spent += min(worst, took)
    assert spent <= tokens


def test_a_request_waits_for_what_others_under_way_may_leave() -> None:
    ledger = Ledger(Budget(tokens=100), clock=Clock())
    large = Usage(1, 60, 0)
    assert ledger.reserve(large) == ""
    outcomes: list[str] = []
    waiting = Thread(target=lambda: outcomes.append(ledger.reserve(large)))
    waiting.start()
    waiting.join(0.05)
    assert outcomes == []
    ledger.settle(large, Usage(1, 10, 0))
    waiting.join(5)
    assert outcomes == [""]


def test_a_request_that_fits_in_no_case_waits_for_nobody() -> None:
    ledger = Ledger(Budget(tokens=100), clock=Clock())
    assert ledger.reserve(Usage(1, 60, 0)) == ""
    assert ledger.reserve(Usage(1, 101, 0)) == "up to 101 tokens are needed, 100 are left"
