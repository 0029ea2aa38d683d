"""Small folders of prices, and a calendar of weekdays, for tests that read panels."""

from dataclasses import fields
from datetime import date, datetime, time
from pathlib import Path
from typing import TypeVar
from zoneinfo import ZoneInfo

import numpy as np

from finlore.adapters.market.folder import MarketFolder
from finlore.records.instant import MARKET_ZONE, Instant, instant_of
from finlore.records.panel import Days, PricePanel, Prices

Told = TypeVar("Told")
HEAD = "code,date,open,high,low,close,volume"


class Weekdays:
    """Sessions on weekdays but for holidays."""

    def __init__(self, *holidays: str, reach: tuple[date, date] = (date(2000, 1, 1), date(2030, 12, 31))) -> None:
        self._holidays, self.reach = np.array(holidays, "datetime64[D]"), reach

    def sessions(self, first: date, last: date) -> Days:
        first, last = max(first, self.reach[0]), min(last, self.reach[1])
        days = np.arange(first, np.datetime64(last) + 1, dtype="datetime64[D]")
        return days[np.is_busday(days, holidays=self._holidays)]

    def close_of(self, session: date) -> Instant:
        return instant_of(datetime.combine(session, time(15), ZoneInfo(MARKET_ZONE)))


def still(code: str, day: str, price: float, volume: float = 5) -> str:
    """A bar of one price."""
    return f"{code},{day},{price},{price},{price},{price},{volume}"


def write(folder: Path, *rows: str, head: str = HEAD, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "daily_bars.csv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    for name, text in files.items():
        suffix = "toml" if name == "daily_bars" else "csv"
        (folder / f"{name}.{suffix}").write_text(text, encoding="utf-8")
    return folder


def panel(
    folder: Path,
    *rows: str,
    head: str = HEAD,
    span: tuple[str, str] = ("2000-01-01", "2030-12-31"),
    calendar: Weekdays | None = None,
    **files: str,
) -> PricePanel:
    """What a folder with these files tells of the days of `span`."""
    write(folder, *rows, head=head, **files)
    first, last = map(date.fromisoformat, span)
    return MarketFolder(folder, calendar=calendar).panel(first, last)


def there(value: Told | None) -> Told:
    """What must not be missing."""
    assert value is not None
    return value


def differences(one: PricePanel, other: PricePanel, rows: slice = slice(None)) -> list[str]:
    """The fields in which a panel is not, to the last bit, the `rows` of another one."""
    rest = other.sessions(rows)
    return [
        field.name for field in fields(PricePanel) if not _are_same(getattr(one, field.name), getattr(rest, field.name))
    ]


def _are_same(left: object, right: object) -> bool:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return np.array_equal(left, right, equal_nan=left.dtype.kind in "fM")
    return left == right


def told(panel: PricePanel) -> str:
    return " | ".join(issue.message for issue in panel.issues)


def of(panel: PricePanel, values: Prices, code: str) -> list[float | None]:
    """A column, NaN as None."""
    column = values[:, panel.codes.index(code)].tolist()
    return [None if value != value else round(value, 6) for value in column]
