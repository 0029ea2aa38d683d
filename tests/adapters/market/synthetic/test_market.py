"""The synthetic market as a market: the same for a seed, forward in time, and told as other markets are."""

import hashlib
from datetime import date
from time import process_time

import numpy as np
import pytest

from finlore import registry, resources
from finlore.adapters.market.synthetic.market import SyntheticMarket
from finlore.errors import ConfigurationError
from finlore.language.codes import canonical_security
from finlore.records.instant import end_of_day, parse_instant
from finlore.records.panel import PricePanel, Prices
from tests.adapters.market.folders import differences, there
from tests.adapters.market.synthetic.markets import EARLY, FIRST, LAST, WEEKDAYS, market, panel


def digest(p: PricePanel) -> str:
    made = hashlib.sha256()
    for prices in (p.open, p.high, p.low, p.close, p.volume, p.factor, p.upper, p.lower):
        made.update(np.nan_to_num(prices, nan=-1.0).tobytes())
    return made.hexdigest()[:16]


def test_a_seed_gives_the_same_bytes_on_every_machine() -> None:
    again = SyntheticMarket(calendar=WEEKDAYS, seed=3, first=FIRST, last=LAST).panel(FIRST, LAST)
    assert digest(again) == digest(panel()) == "9379e5b9d8142038"
    assert digest(panel(4)) != digest(panel())


def test_two_years_take_a_second_or_two_of_a_processor() -> None:
    begin = process_time()
    SyntheticMarket(calendar=WEEKDAYS, seed=11, first=FIRST, last=LAST).panel(FIRST, LAST)
    assert process_time() - begin < 2


def same(left: Prices, right: Prices) -> bool:
    return np.array_equal(left, right, equal_nan=True)


@pytest.mark.parametrize("last", [date(2024, 1, 10), date(2024, 5, 20), EARLY], ids=str)
def test_a_market_that_ends_earlier_is_the_beginning_of_one_that_ends_later(last: date) -> None:
    short = market(last=last)
    assert not differences(short.panel(FIRST, LAST), market().panel(FIRST, last))
    for code in short.indices():
        levels, longer = there(short.index(code, FIRST, LAST)), there(market().index(code, FIRST, last))
        assert same(levels.closes, longer.closes)
    assert short.announcements(FIRST, LAST) == market().announcements(FIRST, last)
    assert short.ratings(FIRST, LAST) == market().ratings(FIRST, last)


def test_truncation_catches_the_planted_leak_and_nothing_else() -> None:
    short, long = market(last=EARLY).fields(FIRST, LAST), market().fields(FIRST, EARLY)
    assert [name for name in short if not same(short[name], long[name])] == ["forum_mood"]
    assert same(short["forum_mood"][:-1], long["forum_mood"][:-1])
    assert np.isnan(short["forum_mood"][-1]).all()
    assert np.isfinite(long["forum_mood"][-1]).mean() > 0.9


def test_a_panel_knows_nothing_of_later_listings_and_delistings() -> None:
    early = market().panel(FIRST, date(2024, 1, 5))
    assert np.isnat(early.delisted).all()
    assert (early.listed <= early.days[-1]).all()
    assert set(early.codes) < {code for code in panel().codes} | set(early.codes)
    assert len(early.codes) < len(panel().codes)
    late = market().panel(date(2025, 12, 1), LAST)
    assert not set(late.codes) & {panel().codes[at] for at in np.flatnonzero(panel().delisted < late.days[0])}


def test_codes_and_names_are_nobodys() -> None:
    codes = {code for code, _, _ in resources.load_rows("names/securities.tsv", 3)}
    names = {name for _, name, _ in resources.load_rows("names/securities.tsv", 3)}
    listed = market().listed(LAST)
    assert all(canonical_security(code[:6]) == code for code in listed)
    assert not codes & {code[:6] for code in listed}
    assert not names & set(listed.values())
    assert len(set(listed.values())) == len(listed)
    assert list(panel().codes) == sorted(panel().codes)
    assert {code[:3] for code in listed} == {"004", "200", "309", "609", "686", "900", "929"}


def test_a_price_is_the_last_close_by_then_and_known_from_that_close() -> None:
    p = panel()
    price = there(market().price("609003.SH", date(2024, 10, 6)))
    row = int(np.searchsorted(p.days, np.datetime64("2024-10-04")))
    assert (price.day, price.close) == (date(2024, 10, 4), p.close[row, p.codes.index("609003.SH")])
    assert (price.currency, price.adjustment) == ("元", "none")
    assert price.known_at == parse_instant("2024-10-04T15:00:00") == p.known_at[row]
    level = there(market().price("990001.SH", date(2024, 10, 6)))
    assert (level.currency, level.day) == ("点", date(2024, 10, 4))
    in_dollars = there(market().price("900801.SH", date(2024, 10, 6)))
    assert in_dollars.currency == "美元"


def test_there_is_no_price_before_the_market_of_strangers_and_long_after_the_last_trade() -> None:
    assert market().price("609003.SH", date(2023, 12, 29)) is None
    assert market().price("990001.SH", date(2023, 12, 29)) is None
    assert market().price("600519.SH", date(2024, 10, 8)) is None
    p = panel()
    gone = next(at for at in range(len(p.codes)) if p.delisted[at] < np.datetime64("2025-09-01"))
    assert market().price(p.codes[gone], p.delisted[gone].item()) is not None
    assert market().price(p.codes[gone], LAST) is None


def test_the_value_of_a_company_is_its_price_times_whole_shares_and_a_dividend_adds_none() -> None:
    value, price = there(market().market_value("609003.SH", EARLY)), there(market().price("609003.SH", EARLY))
    shares = value.value / price.close
    assert shares == pytest.approx(round(shares), rel=1e-12)
    assert 2e8 < value.value < 1e12


def test_special_treatment_is_in_the_name_of_the_time() -> None:
    p = panel()
    column = next(at for at in range(len(p.codes)) if p.special[:, at].any() and not p.special[0, at])
    row = int(p.special[:, column].argmax())
    before, since = (market().listed(p.days[at].item())[p.codes[column]] for at in (row - 1, row))
    assert since == f"ST{before}"
    assert market().panel(FIRST, p.days[row].item()).names[column] == since


def test_an_industry_is_told_from_the_listing_on() -> None:
    new = np.flatnonzero(panel().listed > panel().days[0])[0]
    code, day = panel().codes[new], panel().listed[new].item()
    assert market().industry(code, FIRST) is None
    assert market().industry(code, day) is not None


def test_earnings_come_out_weeks_after_their_period_and_move_the_price_after_it() -> None:
    p, told = panel(), market().announcements(FIRST, LAST)
    assert len(told) > 2_000
    latest = {3: 30, 6: 62, 9: 31, 12: 120}
    moved = (p.close * p.factor)[1:] / (p.close * p.factor)[:-1] - 1
    first, drift = [], []
    for one in told:
        assert (
            end_of_day(one.period) < one.known_at <= end_of_day(one.period) + latest[one.period.month] * 86_400_000_000
        )
        row = int(np.searchsorted(p.opened_at, one.known_at))
        if row + 11 < len(p.days) and one.security in p.codes:
            signed = np.sign(one.surprise) * moved[row - 1 : row + 10, p.codes.index(one.security)]
            first.append(signed[0])
            drift.append(signed[1:].sum())
    assert np.nanmean(first) == pytest.approx(0.025, abs=0.004)
    assert np.nanmean(drift) == pytest.approx(0.0075, abs=0.006)


def test_what_is_asked_for_outside_of_the_market_is_said() -> None:
    with pytest.raises(ConfigurationError, match="no session"):
        market().panel(date(2020, 1, 1), date(2020, 12, 31))
    with pytest.raises(ConfigurationError, match="needs a calendar"):
        SyntheticMarket()
    with pytest.raises(ConfigurationError, match="no session"):
        SyntheticMarket(calendar=WEEKDAYS, first=date(2024, 1, 6), last=date(2024, 1, 7))
    assert market().index("000300.SH", FIRST, LAST) is None
    assert market().index("990001.SH", date(2020, 1, 1), date(2020, 12, 31)) is None
    assert not market().issues()


def test_it_is_found_by_its_name() -> None:
    assert registry.load("markets", "synthetic") is SyntheticMarket
