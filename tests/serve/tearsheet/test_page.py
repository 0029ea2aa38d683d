"""The page of a backtest: what it tells, what it keeps silent about, and that it needs nothing else."""

import json
import re
from dataclasses import replace
from datetime import date
from functools import cache
from math import inf, nan
from typing import get_args

import lxml.html
import numpy as np
import pytest
from lxml import etree

from finlore import resources
from finlore.backtest.document import as_document
from finlore.backtest.results import Backtest, Contribution, EquityCurve, Figure, StrategyResult
from finlore.records.backtest import CallState
from finlore.records.document import Issue
from finlore.serve import tearsheet
from tests.serve.tearsheet.made import backtest, benchmark, curve, strategy, unknown

HOSTILE = (
    "<script>alert(1)</script>\"'&",
    "长" * 10_000,
    "abc\u202efdp\u200f שלום\x00\ud800",
    "{{ 7*7 }}{% raw %}",
    "",
)
SIXTY = tuple(strategy(f"broker {n}", weeks=300, seed=n) for n in range(60))
LARGE = backtest(*SIXTY, strategy("always-rise", weeks=300, drift=-0.01), weeks=300, benchmarks=[benchmark(weeks=300)])
ALL = {
    "usual": backtest(strategy(), strategy("other", seed=3), benchmarks=[benchmark(), benchmark("x", "y", seed=9)]),
    "hostile": backtest(*(strategy(name, seed=n) for n, name in enumerate(HOSTILE)), inputs={"<b>": '"><i>'}),
    "large": LARGE,
    "short": backtest(strategy(weeks=8), weeks=8),
    "one week": backtest(strategy(weeks=1), weeks=1),
    "no week": backtest(strategy(weeks=0), weeks=0, benchmarks=[benchmark(weeks=0)]),
    "unknown": backtest(unknown(), benchmarks=[]),
    "none": backtest(benchmarks=[], inputs={}),
}


def page(made: Backtest) -> str:
    return tearsheet.page(as_document(made))


def read(made: Backtest | str) -> lxml.html.HtmlElement:
    text = made if isinstance(made, str) else page(made)
    return lxml.html.document_fromstring(text.encode())


def table(document: lxml.html.HtmlElement, section: str, *, having: str = "") -> dict[str, dict[str, str]]:
    """{row: {column: text}} of the first table of a section, or of the first that has a column."""
    for found in document.xpath(f"//section[@id='{section}']//table"):
        heads = [head.text_content() for head in found.xpath("./thead/tr/th")][1:]
        if not having or having in heads:
            return {
                row.xpath("./th")[0].text_content().strip(): dict(
                    zip(heads, (cell.text_content() for cell in row.xpath("./td")), strict=True)
                )
                for row in found.xpath("./tbody/tr")
            }
    raise AssertionError(having)


@cache
def told(name: str) -> str:
    return page(ALL[name])


each = pytest.mark.parametrize("name", ALL)


@each
def test_the_file_needs_nothing_from_outside(name: str) -> None:
    text = told(name)
    assert not re.search(r"://|\burl\(|@import", text)
    document = read(text)
    assert not document.xpath("//script | //link | //img | //iframe | //object | //form | //@src | //@onclick")
    assert all(link.startswith("#") for link in document.xpath("//@href"))


@each
def test_every_drawing_is_well_formed_and_says_what_it_is(name: str) -> None:
    drawings = re.findall(r"<svg.*?</svg>", told(name), re.S)
    for drawn in drawings:
        root = etree.fromstring(drawn)
        assert root.get("aria-hidden") or root.findtext("title")
    assert not re.search(r'="[^"]*\b(nan|inf)\b', " ".join(drawings))


@each
def test_every_number_stands_under_a_head_that_leads_to_its_definition(name: str) -> None:
    document = read(told(name))
    defined = set(document.xpath("//section[@id='definitions']//dt/@id"))
    for found in document.xpath("//table[not(@class='inputs')]"):
        heads = found.xpath("./thead/tr/th")[1:]
        assert all(head.xpath("./a/@href")[0][1:] in defined for head in heads)
        assert all(len(row.xpath("./td")) == len(heads) for row in found.xpath("./tbody/tr"))


@each
def test_every_link_leads_somewhere_and_no_name_is_given_twice(name: str) -> None:
    document = read(told(name))
    names = document.xpath("//@id")
    assert len(names) == len(set(names))
    assert {link[1:] for link in document.xpath("//@href")} <= set(names)


@each
def test_the_same_record_gives_the_same_bytes(name: str) -> None:
    assert page(replace(ALL[name])) == told(name)


def test_the_page_knows_no_clock() -> None:
    days = {str(day) for one in (*ALL["usual"].strategies, *ALL["usual"].benchmarks) for day in one.curve.days}
    dates = set(re.findall(r"\b20\d\d-\d\d-\d\d\b", told("usual")))
    assert dates <= days | {"2024-08-28", "2025-03-07"}
    assert str(date.today()) not in dates


def test_sixty_strategies_of_three_hundred_weeks_take_less_than_500_kilobytes() -> None:
    assert len(told("large").encode()) < 500_000
    long_names = tuple(replace(one, name=f"{n}{'长' * 10_000}") for n, one in enumerate(SIXTY))
    assert len(page(replace(LARGE, strategies=long_names)).encode()) < 500_000


def test_names_are_text_whatever_they_hold() -> None:
    text = told("hostile")
    assert "<script" not in text
    assert "alert(1)" in text
    assert "{{ 7*7 }}" in text
    assert not re.search("[\x00\u202e\ud800]", text)
    assert text.encode()


def test_names_stand_apart_from_the_direction_of_what_is_around_them() -> None:
    for cell in read(told("hostile")).xpath("//table[not(@class='inputs')]/tbody/tr/th"):
        assert cell.xpath("./bdi")


def test_net_and_gross_and_both_ratios_stand_under_different_heads() -> None:
    document = read(backtest(strategy()))
    row, calls, trading = (
        table(document, section, having=head)["momentum"]
        for section, head in (("results", "ARR"), ("calls", "ACC"), ("trading", "Coverage"))
    )
    assert row["SR (paper)"] == "1.330"
    assert row["Sharpe"] == "1.260"
    assert row["ARR"] == "+39.2 %"
    assert row["MDD"] == "9.1 %"
    assert (calls["ACC"], calls["ACC 95 %"], calls["ACC traded"]) == ("54.5 %", "49.7 to 59.1 %", "55.2 %")
    assert (row["Exposure"], calls["Constant"]) == ("82.0 %", "52.3 %")
    assert (calls["Base rate"], calls["Excess ACC"], calls["Bought"]) == ("52.3 %", "+2.2 pp", "900")
    assert (trading["Coverage"], trading["Blocked"], trading["Turnover"]) == ("96.6 %", "36", "43.0 %")
    assert (trading["Capacity"], trading["Tightest 5 %"]) == ("104 bn", "6.8 mn")
    assert {"Total net", "Total gross", "VOL", "CR"} <= set(row)


def test_benchmarks_stand_below_the_strategies_with_what_applies_to_them() -> None:
    rows = table(read(backtest(strategy())), "results")
    assert list(rows) == ["momentum", "CSI 300 000300.SH"]
    assert rows["CSI 300 000300.SH"]["Sharpe"] == "1.260"
    assert rows["CSI 300 000300.SH"]["Over index"] == ""


@pytest.mark.parametrize("weeks", [0, 1, 8, 26])
def test_nothing_is_annualised_below_26_weekly_returns_even_if_the_record_has_a_number(weeks: int) -> None:
    document = read(backtest(strategy(weeks=weeks), weeks=weeks, benchmarks=[benchmark(weeks=weeks)]))
    annual = {"ARR", "VOL", "SR (paper)", "Sharpe", "CR", "Sharpe 95 %", "PSR", "DSR", "Weeks needed", "Alpha"}
    heads = {link.text_content() for link in document.xpath("//thead//a")}
    assert not heads & annual
    said = document.text_content()
    of = f"Not meaningful of {max(0, weeks - 1)} weekly returns (26 are needed)"
    assert f"{of}: ARR, VOL, SR (paper), Sharpe, CR" in said
    assert f"{of}: Sharpe, Sharpe 95 %, PSR, DSR, Weeks needed" in said
    assert f"{of}: Alpha, Tracking error, IR" in said
    for number in ("39.2", "29.5", "1.330", "1.260", "4.332", "3.020", "43.1", "0.700", "Sharpe ratio a year"):
        assert number not in said
    assert f"{max(0, weeks - 1)} weekly returns are fewer than 26" in said


def test_from_26_weekly_returns_on_numbers_are_annualised() -> None:
    document = read(backtest(strategy(weeks=27), weeks=27))
    assert "ot meaningful" not in document.xpath("//section[@id='results']")[0].text_content()
    assert "Not meaningful:" not in document.text_content()


def test_what_is_unknown_is_a_dash_and_what_nobody_knows_has_no_column() -> None:
    both = read(backtest(unknown(), strategy(), benchmarks=[]))
    assert set(table(both, "results")["unknown"].values()) == {"–"}
    document = read(ALL["unknown"])
    assert set(table(document, "calls", having="Calls")["unknown"]) == {"Calls", "To buy", "Bought"}
    assert not re.search(r"\bnan\b|\binf\b", both.text_content() + document.text_content())


@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_a_single_number_that_is_none_hurts_nothing(value: float) -> None:
    values = strategy().curve.values.copy()
    values[[3, 9]] = value
    one = replace(strategy(), curve=replace(curve(28), values=values), psr=value, breadth=value)
    rows = table(read(backtest(one, strategy("other"))), "chance")
    assert (rows["momentum"]["PSR"], rows["other"]["PSR"]) == ("–", "0.910")


def test_results_stand_first_and_what_to_bear_in_mind_whole_below_them() -> None:
    sections = read(backtest(strategy())).xpath("//section/@id")
    assert sections[:3] == ["results", "honesty", "calls"]
    text = page(backtest(strategy(weeks=8), weeks=8))
    places = [
        text.index(part) for part in ("Not meaningful:", "Too little to tell", "<table", "was delisted before is")
    ]
    assert places == sorted(places)
    assert "take no number on trust" in page(replace(backtest(), honesty=()))


def test_a_kept_document_makes_the_same_page_and_one_that_knew_less_a_page_too() -> None:
    document = as_document(backtest(strategy()))
    assert tearsheet.page(json.loads(json.dumps(document))) == page(backtest(strategy()))
    del document["strategies"][0]["constant_acc"], document["overfitting"], document["benchmarks"][0]["exposure"]
    rows = table(read(tearsheet.page(document)), "calls")
    assert "Constant" not in rows["momentum"]


def test_of_many_strategies_what_is_of_all_calls_stands_open_and_single_brokers_fold() -> None:
    names = ("brokers", "always-rise", "equal-weight", "composite")
    many = [strategy(f"broker:{n}", seed=n, drift=0.01) for n in range(20)]
    document = read(backtest(*many, *(strategy(name, drift=-0.02) for name in names)))
    shown = set(table(document, "results"))
    assert set(names) < shown
    assert len([name for name in shown if name.startswith("broker:")]) == 5


def test_the_notice_stands_first_last_and_for_machines() -> None:
    text = page(backtest())
    assert text.count("AI-generated, research use, not investment advice") == 3


def test_strategies_stand_by_their_total_the_unknown_last() -> None:
    rows = list(table(read(backtest(unknown(), strategy("bad", drift=-0.02), strategy("good", drift=0.02))), "results"))
    assert rows[:3] == ["good", "bad", "unknown"]


def test_of_many_strategies_the_best_and_always_rise_are_shown_and_the_rest_opens() -> None:
    document = read(told("large"))
    shown = [name for name in table(document, "results") if "CSI" not in name]
    assert len(shown) == 6
    assert shown[-1] == "always-rise"
    rest = document.xpath("//section[@id='results']/details[1]")[0]
    assert rest.findtext("summary") == "55 more strategies"
    assert len(rest.xpath(".//tbody/tr")) == 55
    drawn = document.xpath("//section[@id='curves']//ul/li")
    assert [one.text_content() for one in drawn] == [*shown, "CSI 300"]


def test_a_period_tells_the_excess_over_the_first_benchmark_by_sign_and_shade() -> None:
    document = read(backtest(strategy()))
    rows = table(document, "periods")
    assert rows["2024-09"] == {"CSI 300": "+8.1 %", "momentum": "+6.2 %−1.9 pp"}
    shades = document.xpath("//section[@id='periods']//tbody/tr/td[2]/@class")
    assert shades == ["down1", "up1"]


def test_the_luck_of_trying_is_counted() -> None:
    chance = read(backtest(strategy())).xpath("//section[@id='chance']")[0]
    assert "variants tried, which DSR counts: 12; Percentile compares within these same weeks" in " ".join(
        chance.text_content().split()
    )


def test_what_hindered_trading_is_counted_under_its_name_and_a_new_cause_under_other_counts() -> None:
    one = replace(strategy(), counts={"at_limit": 31, "eaten by a dog": 2, "conflict": 0})
    document = read(backtest(one))
    row = table(document, "trading", having="eaten by a dog")["momentum"]
    assert row["Limit-up at entry"] == "31"
    assert row["eaten by a dog"] == "2"
    assert "Conflicts" not in row
    assert document.xpath("//a[.='eaten by a dog']/@href") == ["#d-counts"]


def test_every_fate_of_a_call_has_a_definition_of_its_own() -> None:
    assert not set(get_args(CallState)) - set(resources.load_toml("tearsheet/definitions.toml"))


def test_around_the_call_means_stand_with_how_many_they_are_of() -> None:
    assert table(read(backtest(strategy())), "around")["momentum"]["entry … exit"] == "−0.30 %n 1\u202f198"


def test_industries_are_drawn_as_shares_of_all_of_calls_and_of_holdings() -> None:
    section = read(backtest(strategy())).xpath("//section[@id='industries']")[0]
    for style in ("universe", "signals", "holdings"):
        assert len(section.xpath(f".//*[@class='bar {style}']")) == 4


def test_figures_to_hold_results_against_stand_with_their_interval_and_unit() -> None:
    figure = Figure("luck of the universe", 0.523, 0.49, 0.561, 812, "share of calls")
    rose = Figure("share of the universe that rose", 0.523, 0.49, 0.561, 812)
    document = read(replace(backtest(strategy()), figures=(figure, rose)))
    rows = table(document, "calls", having="n")
    assert rows["luck of the universe share of calls"] == {"Value": "0.523", "95 %": "0.490 to 0.561", "n": "812"}
    assert rows["universe that rose"] == {"Value": "52.3 %", "95 %": "49.0 to 56.1 %", "n": "812"}
    assert document.xpath("//a[.='universe that rose']/@href") == ["#d-share-of-the-universe-that-rose"]


def test_scores_are_told_beside_what_they_are_held_to_and_what_is_not_known_has_no_row() -> None:
    figures = (
        Figure("AUC of beating the median of the week", 0.54, 0.51, 0.57, 30),
        Figure("top half less universe", 14.04, -3.0, 31.0, 30, "bp a week"),
        Figure("Brier of P(rise) on reports", nan, nan, nan, 0),
        Figure("total by the rules of paper", 0.046, nan, nan, 28),
    )
    document = read(backtest(replace(strategy(), figures=figures), strategy("other")))
    rows = table(document, "chance", having="Held to")
    assert {name: row["Held to"] for name, row in rows.items()} == {
        "AUC of all scores": "0.530 or more, its interval above 0.500: met",
        "top half less universe": "+10.0 bp or more: met, but its interval holds 0",
    }
    assert rows["top half less universe"]["95 %"] == "−3.0 to +31.0 bp"
    paper = {name: row["Total, paper"] for name, row in table(document, "results").items()}
    assert (paper["momentum"], paper["other"]) == ("+4.6 %", "–")


def test_overfitting_is_told_of_enough_strategies_and_weeks_and_else_why_not() -> None:
    def said(*strategies: StrategyResult) -> str:
        return " ".join(read(backtest(*strategies)).xpath("//section[@id='chance']")[0].text_content().split())

    assert "PBO: not meaningful (weekly returns 27, 26 needed; differing strategies 3, 4 needed)" in said(
        *(strategy(f"{n}", seed=n) for n in range(3))
    )
    assert re.search(
        r"PBO: \d+\.\d % of 924 splits of 27 weekly returns of 4 differing strategies",
        said(*(strategy(f"{n}", seed=n) for n in range(4))),
    )


def test_contributions_of_industries_add_up_and_the_small_ones_are_one_row() -> None:
    parts = tuple(Contribution(f"industry {n}", 0.1, 0.1, 12.0 - n, 1.0, -0.5) for n in range(10))
    document = read(backtest(replace(strategy(), attribution=parts)))
    rows = table(document, "industries")
    assert list(rows) == [*(f"industry {n}" for n in range(8)), "2 others", "All"]
    assert (rows["industry 0"]["Allocation"], rows["2 others"]["Allocation"]) == ("+12.0", "+7.0")
    assert (rows["All"]["In all"], rows["All"]["Universe"]) == ("+80.0", "100.0 %")


def test_inputs_stand_with_their_hashes_and_issues_are_told_up_to_a_number() -> None:
    many = tuple(Issue(f"file {n}", "is odd") for n in range(140))
    text = page(replace(backtest(replace(strategy(), issues=many)), issues=many))
    assert "a3" * 32 in text
    assert "and 40 more" in text
    assert "and 135 more" in text


def test_a_curve_begins_at_one_whatever_its_first_value() -> None:
    index = benchmark()
    points = replace(index, curve=EquityCurve(index.curve.days, 3_000 * index.curve.values, index.curve.exposure))
    assert page(backtest(benchmarks=[points])) == page(backtest(benchmarks=[index]))


def test_a_stylesheet_of_ones_own_takes_the_place_of_the_shipped_one(tmp_path) -> None:
    (tmp_path / "tearsheet").mkdir()
    (tmp_path / "tearsheet" / "style.css").write_text("p { color: teal }")
    resources.override_with(tmp_path)
    try:
        assert "p { color: teal }" in page(backtest())
    finally:
        resources.override_with(None)


def test_text_can_be_read_on_its_ground_in_light_and_dark() -> None:
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#\w+);", part))
        for part in resources.read_text("tearsheet/style.css").split("prefers-color-scheme")[:2]
    )
    for colours in (light, dark):
        for text in ("ink", "quiet", "link", "up", "down"):
            assert _contrast(colours[text], colours["ground"]) >= 4.5, text
        for shade in ("up1", "up2", "up3", "down1", "down2", "down3", "warn", "band"):
            assert _contrast(colours["ink"], colours[shade]) >= 4.5, shade
        for hue in ("hue0", "hue1", "hue2", "hue3", "hue4", "plain", "holdings"):
            assert _contrast(colours[hue], colours["ground"]) >= 3, hue


def _contrast(one: str, other: str) -> float:
    """WCAG 2."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = np.array([int(digits[place : place + 2], 16) for place in (0, 2, 4)]) / 255
    return float(np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722))
