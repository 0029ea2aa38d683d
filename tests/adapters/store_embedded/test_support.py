"""From when a name is known."""

from hypothesis import given
from hypothesis import strategies as st

from finlore.adapters.store_embedded.support import Statement, known_from
from finlore.records.instant import ALWAYS, NEVER, Instant

statements = st.lists(
    st.builds(Statement, st.integers(0, 9).map(Instant), st.integers(1, 4), st.sampled_from("pqrs")), max_size=8
).map(lambda found: sorted(found, key=lambda statement: statement.known))


def test_a_taught_name_is_known_from_the_statement_that_completes_its_support() -> None:
    found = [Statement(Instant(2), 1, "1"), Statement(Instant(5), 2, "2"), Statement(Instant(8), 3, "3")]
    assert [known_from(found, needs=n, listed=None) for n in (1, 2, 3, 4)] == [2, 5, 8, NEVER]


def test_a_copy_or_a_new_version_confirms_nothing() -> None:
    new_version, copy = Statement(Instant(3), 1, "2"), Statement(Instant(4), 2, "1")
    assert known_from([Statement(Instant(2), 1, "1"), new_version, copy], needs=2, listed=None) == NEVER


def test_a_shipped_name_is_known_from_its_listing_or_from_the_first_document_that_has_it() -> None:
    found = [Statement(Instant(4), 1, "1")]
    assert known_from(found, needs=9, listed=Instant(7)) == 7
    assert known_from(found, needs=9, listed=ALWAYS) == 4
    assert known_from([], needs=1, listed=ALWAYS) == NEVER


@given(statements, st.integers(1, 3), st.integers(0, 9))
def test_later_statements_do_not_move_an_instant_that_was_reached(found: list[Statement], needs: int, at: int) -> None:
    whole = known_from(found, needs=needs, listed=None)
    past = known_from([statement for statement in found if statement.known <= at], needs=needs, listed=None)
    assert past == (whole if whole <= at else NEVER)
