"""AKShare: bars of East Money by security, as they were paid, with factors from its backward adjusted closes."""

from datetime import date, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import polars as pl

from finlore.adapters.market.fetched import Asking, FetchedMarket, as_table, as_text, write_table
from finlore.errors import MissingExtra
from finlore.language.codes import canonical_security
from finlore.ports import Calendar
from finlore.records.instant import MARKET_ZONE
from finlore.records.panel import Days

_BARS: Final = {"日期": "date", "开盘": "open", "最高": "high", "最低": "low", "收盘": "close", "成交量": "volume"}
_SCHEMA: Final = {
    "code": pl.String,
    "date": pl.String,
    **dict.fromkeys(("open", "high", "low", "close", "volume", "adj_factor"), pl.Float64),
    "adjustment": pl.String,
    "volume_unit": pl.String,
}


def akshare_market(
    folder: Path, *, zone: str = MARKET_ZONE, calendar: Calendar | None, requests_per_minute: float = 60
) -> FetchedMarket:
    """The market of AKShare, kept in a folder. MissingExtra."""
    if find_spec("akshare") is None:
        raise MissingExtra("akshare", needed_for="'akshare' (markets)")
    asking = Asking(_Package(), requests_per_minute=requests_per_minute)
    return FetchedMarket(AKShare(asking, folder), folder, zone=zone, calendar=calendar)


class AKShare:
    """One file a security below `daily_bars`, its name saying from when to when it was asked for. `securities.csv` is
    fetched where it is not there: who wants fewer securities shortens it."""

    margin = timedelta(days=90)

    def __init__(self, asking: Asking, folder: Path) -> None:
        self._ask, self._folder = asking, folder

    def fill(self, sessions: Days) -> None:
        if not len(sessions):
            return
        first, last = as_text(sessions[0]), as_text(sessions[-1])
        kept = {
            file.name.partition(".")[0]: file for file in sorted((self._folder / "daily_bars").glob("[0-9]*.parquet"))
        }
        for code in self._codes():
            file = kept.get(code.partition(".")[0])
            _, since, until, _ = file.name.split(".") if file else ("", first, "", "")
            if since <= first and last <= until:
                continue
            since, until = min(since, first), max(until, last)
            bars = self._bars(code, since, until)
            write_table(self._folder / "daily_bars" / f"{code.partition('.')[0]}.{since}.{until}.parquet", bars)
            if file:
                file.unlink()

    def index(self, code: str, last: date) -> pl.DataFrame:
        digits, _, market = code.partition(".")
        levels = self._ask("stock_zh_index_daily", symbol=f"{market.lower()}{digits}")
        if levels.is_empty():
            return levels
        dated = levels.select(pl.col("date").cast(pl.String), pl.col("close").cast(pl.Float64))
        return dated.filter(pl.col("date") <= last.isoformat())

    def _codes(self) -> list[str]:
        """Canonical codes of the securities that are wanted."""
        path = self._folder / "securities.csv"
        if not path.is_file():
            listed = self._ask("stock_info_a_code_name").select("code", "name").sort("code")
            write_table(path, listed.rename({"code": "symbol"}))
        written = pl.read_csv(path, infer_schema=False)["symbol"].to_list()
        return sorted({code for digits in written if (code := canonical_security(digits or ""))})

    def _bars(self, code: str, first: str, last: str) -> pl.DataFrame:
        """Of a security; none where it did not trade in that time."""
        paid, adjusted = (
            self._ask(
                "stock_zh_a_hist",
                symbol=code.partition(".")[0],
                period="daily",
                start_date=first,
                end_date=last,
                adjust=adjust,
            )
            for adjust in ("", "hfq")
        )
        if paid.is_empty():
            return pl.DataFrame(schema=_SCHEMA)
        bars = paid.select(pl.col(name).alias(ours) for name, ours in _BARS.items())
        levels = adjusted.select(pl.col("日期").alias("date"), pl.col("收盘").alias("level"))
        return (
            bars.join(levels, on="date", how="left")
            .with_columns(
                code=pl.lit(code),
                adj_factor=pl.col("level") / pl.col("close"),
                adjustment=pl.lit("none"),
                volume_unit=pl.lit("lots"),
            )
            .select(pl.col(name).cast(kind) for name, kind in _SCHEMA.items())
        )


class _Package:
    """Requests by the package `akshare`, each of them a function of it."""

    def query(self, name: str, **parameters: str) -> pl.DataFrame:
        import akshare

        return as_table(getattr(akshare, name)(**parameters))
