import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.index.numbering import Numbered, Numbering
from finlore.index.strings import Strings

WORDS = st.sets(st.text(alphabet="ab水", max_size=3))


def numbering(stored: set[str], added: list[str]) -> Numbering:
    made = Numbering(Strings.of(sorted(stored)))
    for string in added:
        made.add(string)
    return made


@settings(deadline=None)
@given(WORDS, st.lists(st.text(alphabet="ab水", max_size=3)))
def test_every_string_has_one_number_and_ranks_are_in_the_order_of_the_strings(
    stored: set[str], added: list[str]
) -> None:
    made = numbering(stored, added)
    assert len(made) == len({*stored, *added})
    assert [made.number(string) for string in made] == list(range(len(made)))
    ranks = made.ranks()
    assert [made[at] for at in np.argsort(ranks[:-1])] == sorted({*stored, *added})
    assert ranks[-1] < ranks[:-1].min(initial=0) or not len(made)


@settings(deadline=None)
@given(WORDS, st.lists(st.text(alphabet="ab水", max_size=3)), st.data())
def test_some_of_the_strings_are_a_sequence_that_finds_without_reading(stored, added, data) -> None:
    made = numbering(stored, added)
    chosen = sorted(data.draw(st.sets(st.sampled_from(range(len(made))))) if len(made) else [])
    some, plain = Numbered(made, np.array(chosen, np.int64)), [made[number] for number in chosen]
    assert (list(some), len(some), some[1:]) == (plain, len(plain), plain[1:])
    for string in {*made, "zz"}:
        assert (string in some) == (string in plain)
        if string in plain:
            assert some.index(string) == plain.index(string)
        else:
            with pytest.raises(ValueError, match="not in the sequence"):
                some.index(string)
