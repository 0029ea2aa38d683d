"""The synthetic market as files: those of a folder of prices, a list of ratings, and what is planted in them."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from finlore.adapters.market.synthetic import planted
from finlore.adapters.market.synthetic.happenings import DRIFT, DRIFT_SESSIONS, NEWS, REACTION
from finlore.adapters.market.synthetic.market import INDICES, MARKET_VALUE, SyntheticMarket
from finlore.adapters.market.synthetic.ratings import BROKERS
from finlore.records.instant import isoformat
from finlore.records.panel import Days, IndexSeries, PricePanel, Prices

_PRICES: Final = ("open", "high", "low", "close", "volume", "factor", "upper", "lower")


def write_folder(market: SyntheticMarket, out: Path) -> list[Path]:
    """The files of a market in a folder, which is made where it is not there: bars, indices, securities, changes of
    names, classes, announcements, ratings (a list that `ingest` reads) and what is planted. OSError where it cannot."""
    out.mkdir(parents=True, exist_ok=True)
    panel = market.panel(*market.reach)
    bars = out / "daily_bars.parquet"
    _bars(panel, market.fields(*market.reach)).write_parquet(bars)
    stated = out / "planted.toml"
    stated.write_text(_planted(), encoding="utf-8")
    indices = filter(None, (market.index(code, *market.reach) for code in market.indices()))
    lists = _securities(panel), _name_changes(panel), _classes(market, panel), _announcements(market), _ratings(market)
    return [bars, stated, *(_write(out, table) for table in (*map(_index, indices), *lists))]


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


@dataclass(frozen=True, slots=True)
class _Table:
    name: str
    columns: tuple[str, ...]
    rows: Iterable[Sequence[object]]


def _write(out: Path, table: _Table) -> Path:
    path = out / f"{table.name}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows(table.rows)
    return path


def _index(series: IndexSeries) -> _Table:
    rows = ((day, close, series.total_return) for day, close in zip(series.days, series.closes, strict=True))
    return _Table(f"index_{series.code}", ("date", "close", "total_return"), rows)


def _securities(panel: PricePanel) -> _Table:
    """Indices too, for their names."""
    rows = zip(panel.codes, panel.names, _dates(panel.listed), _dates(panel.delisted), strict=True)
    indices = ((code, name, "", "") for code, name in INDICES.items())
    return _Table("securities", ("ts_code", "name", "list_date", "delist_date"), (*rows, *indices))


def _name_changes(panel: PricePanel) -> _Table:
    """Special treatment is in the name."""
    rows = [
        (code, panel.days[row], "ST" * bool(special[row]) + name.removeprefix("ST"))
        for code, name, special in zip(panel.codes, panel.names, panel.special.T, strict=True)
        for row in np.flatnonzero(np.diff(special, prepend=~special[:1]))
    ]
    return _Table("name_changes", ("ts_code", "start_date", "name"), rows)


def _classes(market: SyntheticMarket, panel: PricePanel) -> _Table:
    since = zip(panel.codes, _dates(panel.listed), strict=True)
    rows = ((code, day, market.industry(code, market.reach[1])) for code, day in since)
    return _Table("shenwan_membership", ("code", "from_date", "shenwan_code"), rows)


def _announcements(market: SyntheticMarket) -> _Table:
    told = market.announcements(*market.reach)
    rows = ((one.security, one.period, isoformat(one.known_at), one.surprise) for one in told)
    return _Table("announcements", ("code", "period", "known_at", "surprise"), rows)


def _ratings(market: SyntheticMarket) -> _Table:
    columns = ("report_date", "code", "name", "broker", "rating", "title", "crawled_at")
    told = market.ratings(*market.reach)
    rows = ((r.day, r.security[:6], r.name, r.broker, r.rating, r.title, r.crawled_at) for r in told)
    return _Table("ratings", columns, rows)


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
