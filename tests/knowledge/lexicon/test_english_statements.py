"""What sentences of English releases, guidance, broker notes and news state, and how it is put together."""

import pytest

from finlore.records.fact import Fact
from tests.read_reports import extracted

TITLE = "First Quarter Fiscal 2023 Results"
B, M, D, ANY = "十亿美元", "百万美元", "美元", ""


def stated(text: str, *, title: str = TITLE, published: str = "2023-05-25", security: str = "300750") -> list[Fact]:
    """The figures of a sentence of a report on a first quarter."""
    found = extracted(f"# {title}\n\n{text}", title=title, published_at=published, security=security, broker="")
    return [fact for fact in found.facts if fact.relation.startswith("metric:")]


def row(fact: Fact, *, has_period: bool = True) -> tuple[object, ...]:
    period = fact.period if has_period else ANY
    ends = (fact.bound,) if fact.bound else ()
    return fact.relation.removeprefix("metric:"), fact.value, fact.unit, period, *ends


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            ("Net sales increased 11.4% to $3.2 billion compared to $2.9 billion in the first quarter of fiscal 2022."),
            [("revenue.growth", 11.4, "%", "2023Q1"), ("revenue", 3.2, B, "2023Q1"), ("revenue", 2.9, B, "2022Q1")],
        ),
        (
            (
                "Net income was $212.5 million, or $4.31 per diluted share, compared to $198.0 million, or $3.90 "
                "per diluted share, in the prior-year quarter."
            ),
            [
                ("net_profit", 212.5, M, "2023Q1"),
                ("eps_diluted", 4.31, D, "2023Q1"),
                ("net_profit", 198.0, M, "2022Q1"),
                ("eps_diluted", 3.9, D, "2022Q1"),
            ],
        ),
        (
            (
                "Comparable sales increased 6.2%, driven by a 5.0% increase in transactions and a 1.1% increase "
                "in average ticket."
            ),
            [("same_store.growth", 6.2, "%", "2023Q1")],
        ),
        (
            (
                "As a percentage of net sales, gross profit decreased to 38.2% from 39.0% in the first quarter of "
                "fiscal 2022."
            ),
            [("gross_margin", 38.2, "%", "2023Q1"), ("gross_margin", 39.0, "%", "2022Q1")],
        ),
        (
            (
                "Operating income decreased 3.0% to $301.2 million, or 9.4% of net sales, compared to $310.5 "
                "million, or 10.7% of net sales, in the year-ago quarter."
            ),
            [
                ("operating_profit.growth", -3.0, "%", "2023Q1"),
                ("operating_profit", 301.2, M, "2023Q1"),
                ("operating_margin", 9.4, "%", "2023Q1"),
                ("operating_profit", 310.5, M, "2022Q1"),
                ("operating_margin", 10.7, "%", "2022Q1"),
            ],
        ),
        (
            (
                "Diluted EPS rose 9% to $1.86, including a $0.05 benefit from a legal settlement, versus $1.71 a "
                "year ago."
            ),
            [
                ("eps_diluted.growth", 9.0, "%", "2023Q1"),
                ("eps_diluted", 1.86, D, "2023Q1"),
                ("eps_diluted", 1.71, D, "2022Q1"),
            ],
        ),
        (
            "Revenue for the three months ended March 31, 2023 was $845.3 million, up 14% year-over-year.",
            [("revenue", 845.3, M, "2023Q1"), ("revenue.growth", 14.0, "%", "2023Q1")],
        ),
        (
            (
                "Net loss for the quarter narrowed to $18.4 million, or $0.22 per share, from $31.0 million, or "
                "$0.38 per share, a year earlier."
            ),
            [
                ("net_profit", -18.4, M, "2023Q1"),
                ("eps", -0.22, D, "2023Q1"),
                ("net_profit", -31.0, M, "2022Q1"),
                ("eps", -0.38, D, "2022Q1"),
            ],
        ),
        (
            "Gross margin expanded 120 basis points to 45.2%, reflecting lower freight costs and favourable mix.",
            [("gross_margin.growth", 120.0, "bps", "2023Q1"), ("gross_margin", 45.2, "%", "2023Q1")],
        ),
        (
            (
                "The increase is due to inventory to support higher demand, product cost increases, 41 net new "
                "stores, new brand launches, and brand expansions."
            ),
            [],
        ),
        (
            (
                "SG&A expenses rose 12.5% to $402 million, primarily due to higher wages, new store openings and "
                "investments in technology."
            ),
            [("sga.growth", 12.5, "%", "2023Q1"), ("sga", 402.0, M, "2023Q1")],
        ),
        (
            (
                "The company ended the quarter with cash and cash equivalents of $1.1 billion and total debt of "
                "$640 million."
            ),
            [("cash", 1.1, B, "2023Q1"), ("interest_bearing_debt", 640.0, M, "2023Q1")],
        ),
        (
            (
                "As of April 1, 2023, $310.0 million remained available under the $1.0 billion share repurchase "
                "program announced in May 2021."
            ),
            [],
        ),
        ("During the first quarter, the company repurchased 1.2 million shares for $140 million.", []),
        (
            "Adjusted EBITDA of $96 million fell 8% from $104 million in the first quarter of 2022.",
            [("ebitda", 96.0, M, "2023Q1"), ("ebitda.growth", -8.0, "%", "2023Q1"), ("ebitda", 104.0, M, "2022Q1")],
        ),
        (
            "Cloud services revenue grew 27% to $1.4 billion.",
            [("revenue.segment.growth", 27.0, "%", "2023Q1"), ("revenue.segment", 1.4, B, "2023Q1")],
        ),
        (
            (
                "Operating cash flow was $220 million and capital expenditures were $75 million, resulting in "
                "free cash flow of $145 million."
            ),
            [
                ("operating_cash_flow", 220.0, M, "2023Q1"),
                ("capex", 75.0, M, "2023Q1"),
                ("free_cash_flow", 145.0, M, "2023Q1"),
            ],
        ),
        (
            "The effective tax rate was 23.1% compared with 21.9% in the same period last year.",
            [("tax_rate", 23.1, "%", "2023Q1"), ("tax_rate", 21.9, "%", "2022Q1")],
        ),
        (
            "The board declared a quarterly dividend of 45 cents per share, payable on June 30, 2023.",
            [("dps", 45.0, "美分", ANY)],
        ),
        (
            ("Net income attributable to shareholders was $(12.6) million for the thirteen weeks ended April 1, 2023."),
            [("net_profit_parent", -12.6, M, "2023Q1")],
        ),
        (
            "Total revenue of $5.6bn (+8% y/y) and EBIT of $710mn (+15% y/y).",
            [
                ("revenue", 5.6, B, "2023Q1"),
                ("revenue.growth", 8.0, "%", "2023Q1"),
                ("ebit", 710.0, M, "2023Q1"),
                ("ebit.growth", 15.0, "%", "2023Q1"),
            ],
        ),
        (
            (
                "For fiscal 2023, the company expects net sales of $12.4 billion to $12.6 billion and comparable "
                "sales growth of 4% to 5%."
            ),
            [
                ("revenue", 12.4, B, "2023", "low"),
                ("revenue", 12.6, B, "2023", "high"),
                ("same_store.growth", 4.0, "%", "2023", "low"),
                ("same_store.growth", 5.0, "%", "2023", "high"),
            ],
        ),
        (
            (
                "The company now expects diluted EPS in the range of $17.15 to $17.65, up from its prior outlook "
                "of $16.90 to $17.40."
            ),
            [("eps_diluted", 17.15, D, ANY, "low"), ("eps_diluted", 17.65, D, ANY, "high")],
        ),
        (
            "Operating margin for the full year 2023 is anticipated to be between 14.6% and 14.9%.",
            [("operating_margin", 14.6, "%", "2023", "low"), ("operating_margin", 14.9, "%", "2023", "high")],
        ),
        (
            "Capital expenditures are projected at approximately $400 million in fiscal 2023.",
            [("capex", 400.0, M, "2023")],
        ),
        (
            "We raise our full-year 2023 revenue guidance to $4.1-4.3 billion from $3.9-4.1 billion.",
            [("revenue", 4.1, B, "2023", "low"), ("revenue", 4.3, B, "2023", "high")],
        ),
        (
            "Second-quarter 2023 revenue is expected to decline 2% to 4%.",
            [("revenue.growth", -4.0, "%", "2023Q2", "low"), ("revenue.growth", -2.0, "%", "2023Q2", "high")],
        ),
        (
            (
                "Such forward-looking statements are subject to risks and uncertainties, including slower growth, "
                "higher costs and supply chain disruptions, that could cause actual results to differ materially."
            ),
            [],
        ),
        ("We reiterate our Buy rating and raise our price target to $610 from $540.", []),
        (
            "We cut our 2023 EPS estimate to $5.40 from $5.75 and our 2024 estimate to $6.10.",
            [("eps", 5.4, D, "2023"), ("eps", 6.1, D, "2024")],
        ),
        ("The shares trade at 18x our 2024 EPS estimate.", [("pe", 18.0, "x", "2024")]),
        (
            "We forecast revenue growth of 9% in 2023 and 11% in 2024.",
            [("revenue.growth", 9.0, "%", "2023"), ("revenue.growth", 11.0, "%", "2024")],
        ),
        ("Q1 EPS of $1.42 beat consensus of $1.35 on stronger margins.", [("eps", 1.42, D, "2023Q1")]),
        ("Downgraded to Neutral from Overweight after the weak quarter.", []),
        ("The company agreed to acquire Pinecrest Analytics for $1.9 billion in cash.", []),
        ("The company completed the sale of its packaging division to Alderway Partners for $420 million.", []),
        ("The company won a contract worth $250 million from Northgate Rail to supply signalling systems.", []),
        ("Regulators fined the company $75 million over disclosure failures.", []),
        ("The company will launch its next-generation inverter in September.", []),
        ("The company opened 24 new stores and closed three during the quarter.", []),
    ],
)
def test_a_sentence_of_this_kind_states(text: str, wanted: list[tuple[object, ...]]) -> None:
    found = stated(text)
    kept = [w[3] != ANY for w in wanted] + [True] * len(found)
    assert sorted(map(repr, (row(f, has_period=k) for f, k in zip(found, kept, strict=False)))) == sorted(
        map(repr, wanted)
    )


def test_what_is_expected_is_a_forecast_and_what_is_reported_is_not() -> None:
    (low, high) = stated("Operating margin for the full year 2023 is anticipated to be between 14.6% and 14.9%.")
    assert (low.basis, high.basis) == ("forecast", "forecast")
    (margin,) = stated("Operating margin was 14.6%, higher than we had expected.")
    assert (margin.period, margin.basis) == ("2023Q1", "actual")


def test_a_reported_fiscal_period_whose_days_lie_ahead_is_actual_and_has_no_days() -> None:
    (revenue,) = stated("Revenue was $5.1 billion in the third quarter of fiscal 2023.")
    assert (revenue.period, revenue.basis, revenue.valid_to) == ("2023Q3", "actual", None)


def test_an_outlook_without_a_period_is_of_none_that_is_over() -> None:
    assert {fact.period for fact in stated("The company now expects diluted EPS of $17.15 to $17.65.")} == {""}


def test_a_segment_is_named_before_the_measure_or_behind_it() -> None:
    assert [fact.part for fact in stated("Bakery segment net sales fell 10% to $210 million.")] == [
        "bakery segment"
    ] * 2
    assert [fact.part for fact in stated("Revenue from cloud services rose 10% to $210 million.")] == [
        "cloud services"
    ] * 2


@pytest.mark.parametrize(
    "text",
    [
        "Net sales rose, and the number of transactions grew 3%.",
        "Net income includes a $5 million charge for the closure of two plants.",
        "Revenue increased by $5 million.",
        "Revenue of $1.2 billion compares with the $1.1 billion expected by analysts.",
        "Gross profit rose from $20 million.",
    ],
)
def test_numbers_of_other_things_are_none_of_the_measure(text: str) -> None:
    assert [fact for fact in stated(text) if fact.value != 1.2] == []


def test_the_company_that_a_title_begins_with_is_meant_where_nobody_is_named() -> None:
    title = "Quarry Point Trust reports results for 2022"
    text = "Quarry Point Trust raised rents.\n\nNet income was $12 million in 2022."
    (found,) = stated(text, title=title, security="")
    assert found.subject.name == "Quarry Point Trust"


def test_a_company_that_is_called_by_its_first_word_later_is_the_same() -> None:
    text = "Northgate Rail Holdings Inc. opened a depot. Northgate's revenue grew 7% to $5.2 billion in 2022."
    assert {fact.subject.name for fact in stated(text, title="News of the day", security="")} == {
        "Northgate Rail Holdings"
    }
