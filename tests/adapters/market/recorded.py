"""What Tushare and AKShare would answer of a small market: three securities and an index in May 2024."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import polars as pl

from finlore.adapters.market.akshare import AKShare
from finlore.adapters.market.fetched import Asking, FetchedMarket, Source
from finlore.adapters.market.tushare import Tushare
from finlore.records.instant import MARKET_ZONE, Instant, parse_instant
from tests.adapters.market.folders import Weekdays

SESSIONS = ("20240506", "20240507", "20240508", "20240509", "20240510")
# code: open, high, low, close, volume in lots, factor, of each session; None where it is suspended
BARS: Mapping[str, Sequence[tuple[float, ...] | None]] = {
    "600991.SH": [(10, 10.5, 9.8, 10, 120, 1), (10, 11, 10, 11, 300, 1), (11.2, 11.5, 11, 11.4, 90, 1), None, None],
    "309901.SZ": [(40, 41, 39, 40, 50, 1), (40, 42, 40, 41, 60, 1), (20.5, 21, 20, 20.5, 90, 2),
                  (20.5, 21, 20, 20.8, 9, 2), (20.8, 22, 20.7, 21.5, 70, 2)],
    "688991.SH": [(5, 5.2, 4.9, 5, 7, 1)] * 5,
}  # fmt: skip
NAMES = {"600991.SH": "云禾精机", "309901.SZ": "霜桥光学", "688991.SH": "砚川生物"}
LEVELS = dict(zip(SESSIONS, (3500.0, 3510.5, 3490.25, 3520.0, 3515.5), strict=True))
INDEX = "000300.SH"


@dataclass
class Recorded:
    """Answers requests from what stands above, `refused` of them at first; what was asked is kept."""

    answer: Callable[[str, Mapping[str, str]], pl.DataFrame]
    refused: int = 0
    asked: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)

    def query(self, name: str, **parameters: str) -> pl.DataFrame:
        self.asked.append((name, parameters))
        if self.refused:
            self.refused -= 1
            raise OSError("抱歉，您每分钟最多访问该接口 60 次 (token sesame)")
        return self.answer(name, parameters)


@dataclass
class Clock:
    """Time that passes only while somebody sleeps."""

    seconds: float = 0.0

    def read(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


def of_tushare(name: str, asked: Mapping[str, str]) -> pl.DataFrame:
    day = asked.get("trade_date", "")
    whole = _TUSHARE[name](day, asked)
    offset, limit = int(asked.get("offset", 0)), int(asked.get("limit", 5_000))
    return whole.slice(offset, limit)


def _on(day: str, *, trading: bool = True) -> list[tuple[str, tuple[float, ...]]]:
    at = SESSIONS.index(day) if day in SESSIONS else None
    found = [] if at is None else [(code, bars[at]) for code, bars in BARS.items()]
    return [(code, bar or ()) for code, bar in found if (bar is not None) == trading]


def _daily(day: str, _: Mapping[str, str]) -> pl.DataFrame:
    rows = [
        {"ts_code": code, "trade_date": day, "open": o, "high": h, "low": lo, "close": c, "vol": v, "amount": 1.0}
        for code, (o, h, lo, c, v, _) in _on(day)
    ]
    return pl.DataFrame(rows)


def _limits(day: str, _: Mapping[str, str]) -> pl.DataFrame:
    at = SESSIONS.index(day)
    rows = []
    for code, bar in _on(day):
        before = BARS[code][max(at - 1, 0)] or (0.0,) * 6
        reference = before[3] * before[5] / bar[5]
        band = 0.2 if not code.startswith("60") else 0.1 if day < "20240508" else 0.05
        up, down = round(reference * (1 + band), 2), round(reference * (1 - band), 2)
        rows.append({"trade_date": day, "ts_code": code, "up_limit": up, "down_limit": down})
    return pl.DataFrame(rows)


def _listings(_: str, asked: Mapping[str, str]) -> pl.DataFrame:
    if asked["list_status"] != "L":
        return pl.DataFrame()
    return pl.DataFrame(
        [{"ts_code": code, "name": name, "list_date": "20100104", "delist_date": None} for code, name in NAMES.items()]
    )


def _index(_: str, asked: Mapping[str, str]) -> pl.DataFrame:
    rows = [{"ts_code": INDEX, "trade_date": day, "close": close} for day, close in LEVELS.items()]
    return pl.DataFrame([row for row in reversed(rows) if row["trade_date"] <= asked["end_date"]]) if (
        asked["ts_code"] == INDEX
    ) else pl.DataFrame()  # fmt: skip


_TUSHARE: Mapping[str, Callable[[str, Mapping[str, str]], pl.DataFrame]] = {
    "daily": _daily,
    "adj_factor": lambda day, _: pl.DataFrame(
        [{"ts_code": code, "trade_date": day, "adj_factor": bar[5]} for code, bar in _on(day)]
    ),
    "stk_limit": _limits,
    "suspend_d": lambda day, _: pl.DataFrame(
        [
            {"ts_code": code, "trade_date": day, "suspend_timing": None, "suspend_type": "S"}
            for code, _ in _on(day, trading=False)
        ]
    ),
    "stock_basic": _listings,
    "namechange": lambda *_: pl.DataFrame(
        [
            {"ts_code": "600991.SH", "name": "云禾精机", "start_date": "20100104", "end_date": "20240507"},
            {"ts_code": "600991.SH", "name": "*ST云禾", "start_date": "20240508", "end_date": None},
            {"ts_code": "309901.SZ", "name": "霜桥光学", "start_date": "20100104", "end_date": None},
            {"ts_code": "688991.SH", "name": "砚川生物", "start_date": "20100104", "end_date": None},
        ]
    ),
    "index_daily": _index,
}


def of_akshare(name: str, asked: Mapping[str, str]) -> pl.DataFrame:
    if name == "stock_info_a_code_name":
        return pl.DataFrame({"code": [code[:6] for code in NAMES], "name": list(NAMES.values())})
    if name == "stock_zh_index_daily":
        days = [date.fromisoformat(day) for day in LEVELS]
        return pl.DataFrame({"date": days, "close": list(LEVELS.values())} if asked["symbol"] == "sh000300" else {})
    code = next(code for code in BARS if code.startswith(asked["symbol"]))
    rows = []
    for day, bar in zip(SESSIONS, BARS[code], strict=True):
        if bar is None or not asked["start_date"] <= day <= asked["end_date"]:
            continue
        times = bar[5] if asked["adjust"] == "hfq" else 1
        prices = dict(zip(("开盘", "最高", "最低", "收盘"), (price * times for price in bar[:4]), strict=True))
        rows.append({"日期": date.fromisoformat(day), "股票代码": code[:6], **prices, "成交量": bar[4], "换手率": 0.3})
    return pl.DataFrame(rows)


def tushare(folder: Path, endpoint: Recorded | None = None, *, today: str = "2024-06-03") -> FetchedMarket:
    return _market(Tushare(asking(endpoint or Recorded(of_tushare)), folder), folder, today)


def akshare(folder: Path, endpoint: Recorded | None = None, *, today: str = "2024-06-03") -> FetchedMarket:
    return _market(AKShare(asking(endpoint or Recorded(of_akshare)), folder), folder, today)


def asking(endpoint: Recorded, clock: Clock | None = None) -> Asking:
    time = clock or Clock()
    return Asking(endpoint, requests_per_minute=60, secret="sesame", clock=time.read, sleep=time.sleep)


def _market(source: Source, folder: Path, today: str) -> FetchedMarket:
    def clock() -> Instant:
        return parse_instant(today)

    return FetchedMarket(source, folder, zone=MARKET_ZONE, calendar=Weekdays(), clock=clock)


def folder_text() -> tuple[str, str, str]:
    """The same market as files: bars, securities, index."""
    bars = ["code,date,open,high,low,close,volume,adj_factor,adjustment"]
    for code, rows in BARS.items():
        bars += [f"{code},{day},{','.join(map(str, bar))},none" for day, bar in zip(SESSIONS, rows, strict=True) if bar]
    names = ["ts_code,name", *(f"{code},{name}" for code, name in NAMES.items())]
    levels = ["date,close", *(f"{day},{close}" for day, close in LEVELS.items())]
    return tuple("\n".join(lines) + "\n" for lines in (bars, names, levels))  # type: ignore[return-value]
