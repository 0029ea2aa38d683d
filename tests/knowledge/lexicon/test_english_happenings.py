"""What English sentences tell, and what they only list."""

import pytest

from finlore.records.fact import Event
from tests.read_reports import extracted


def told(text: str) -> list[Event]:
    return list(extracted(text, title="Results", published_at="2023-05-25", broker="").events)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            ("Net sales increased 11.4% to $3.2 billion compared to $2.9 billion in the first quarter of fiscal 2022."),
            [("earning", "good")],
        ),
        (
            (
                "Comparable sales increased 6.2%, driven by a 5.0% increase in transactions and a 1.1% increase "
                "in average ticket."
            ),
            [("sales", "good")],
        ),
        (
            (
                "As a percentage of net sales, gross profit decreased to 38.2% from 39.0% in the first quarter of "
                "fiscal 2022."
            ),
            [("profit", "bad")],
        ),
        (
            (
                "Operating income decreased 3.0% to $301.2 million, or 9.4% of net sales, compared to $310.5 "
                "million, or 10.7% of net sales, in the year-ago quarter."
            ),
            [("profit", "bad")],
        ),
        (
            (
                "Diluted EPS rose 9% to $1.86, including a $0.05 benefit from a legal settlement, versus $1.71 a "
                "year ago."
            ),
            [("profit", "good")],
        ),
        (
            "Revenue for the three months ended March 31, 2023 was $845.3 million, up 14% year-over-year.",
            [("earning", "good")],
        ),
        (
            (
                "Net loss for the quarter narrowed to $18.4 million, or $0.22 per share, from $31.0 million, or "
                "$0.38 per share, a year earlier."
            ),
            [("profit", "good")],
        ),
        (
            "Gross margin expanded 120 basis points to 45.2%, reflecting lower freight costs and favourable mix.",
            [("profit", "good")],
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
            [("lower_cost", "bad")],
        ),
        (
            (
                "As of April 1, 2023, $310.0 million remained available under the $1.0 billion share repurchase "
                "program announced in May 2021."
            ),
            [],
        ),
        (
            "During the first quarter, the company repurchased 1.2 million shares for $140 million.",
            [("market_action", "good")],
        ),
        ("Adjusted EBITDA of $96 million fell 8% from $104 million in the first quarter of 2022.", [("profit", "bad")]),
        ("Cloud services revenue grew 27% to $1.4 billion.", [("earning", "good")]),
        (
            "The board declared a quarterly dividend of 45 cents per share, payable on June 30, 2023.",
            [("income", "good")],
        ),
        (
            "We raise our full-year 2023 revenue guidance to $4.1-4.3 billion from $3.9-4.1 billion.",
            [("performance", "good")],
        ),
        (
            (
                "Such forward-looking statements are subject to risks and uncertainties, including slower growth, "
                "higher costs and supply chain disruptions, that could cause actual results to differ materially."
            ),
            [],
        ),
        ("Q1 EPS of $1.42 beat consensus of $1.35 on stronger margins.", [("profit", "good")]),
        (
            "The company agreed to acquire Pinecrest Analytics for $1.9 billion in cash.",
            [("merger_acquisition", "good")],
        ),
        (
            "The company completed the sale of its packaging division to Alderway Partners for $420 million.",
            [("spin_off", "neutral")],
        ),
        (
            "The company won a contract worth $250 million from Northgate Rail to supply signalling systems.",
            [("sales", "good")],
        ),
        ("Regulators fined the company $75 million over disclosure failures.", [("regulatory_action", "bad")]),
        ("The company will launch its next-generation inverter in September.", [("new_product", "good")]),
        ("The company opened 24 new stores and closed three during the quarter.", [("capacity_adjustment", "good")]),
    ],
)
def test_a_sentence_of_this_kind_tells(text: str, wanted: list[tuple[str, str]]) -> None:
    assert [(event.subtype, event.direction) for event in told(text)] == wanted


def test_all_that_is_listed_as_a_cause_is_one_cause() -> None:
    (event,) = told("Gross profit fell 4%, primarily due to higher freight, new store openings, and product launches.")
    assert event.cause == "higher freight, new store openings, and product launches"


def test_a_cause_of_a_part_is_none_of_the_whole() -> None:
    (event,) = told("EPS rose 9% to $6.88, including a $0.14 benefit due to a legal settlement.")
    assert event.cause == ""


def test_the_board_acts_for_the_company() -> None:
    (event,) = told("The Board of Directors authorized a new $200 million share repurchase program.")
    assert event.subject.entity == "300750.SZ"


def test_what_moves_behind_another_noun_is_that_noun() -> None:
    assert told("Subscribers were 210,000 and churn fell.") == []
