"""The synthetic market as files: those of a folder of prices, a list of ratings, and what is planted in them."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from finlore.adapters.market.synthetic import planted
from finlore.adapters.market.synthetic.happenings import DRIFT, DRIFT_SESSIONS, NEWS, REACTION
from finlore.adapters.market.synthetic.market import INDICES, MARKET_VALUE, SyntheticMarket
from finlore.adapters.market.synthetic.ratings import BROKERS
from finlore.records.instant import isoformat
from finlore.records.panel import Days, PricePanel, Prices

_PRICES: Final = ("open", "high", "low", "close", "volume", "factor", "upper", "lower")
Row = Sequence[object]


def write_folder(market: SyntheticMarket, out: Path) -> list[Path]:
    """The files of a market in a folder, which is made where it is not there: bars, indices, securities, changes of
    names, classes, announcements, ratings (a list that `ingest` reads) and what is planted. OSError where it cannot."""
    out.mkdir(parents=True, exist_ok=True)
    panel = market.panel(*market.reach)
    bars = out / "daily_bars.parquet"
    _bars(panel, market.fields(*market.reach)).write_parquet(bars)
    stated = out / "planted.toml"
    stated.write_text(_planted(), encoding="utf-8")
    return [
        bars,
        stated,
        *(_write(out / f"{name}.csv", columns, rows) for name, columns, rows in _tables(market, panel)),
    ]


def _tables(market: SyntheticMarket, panel: PricePanel) -> Iterator[tuple[str, Sequence[str], Iterable[Row]]]:
    """(name, columns, rows) of each file that is a list."""
    for series in filter(None, (market.index(code, *market.reach) for code in market.indices())):
        levels = ((day, close, series.total_return) for day, close in zip(series.days, series.closes, strict=True))
        yield f"index_{series.code}", ("date", "close", "total_return"), levels
    listed = _dates(panel.listed)
    securities = zip(panel.codes, panel.names, listed, _dates(panel.delisted), strict=True)
    indices = ((code, name, "", "") for code, name in INDICES.items())  # for their names
    yield "securities", ("ts_code", "name", "list_date", "delist_date"), (*securities, *indices)
    yield "name_changes", ("ts_code", "start_date", "name"), _name_changes(panel)
    classes = (
        (code, day, market.industry(code, market.reach[1])) for code, day in zip(panel.codes, listed, strict=True)
    )
    yield "shenwan_membership", ("code", "from_date", "shenwan_code"), classes
    earnings = market.announcements(*market.reach)
    told = ((one.security, one.period, isoformat(one.known_at), one.surprise) for one in earnings)
    yield "announcements", ("code", "period", "known_at", "surprise"), told
    rated = market.ratings(*market.reach)
    reports = ((r.day, r.security[:6], r.name, r.broker, r.rating, r.title, r.crawled_at) for r in rated)
    yield "ratings", ("report_date", "code", "name", "broker", "rating", "title", "crawled_at"), reports


def _name_changes(panel: PricePanel) -> Iterator[Row]:
    """Special treatment is in the name."""
    for code, name, special in zip(panel.codes, panel.names, panel.special.T, strict=True):
        for row in np.flatnonzero(np.diff(special, prepend=~special[:1])):
            yield code, panel.days[row], "ST" * bool(special[row]) + name.removeprefix("ST")


def _bars(panel: PricePanel, fields: Mapping[str, Prices]) -> pl.DataFrame:
    """One row for each security that was traded on a day, by day and code."""
    rows, columns = np.nonzero(panel.traded)
    codes = pl.Series(panel.codes)
    told = {name: getattr(panel, name)[rows, columns] for name in _PRICES}
    told |= {name: fields[name][rows, columns] for name in (MARKET_VALUE, planted.LEAK)}
    return pl.DataFrame(
        {
            "code": codes.gather(columns),
            "date": panel.days[rows].astype("datetime64[ms]"),
            **told,
            "special": panel.special[rows, columns],
            "suspended": np.zeros(len(rows), bool),
        }
    ).with_columns(
        pl.col("date").cast(pl.Date),
        pl.col(*told).fill_nan(None),
        adjustment=pl.lit("none"),
        volume_unit=pl.lit("shares"),
    )


def _write(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    return path


def _dates(days: Days) -> list[str]:
    return ["" if np.isnat(day) else str(day) for day in days]


def _planted() -> str:
    """What is true of the market, as TOML."""
    skills = "\n".join(f'"{broker}" = {skill}' for broker, skill in BROKERS.items())
    return f"""\
# What is planted in these prices: what finds it works, what finds more is wrong.
[factor]
name = "{planted.FACTOR}"
formula = "{planted.FORMULA}"
weekly_rank_ic = {planted.WEEKLY_IC}

[leak]
name = "{planted.LEAK}"
what = "stamped with a day, made of the return of the next"

[announcements]
reaction = {REACTION}  # of the price to a surprise of 1, in the session after it is known
drift = {DRIFT}  # in each of the next sessions
sessions = {DRIFT_SESSIONS}

[news]
of_a_week = {NEWS}  # what the best does to a price, evenly over five sessions: within a week moves go on

[brokers]  # share of the reports that know of next week's news
{skills}
"""
