"""Bars from before those that are read, as the last that each security told of what is carried on."""

from datetime import date, timedelta
from typing import Final

import numpy as np
import polars as pl

from finlore.adapters.market.columns import DEAREST
from finlore.language.codes import canonical_security
from finlore.ports import Calendar

_PRICES: Final = ("open", "high", "low", "close")
_LONGEST_HOLIDAY: Final = timedelta(days=30)


def last_told(bars: pl.LazyFrame) -> pl.LazyFrame:
    """One row for each code: its last close, adjustment, factor, special, listed and delisted that are told, whenever
    that was, and `first`, the day of its first bar; on the last day of all its rows. `first` may be told already."""
    columns = bars.collect_schema().names()
    prices = [pl.col(name) for name in _PRICES if name in columns]
    is_bar = pl.all_horizontal((price > 0) & (price <= DEAREST) for price in prices)
    is_told = {"close": is_bar, "adjustment": is_bar, "factor": pl.col("factor").is_finite() & (pl.col("factor") > 0)}
    told = [
        pl.col(name).get(pl.when(is_told.get(name, pl.col(name).is_not_null())).then(pl.col("day")).arg_max())
        for name in ("close", "adjustment", "factor", "special", "listed", "delisted")
        if name in columns
    ]
    first = pl.col("first").min() if "first" in columns else pl.col("day").filter(is_bar).min().alias("first")
    return bars.drop_nulls(["code", "day"]).group_by("code").agg(pl.col("day").max(), first, *told)


def as_bars(told: pl.DataFrame, floor: date, like: pl.DataFrame, calendar: Calendar | None) -> pl.DataFrame:
    """What was last told by `last_told`, as bars of the last session before `floor` in the columns of others, for the
    securities of these."""
    wanted = {canonical_security(code) for code in like["code"].drop_nulls().unique()}
    codes = {code: canonical_security(code) for code in told["code"]}
    known = told.with_columns(code=pl.col("code").replace_strict(codes, return_dtype=pl.String))
    rows = last_told(known.filter(pl.col("code").is_in(list(wanted - {None}))).lazy()).collect()
    prices = {name: pl.col("close") for name in _PRICES if name in like.columns}
    return rows.with_columns(day=pl.lit(_session_before(floor, calendar)), **prices).select(
        pl.col(name).cast(kind) if name in rows.columns or name in prices else pl.lit(None, kind).alias(name)
        for name, kind in like.schema.items()
    )


def first_days(told: pl.DataFrame) -> dict[str, date]:
    """Canonical code -> the day of the first bar."""
    found: dict[str, date] = {}
    for code, day in told.select("code", "first").drop_nulls().iter_rows():
        security = canonical_security(code) or code
        found[security] = min(day, found.get(security, day))
    return found


def _session_before(floor: date, calendar: Calendar | None) -> date:
    """Where no calendar reaches, weekdays are sessions."""
    weekdays = np.array([np.busday_offset(floor, -1, roll="forward")], "datetime64[D]")
    known = calendar.sessions(floor - _LONGEST_HOLIDAY, floor - timedelta(days=1)) if calendar else weekdays
    before: date = (known if len(known) else weekdays)[-1].item()
    return before
