from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.knowledge.lexicon.time_frames import time_frames

PUBLISHED = date(2024, 5, 10)


def days(text: str, published: date | None = PUBLISHED) -> list[tuple[str, date | None, date | None]]:
    return [(text[f.start : f.end], f.first, f.last) for f in time_frames(text, published)]


@pytest.mark.parametrize(
    ("text", "said", "first", "last"),
    [
        ("2023年三季度收入增长", "2023年三季度", date(2023, 7, 1), date(2023, 9, 30)),
        ("预计2024-2026年利润", "2024-2026年", date(2024, 1, 1), date(2026, 12, 31)),
        ("2022年6月至2023年2月减持", "2022年6月至2023年2月", date(2022, 6, 1), date(2023, 2, 28)),
        ("到2026年产能翻倍", "到2026年", None, date(2026, 12, 31)),
        ("capacity doubles by 2026", "by 2026", None, date(2026, 12, 31)),
        ("未来三年扩产", "未来三年", PUBLISHED, date(2027, 5, 10)),
        ("over the next two years it grows", "over the next two years", PUBLISHED, date(2026, 5, 10)),
        ("今年销量上升", "今年", date(2024, 1, 1), date(2024, 12, 31)),
        ("去年停产", "去年", date(2023, 1, 1), date(2023, 12, 31)),
        ("三季度利润上升", "三季度", date(2023, 7, 1), date(2023, 9, 30)),
        ("前三季度利润上升", "前三季度", date(2023, 1, 1), date(2023, 9, 30)),
        ("上半年利润上升", "上半年", date(2024, 1, 1), date(2024, 6, 30)),
        ("Q1利润上升", "Q1", date(2024, 1, 1), date(2024, 3, 31)),
        ("in the fourth quarter sales fell", "fourth quarter", date(2023, 10, 1), date(2023, 12, 31)),
        ("5月9日公告", "5月9日", date(2024, 5, 9), date(2024, 5, 9)),
        ("11月6日晚间公告", "11月6日晚间", date(2023, 11, 6), date(2023, 11, 6)),
        ("于26日公告", "26日", date(2024, 4, 26), date(2024, 4, 26)),
    ],
)
def test_what_is_stated_has_days(text: str, said: str, first: date | None, last: date | None) -> None:
    assert days(text) == [(said, first, last)]


def test_without_a_publication_what_leans_on_it_stays_words() -> None:
    assert days("三季度利润上升", None) == [("三季度", None, None)]
    assert days("近期获批") == [("近期", None, None)]


def test_what_is_compared_with_is_not_when_it_happens() -> None:
    assert days("利润较2022年上升") == []
    assert days("sales rose from 2022") == []


def test_impossible_days_stay_words() -> None:
    assert days("2月31日公告") == [("2月31日", None, None)]


@given(st.text(alphabet="年月日季度上下半未来三Q1234567890-至到 by next year", max_size=40))
def test_frames_never_overlap_and_never_run_backwards(text: str) -> None:
    frames = time_frames(text, PUBLISHED)
    assert all(a.end <= b.start for a, b in pairwise(frames))
    assert all(0 <= frame.start < frame.end <= len(text) for frame in frames)
