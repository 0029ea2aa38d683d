"""Small markets to trade on: made by hand, and of every kind that can go wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
from hypothesis import strategies as st

from finlore.backtest.calls import Window
from finlore.backtest.compare import Comparison
from finlore.records.backtest import PAPER, STRICT, Calls, Costs, Rules
from finlore.records.panel import IndexSeries, PricePanel

SHANGHAI = ZoneInfo("Asia/Shanghai")
HOUR = 3_600_000_000


def instant(text: str) -> int:
    """Of "2024-09-27 14:59" in Shanghai."""
    return round(datetime.fromisoformat(text).replace(tzinfo=SHANGHAI).timestamp()) * 1_000_000


def sessions(first: str, n: int) -> list[str]:
    """Business days."""
    return np.datetime_as_string(np.busday_offset(np.datetime64(first, "D"), np.arange(n), roll="forward")).tolist()


def market(days: Sequence[str], *closes: Sequence[float], **columns: object) -> PricePanel:
    """A column of closes a security; each opens at its close of the day before and has no limits; all else as given."""
    close = np.array(closes, float).T.reshape(len(days), len(closes))
    n, m = close.shape
    none, never = np.full((n, m), np.nan), np.full(m, "NaT", "datetime64[D]")
    panel = PricePanel(
        days=np.array(days, "datetime64[D]"), codes=tuple(map(str, range(m))), names=("",) * m,
        open=np.vstack([close[:1], close[:-1]]), high=close, low=close, close=close, volume=np.full((n, m), 1e6),
        factor=np.ones((n, m)), upper=none, lower=none, traded=np.isfinite(close), special=np.zeros((n, m), bool),
        listed=never, delisted=never, opened_at=np.array([instant(f"{day} 09:30") for day in days], np.int64),
        known_at=np.array([instant(f"{day} 15:00") for day in days], np.int64), adjustment="none",
    )  # fmt: skip
    return replace(panel, **columns)  # type: ignore[arg-type]


def walks(n: int, m: int, *, seed: int = 5, first: str = "2025-01-06") -> PricePanel:
    """Securities that wander, 2 % a day, mostly upwards."""
    steps = np.random.default_rng(seed).normal(0.0005, 0.02, (m, n))
    return market(sessions(first, n), *(10 * np.exp(np.cumsum(steps, axis=1))).tolist())


def comparison(
    panel: PricePanel,
    rules: Rules,
    *indices: IndexSeries,
    since: str = "",
    titles: Mapping[str, str] = {},
    **classes: str,
) -> Comparison:
    """Of all days of a panel, or those from `since` on; `classes`: c and the code of a security -> its industry."""
    window = Window(date.fromisoformat(since) if since else panel.days[0].item(), panel.days[-1].item())
    return Comparison(
        panel, window, rules, benchmarks={index.code: index for index in indices},
        industries=lambda codes, day: [classes.get(f"c{code}") for code in codes], titles=titles,
    )  # fmt: skip


def said(*calls: tuple[int, str] | tuple[int, str, int]) -> Calls:
    """(security, "2024-09-27 14:59", +1 or -1): a call dated with the day on which it was made."""
    signs = [call[2] if len(call) > 2 else 1 for call in calls]
    return Calls(
        assets=np.array([call[0] for call in calls], np.int64), signs=np.array(signs, np.int8),
        at=np.array([instant(call[1]) for call in calls], np.int64),
        days=np.array([call[1][:10] for call in calls], "datetime64[D]"), confidence=np.full(len(calls), np.nan),
    )  # fmt: skip


FREE = replace(STRICT, costs=None, cap=1.0)
"""The strict rules at no cost, with as much in one security as there is."""


@st.composite
def troubled_markets(draw: st.DrawFn) -> PricePanel:
    """Sessions with holes of days and of weeks; securities with missing and impossible prices, limits, suspensions,
    splits, late listings and delistings."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, m = generator.integers(1, [25, 5]).tolist()
    is_calm = draw(st.booleans())
    steps = generator.choice([1, 1, 1, 2, 3, 9] if not is_calm else [1], n)
    offsets = np.busday_offset(np.datetime64("2024-01-01"), np.cumsum(steps))
    days = [str(day) for day in offsets]
    close = 10 * np.exp(np.cumsum(generator.normal(0, 0.08, (n, m)), axis=0))
    opened = close * np.exp(generator.normal(0, 0.03, (n, m)))
    trouble = 0.0 if is_calm else draw(st.sampled_from([0.02, 0.15]))
    for prices in (close, opened):
        wrong = generator.random((n, m)) < trouble
        prices[wrong] = generator.choice([np.nan, 0.0, -1.0, np.inf], wrong.sum())

    def limit(sign: int) -> np.ndarray:
        at, asked = generator.random((n, m)), np.where(generator.random((n, m)) < 0.5, close, opened)
        return np.where(at < trouble, asked, np.where(at < 0.5, asked * (1 + sign * 0.2), np.nan))

    ends = generator.integers(0, n + 2, m)
    ends = np.where(generator.random(m) < (0 if is_calm else 0.4), ends, -9)
    delisted = [offsets[end] if 0 <= end < n else np.datetime64("NaT") for end in ends.tolist()]
    return market(
        days, *close.T, open=opened, upper=limit(1), lower=limit(-1), traded=generator.random((n, m)) >= trouble,
        factor=np.cumprod(generator.choice([1.0, 1.0, 1.0, 2.0, 1.05], (n, m)), axis=0),
        delisted=np.array(delisted, "datetime64[D]"),
    )  # fmt: skip


@st.composite
def scattered_calls(draw: st.DrawFn, panel: PricePanel) -> Calls:
    """At all hours from before the first session to after the last, printed dates beside them."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    k = int(generator.integers(0, 25))
    first, last = panel.days[0].item() - timedelta(4), panel.days[-1].item() + timedelta(4)
    days = [first + timedelta(int(day)) for day in generator.integers(0, (last - first).days, k)]
    hours = generator.choice(["00:00", "09:30", "10:00", "14:59", "15:00", "15:01", "23:59"], k)
    at = [instant(f"{day} {hour}") for day, hour in zip(days, hours, strict=True)]
    off = generator.choice([0, 0, 0, -3, 2], k)
    printed: list[date] = [day + timedelta(int(by)) for day, by in zip(days, off, strict=True)]
    signs = generator.choice([1, 1, 1, 1, -1], k)
    assets = generator.integers(-1, len(panel.codes), k)
    return Calls(
        assets.astype(np.int64), signs.astype(np.int8), np.array(at, np.int64), np.array(printed, "datetime64[D]"),
        np.full(k, np.nan),
    )  # fmt: skip


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    """Strict and paper, and everything that may be set in them."""
    rules = draw(st.sampled_from([STRICT, PAPER]))
    dated = Costs(stamp_duty=((date(1990, 1, 1), 0.001), (date(2024, 1, 15), 0.0005)))
    small = replace(dated, capital=100_000.0)
    return replace(
        rules, entry=draw(st.sampled_from(["open", "close", "next_close"])), sleeves=draw(st.integers(1, 3)),
        cap=draw(st.sampled_from([0.1, 0.4, 1.0])), costs=draw(st.sampled_from([None, dated, small])),
    )  # fmt: skip
