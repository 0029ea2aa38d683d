"""How fast an endpoint may be asked, and how long to wait before it is asked again."""

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import Final

LONGEST_WAIT: Final = 60.0  # seconds; who asks to wait longer is not waited for
_FIRST_WAIT: Final = 0.5


class Bucket:
    """Lets `per_minute` units pass a minute; a full minute's worth may pass at once."""

    def __init__(self, per_minute: float | None, *, clock: Callable[[], float]) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._level = per_minute or 0.0
        self._at = clock()
        self._lock = Lock()

    def take(self, units: float) -> float:
        """Seconds to wait before these units may pass. They count at once, so that nobody overtakes."""
        if self._per_minute is None:
            return 0.0
        with self._lock:
            now = self._clock()
            self._level = min(self._per_minute, self._level + (now - self._at) * self._per_minute / 60)
            self._at = now
            self._level -= units
            return max(0.0, -self._level * 60 / self._per_minute)


class Pace:
    """Requests and tokens a minute, and the pause that an endpoint asked for."""

    def __init__(
        self,
        *,
        requests: float | None,
        tokens: float | None,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._requests = Bucket(requests, clock=clock)
        self._tokens = Bucket(tokens, clock=clock)
        self._clock = clock
        self._sleep = sleep
        self._paused_until = 0.0

    def wait(self, tokens: int) -> None:
        """Return when a request of so many tokens may be sent."""
        seconds = max(self._requests.take(1), self._tokens.take(tokens), self._paused_until - self._clock())
        if seconds > 0:
            self._sleep(seconds)

    def pause(self, seconds: float) -> None:
        """Nobody sends before so many seconds have passed."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)


def wait_before(attempt: int, *, retry_after: float | None, draw: Callable[[], float]) -> float:
    """Seconds before attempt 1, 2, …: as long as the endpoint asks, else twice as long each time, less a random part
    (`draw` from 0 to 1) so that many clients do not come back together."""
    if retry_after is not None:
        return retry_after
    longest = min(LONGEST_WAIT, _FIRST_WAIT * 2.0**attempt)
    return longest * (0.5 + 0.5 * draw())


def retry_after(header: str | None, *, now: datetime | None = None) -> float | None:
    """Seconds of a `Retry-After` header, be it a number or a date; None when there is none, or it says nothing."""
    text = (header or "").strip()
    if text.replace(".", "", 1).isdecimal():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - (now or datetime.now(UTC))).total_seconds())
