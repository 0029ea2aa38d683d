"""Prices from a source on the network, fetched into a folder that is then read like any other.

What is there is not asked for again, so that a run that was cut short goes on where it stopped.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import polars as pl

from finlore.adapters.market.folder import MarketFolder
from finlore.errors import ConfigurationError, LimitExceeded
from finlore.ports import Calendar
from finlore.records.document import Issue
from finlore.records.instant import Instant, now
from finlore.records.market import MarketValue, Price
from finlore.records.panel import Days, IndexSeries, PricePanel, Prices

_TRIES: Final = 3
_WAIT: Final = 5.0
"""Seconds before the second try; twice as long before each further one."""
_PAGE: Final = 5_000
_BEGINNING: Final = date(1990, 1, 1)


class Endpoint(Protocol):
    """Answers one request with a table, its columns named as the source names them. It may raise anything."""

    def query(self, name: str, **parameters: str) -> pl.DataFrame: ...


class Source(Protocol):
    """How one source fills a folder."""

    margin: timedelta
    """Bars before the first day of a panel that it takes to tell the limits of that day."""

    def fill(self, sessions: Days) -> None:
        """Fetch what the folder lacks of the bars of these sessions, of all securities."""

    def index(self, code: str, last: date) -> pl.DataFrame:
        """(date, close) of an index from its beginning, as far as the source has it."""


class Asking:
    """Requests to an endpoint: at most so many a minute, each tried a few times. LimitExceeded when it does not answer.
    `secret` is left out of what is said of errors."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        requests_per_minute: float,
        secret: str = "",
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._endpoint, self._secret, self._clock, self._sleep = endpoint, secret, clock, sleep
        self._interval = 60.0 / requests_per_minute
        self._free_at = clock()

    def __call__(self, name: str, **parameters: str) -> pl.DataFrame:
        for attempt in range(_TRIES):
            self._pause(0.0 if not attempt else _WAIT * 2 ** (attempt - 1))
            try:
                return self._endpoint.query(name, **parameters)
            except Exception as error:  # a border: packages of sources raise whatever their transport does
                failure = _failure(error)
        if self._secret:
            failure = failure.replace(self._secret, "…")
        raise LimitExceeded(
            f"the source does not answer {name}: {failure[:200]}", hint="what was fetched is kept: ask again later"
        )

    def pages(self, name: str, **parameters: str) -> pl.DataFrame:
        """All rows of an answer that comes in pages."""
        return pl.concat(list(self._pages(partial(self, name, **parameters))), how="vertical_relaxed")

    def _pages(self, ask: Callable[..., pl.DataFrame]) -> Iterator[pl.DataFrame]:
        for offset in range(0, 1_000 * _PAGE, _PAGE):
            page = ask(limit=str(_PAGE), offset=str(offset))
            yield page
            if len(page) < _PAGE:
                return

    def _pause(self, seconds: float) -> None:
        wait = max(self._free_at - self._clock(), seconds)
        if wait > 0:
            self._sleep(wait)
        self._free_at = self._clock() + self._interval


class FetchedMarket:
    """The market port on a source. Only `panel` and `index` ask it; all else is read from what they have fetched."""

    def __init__(
        self,
        source: Source,
        folder: Path,
        *,
        zone: str,
        calendar: Calendar | None,
        clock: Callable[[], Instant] = now,
    ) -> None:
        if calendar is None:
            raise ConfigurationError(
                "prices are fetched session by session, and there is no calendar", hint="pip install 'finlore[market]'"
            )
        self._source, self._folder, self._zone, self._calendar, self._clock = source, folder, zone, calendar, clock
        self._read = self._open()

    def panel(self, first: date, last: date) -> PricePanel:
        with _reading_answers():
            self._source.fill(self._over(max(first, _BEGINNING) - self._source.margin, last))
        self._read = self._open()
        return self._read.panel(first, last)

    def levels(self, last: date, *, over: timedelta) -> Iterator[tuple[Days, Prices]]:
        return self._read.levels(last, over=over)

    def index(self, code: str, first: date, last: date) -> IndexSeries | None:
        over = self._over(last - timedelta(days=30), last).tolist()
        known = self._read.price(code, last) if code in self._read.indices() else None
        if over and (known is None or known.day < over[-1]):
            with _reading_answers():
                levels = self._source.index(code, over[-1])
            if len(levels):
                write_table(self._folder / f"index_{code}.csv", levels)
                self._read = self._open()
        return self._read.index(code, first, last)

    def price(self, security: str, day: date) -> Price | None:
        return self._read.price(security, day)

    def market_value(self, security: str, day: date) -> MarketValue | None:
        return self._read.market_value(security, day)

    def listed(self, day: date) -> Mapping[str, str]:
        return self._read.listed(day)

    def industry(self, security: str, day: date) -> str | None:
        return self._read.industry(security, day)

    def indices(self) -> Sequence[str]:
        return self._read.indices()

    def issues(self) -> Sequence[Issue]:
        return self._read.issues()

    def _over(self, first: date, last: date) -> Days:
        """The sessions in a time that have ended."""
        days = self._calendar.sessions(first, last)
        at = self._clock()
        return days[[self._calendar.close_of(day) <= at for day in days.tolist()]] if len(days) else days

    def _open(self) -> MarketFolder:
        self._folder.mkdir(parents=True, exist_ok=True)
        return MarketFolder(self._folder, zone=self._zone, calendar=self._calendar)


def _failure(error: Exception) -> str:
    """What a source says; of what its transport says of itself the kind alone."""
    kind = type(error)
    is_of_transport = isinstance(error, OSError) and kind.__module__.partition(".")[0] in ("requests", "urllib3")
    return f"no connection to it ({kind.__name__})" if is_of_transport else f"{kind.__name__}: {error}"


@contextmanager
def _reading_answers() -> Iterator[None]:
    """ConfigurationError where an answer has other columns than those that are known."""
    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise ConfigurationError(
            f"the source answers in another form than expected: {str(error)[:200]}",
            hint="try another release of its package",
        ) from error


def write_table(path: Path, table: pl.DataFrame) -> None:
    """A file, CSV or Parquet by its name, that is there as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    write = table.write_parquet if path.suffix == ".parquet" else table.write_csv
    write(unfinished)
    unfinished.replace(path)


def as_table(answer: Any) -> pl.DataFrame:  # noqa: ANN401 - of pandas, which is not imported for it
    """What a package answers."""
    return pl.DataFrame({column: answer[column].to_list() for column in answer.columns})


def as_text(day: np.datetime64) -> str:
    """20240506, as sources want it."""
    return str(day).replace("-", "")
