"""Tushare Pro: bars, factors, limits and suspensions by session; names, listings and delistings of all securities."""

from collections.abc import Sequence
from datetime import date, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import polars as pl

from finlore.adapters.market.fetched import Asking, FetchedMarket, as_table, as_text, write_table
from finlore.errors import ConfigurationError, MissingExtra
from finlore.ports import Calendar
from finlore.records.instant import MARKET_ZONE
from finlore.records.panel import Days

_BARS: Final = {
    "ts_code": "code",
    "trade_date": "date",
    "open": "open",
    "high": "high",
    "low": "low",
    "close": "close",
    "vol": "volume",
}
_NUMBERS: Final = ("open", "high", "low", "close", "volume", "adj_factor", "up_limit", "down_limit")
_BEGINNING: Final = "19901219"


def tushare_market(
    folder: Path,
    *,
    zone: str = MARKET_ZONE,
    calendar: Calendar | None,
    token: str = "",
    requests_per_minute: float = 60,
) -> FetchedMarket:
    """The market of Tushare, kept in a folder. MissingExtra, ConfigurationError without a token."""
    if find_spec("tushare") is None:
        raise MissingExtra("tushare", needed_for="'tushare' (markets)")
    if not token:
        raise ConfigurationError("Tushare wants a token", hint="set FINLORE_TUSHARE_TOKEN")
    asking = Asking(_Package(token), requests_per_minute=requests_per_minute, secret=token)
    return FetchedMarket(Tushare(asking, folder), folder, zone=zone, calendar=calendar)


class Tushare:
    """One file a session below `daily_bars`; lists of securities and their names anew whenever bars were fetched."""

    margin = timedelta(days=10)

    def __init__(self, asking: Asking, folder: Path) -> None:
        self._ask, self._folder = asking, folder

    def fill(self, sessions: Days) -> None:
        files = {as_text(day): self._folder / "daily_bars" / f"{as_text(day)}.parquet" for day in sessions}
        missing = {day: file for day, file in files.items() if not file.is_file()}
        for day, file in missing.items():
            bars = self._bars(day)
            if len(bars):  # else it is not published yet
                write_table(file, bars)
        if missing or not (self._folder / "name_changes.csv").is_file():
            self._fetch_register()

    def index(self, code: str, last: date) -> pl.DataFrame:
        levels = self._ask.pages(
            "index_daily", ts_code=code, start_date=_BEGINNING, end_date=last.isoformat().replace("-", "")
        )
        return levels.select(date="trade_date", close="close").sort("date") if len(levels) else levels

    def _bars(self, day: str) -> pl.DataFrame:
        """Of all securities on a session, none while its prices or factors are not published; a suspended one has no
        prices. Limits are told from 2007 on."""
        daily = self._ask.pages("daily", trade_date=day)
        factors = daily if daily.is_empty() else self._ask.pages("adj_factor", trade_date=day)
        if factors.is_empty():
            return factors
        limits = _by_code(self._ask.pages("stk_limit", trade_date=day), ("up_limit", "down_limit"))
        bars = (
            daily.select(pl.col(name).alias(ours) for name, ours in _BARS.items())
            .join(_by_code(factors, ("adj_factor",)), on="code", how="left")
            .join(limits, on="code", how="left")
        )
        suspended = self._ask.pages("suspend_d", trade_date=day, suspend_type="S")
        whole_day = _by_code(suspended, ("suspend_timing",)).filter(pl.col("suspend_timing").fill_null("") == "")
        still = whole_day.select("code").unique().join(bars, on="code", how="anti")
        return pl.concat(
            [
                bars.with_columns(suspended=pl.col("code").is_in(whole_day["code"].implode())),
                still.with_columns(date=pl.lit(day), suspended=pl.lit(True)),
            ],
            how="diagonal_relaxed",
        ).with_columns(pl.col(_NUMBERS).cast(pl.Float64), adjustment=pl.lit("none"), volume_unit=pl.lit("lots"))

    def _fetch_register(self) -> None:
        fields = ("name", "list_date", "delist_date")
        listings = [
            _by_code(self._ask.pages("stock_basic", list_status=status, fields=",".join(("ts_code", *fields))), fields)
            for status in ("L", "D", "P")
        ]
        changes = _by_code(self._ask.pages("namechange"), ("name", "start_date")).unique().sort("code", "start_date")
        securities = pl.concat(listings).unique("code", keep="first").sort("code")
        for name, table in (("securities", securities), ("name_changes", changes)):
            write_table(self._folder / f"{name}.csv", table.rename({"code": "ts_code"}))


class _Package:
    """Requests by the package `tushare`."""

    def __init__(self, token: str) -> None:
        import tushare

        self._pro = tushare.pro_api(token)

    def query(self, name: str, **parameters: str) -> pl.DataFrame:
        return as_table(self._pro.query(name, **parameters))


def _by_code(answer: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """(code, columns) as text of an answer; one without rows has no columns."""
    if answer.is_empty():
        return pl.DataFrame(schema=dict.fromkeys(("code", *columns), pl.String))
    return answer.select(pl.col("ts_code").alias("code"), pl.col(columns).cast(pl.String))
