"""Every error a caller can meet, in one tree.

    FinloreError                 code, message, hint; exit_code for the command line
    ├── UsageError               2  the request itself makes no sense
    ├── ConfigurationError       4  settings, missing extras, unknown adapters
    │   ├── MissingExtra         4  names the extra to install
    │   └── NoPrices             4  a market has no bars, rather than some that cannot be read
    ├── LimitExceeded            5  a budget or limit stopped the work; the partial result is kept
    ├── StoreError               6  the store cannot be used
    │   ├── StoreBusy            6  another writer holds the lock
    │   ├── StoreReadOnly        6  the workspace cannot be written
    │   └── StoreDamaged         6  the file is not a finlore store, or is newer or broken
    └── NotFound                 1  nothing by that name is known (at that date)

Bad *data* is not an error: stages return ``(result, issues)`` with `records.Issue`.
"""

from typing import ClassVar


class FinloreError(Exception):
    """Base of the tree: what happened, where, and what to do about it."""

    code: ClassVar[str] = "F000"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class NotFound(FinloreError):
    """Nothing by that name is known at the date of the question."""

    code = "F101"


class UsageError(FinloreError):
    """The request cannot be carried out as it stands."""

    code = "F201"
    exit_code = 2


class ConfigurationError(FinloreError):
    """A setting is unknown or wrong."""

    code = "F401"
    exit_code = 4


class MissingExtra(ConfigurationError):
    """An optional part is needed and not installed."""

    code = "F402"

    def __init__(self, extra: str, *, needed_for: str) -> None:
        super().__init__(
            f"{needed_for} needs the extra '{extra}', which is not installed",
            hint=f"pip install 'finlore[{extra}]'",
        )
        self.extra = extra


class NoPrices(ConfigurationError):
    """A market has no bars at all."""

    code = "F403"


class LimitExceeded(FinloreError):
    """A budget or limit stopped the work; what was done is kept."""

    code = "F501"
    exit_code = 5


class StoreError(FinloreError):
    """The store cannot be used."""

    code = "F600"
    exit_code = 6


class StoreBusy(StoreError):
    """Another process is writing to this workspace."""

    code = "F601"


class StoreReadOnly(StoreError):
    """The workspace cannot be written to."""

    code = "F602"


class StoreDamaged(StoreError):
    """The file is not a finlore store, was written by a newer version, or is broken."""

    code = "F603"
