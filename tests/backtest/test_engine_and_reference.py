"""The engine and the clerk of `slow_reference`, who know nothing of one another, come to the same."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from finlore import resources
from finlore.backtest.simulate import simulate
from finlore.records.backtest import Rules
from tests.backtest.markets import any_rules, scattered_calls, troubled_markets
from tests.backtest.slow_reference import settle

NAMED = resources.load_toml("tearsheet/definitions.toml")
"""Whatever is counted has a name for people, and a word about what it means."""


@settings(max_examples=150, deadline=None)
@given(st.data(), any_rules(), st.booleans())
def test_both_keep_the_same_account(data: st.DataObject, rules: Rules, week_goes_on: bool) -> None:
    panel = data.draw(troubled_markets())
    calls = data.draw(scattered_calls(panel))
    done = simulate(panel, calls, rules, week_goes_on=week_goes_on)
    account = settle(panel, calls, rules, week_goes_on=week_goes_on)
    assert list(done.states) == account.states
    for name in ("gross", "net", "exposure", "breadth", "turnover"):
        np.testing.assert_allclose(getattr(done, name), getattr(account, name), rtol=1e-9, atol=1e-12, err_msg=name)
    counts = Counter(account.states) + account.counts
    assert done.counts == counts
    assert counts.keys() <= NAMED.keys()
