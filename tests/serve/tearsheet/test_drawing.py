"""Scales, ticks, paths and elements: what every drawing is made of."""

from itertools import pairwise
from math import isfinite, nan

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from finlore.serve.tearsheet import axes, charts, drawing
from finlore.serve.tearsheet.charts import Bar, Series, Whisker
from finlore.serve.tearsheet.drawing import Scale, element
from finlore.serve.tearsheet.wording import share, tick

DAYS = np.datetime64("2024-08-30") + 7 * np.arange(400)


@given(st.floats(-1e3, 1e3), st.floats(1e-2, 1e6), st.integers(2, 8))
@example(1e-290, 1.2, 5)
def test_ticks_are_round_lie_inside_and_are_few(low: float, width: float, most: int) -> None:
    ticks = drawing.round_ticks(low, low + width, most=most)
    assert len(ticks) <= most
    assert all(low - 1e-6 * width <= one <= low + width * (1 + 1e-6) for one in ticks)
    steps = np.diff(ticks)
    assert all(f"{step:.6e}"[:8] in {"1.000000", "2.000000", "5.000000"} for step in steps)


def test_ticks_of_a_usual_range_are_those_a_person_would_choose() -> None:
    assert drawing.round_ticks(0.78, 1.36) == [0.8, 0.9, 1.0, 1.1, 1.2, 1.3]
    assert drawing.round_ticks(-0.28, 0.0, most=4) == [-0.2, -0.1, 0.0]
    assert drawing.log_ticks(0.4, 12.0) == [0.5, 1.0, 2.0, 5.0, 10.0]
    assert drawing.log_ticks(1.1, 1.9) == drawing.round_ticks(1.1, 1.9)


def test_a_logarithmic_scale_gives_equal_room_to_equal_factors() -> None:
    scale = Scale(1, 100, 0, 10, True)
    assert scale.at(10) - scale.at(1) == pytest.approx(scale.at(100) - scale.at(10))


@given(st.lists(st.floats(0, 300), max_size=12))
def test_labels_are_moved_apart_keep_their_order_and_stay_inside(places: list[float]) -> None:
    moved = drawing.apart(places, gap=15, low=0, high=300)
    ordered = sorted(moved)
    assert all(below - above >= 15 - 1e-6 for above, below in pairwise(ordered))
    assert all(-1e-6 <= place <= 300 + 1e-6 for place in moved)
    assert [moved[row] for row in sorted(range(len(places)), key=lambda row: places[row])] == ordered


def test_labels_that_have_room_are_not_moved() -> None:
    assert drawing.apart([200.0, 50.0, 100.0], gap=15, low=0, high=300) == [200.0, 50.0, 100.0]


def test_a_path_is_interrupted_where_a_value_is_unknown_and_shows_a_lonely_one_as_a_dot() -> None:
    assert drawing.path([(0, 1), (1, 2), (2, nan), (3, 4)]) == "M0,1l1,1M3,4h0"
    assert drawing.path([(0, nan), (1, nan)]) == ""
    assert drawing.path([(0, 1), (2, 3)], ground=9) == "M0,1l2,2V9H0Z"


def test_steps_of_a_path_do_not_add_up_to_an_error() -> None:
    steps = drawing.path([(n * 0.333, 0.0) for n in range(1000)]).partition("l")[2].split()
    assert sum(float(step.partition(",")[0]) for step in steps) == pytest.approx(999 * 0.333, abs=0.06)


def test_what_is_said_in_an_element_is_escaped_and_what_cannot_be_read_is_marked() -> None:
    made = element("text", '<b>&"\x00', class_='a"b', text_anchor="end", x=1.04, y=None)
    assert made == '<text class="a&#34;b" text-anchor="end" x="1">&lt;b&gt;&amp;&#34;�</text>'
    etree.fromstring(made)


@given(st.text(max_size=60), st.integers(8, 40))
def test_a_shortened_text_fits_and_keeps_both_ends(text: str, width: int) -> None:
    short = drawing.shortened(text, width)
    assert len(short) <= width
    assert short == text or (text.startswith(short.partition("…")[0]) and "…" in short)


def test_wide_characters_count_two() -> None:
    assert drawing.shortened("中信证券", 8) == "中信证券"
    assert drawing.shortened("中信证券股份", 9) == "中信证…份"


@pytest.mark.parametrize(
    ("weeks", "expected"),
    [
        (28, ["2024-09", "2024-10", "2024-11", "2024-12", "2025-01", "2025-02", "2025-03"]),
        (2, ["2024-08-30", "2024-09-06"]),
        (1, ["2024-08-30"]),
        (0, []),
        (400, ["2025", "2026", "2027", "2028", "2029", "2030", "2031", "2032"]),
    ],
)
def test_days_are_marked_at_first_days_of_months_or_years(weeks: int, expected: list[str]) -> None:
    assert [label for _, label in axes.date_ticks([DAYS[:weeks]], most=8)] == expected


MAYBE = st.one_of(st.just(nan), st.floats(-10, 1e4))


@settings(deadline=None, max_examples=50)
@given(st.lists(MAYBE, max_size=12))
def test_every_drawing_is_well_formed_whatever_is_unknown(values: list[float]) -> None:
    series = Series("A & <B>", "s0", DAYS[: len(values)], np.array(values))
    bounds = drawing.span(values, always=(0.0,))
    for made in (
        charts.lines([series, series], title="x"),
        charts.area(series, bounds=bounds, say=share, note="n"),
        charts.bars([Bar("b", (one,)) for one in values], bounds=bounds, styles=("s0",), say=share, title="t"),
        charts.whiskers([Whisker("w", "s0", one, one, nan, one) for one in values], chance=0.0, say=share, mark=tick,
                        title="t"),
    ):  # fmt: skip
        root = etree.fromstring(made)
        assert "nan" not in made
        width, height = (float(size) for size in root.get("viewBox").split()[2:])
        for text in root.iter("text"):
            assert 0 <= float(text.get("x")) <= width
            assert 0 <= float(text.get("y")) <= height
            assert isfinite(float(text.get("x")))
