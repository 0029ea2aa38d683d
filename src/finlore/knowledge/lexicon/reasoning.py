"""Why an event moves a company, in a sentence made of the schema's words and of what the text states."""

from functools import lru_cache
from typing import Final

from finlore.records.fact import Direction
from finlore.records.schema import DriverType, EventType, Schema

_ZH: Final[dict[Direction, str]] = {"good": "利好", "bad": "利空", "neutral": "中性"}


def reason(event: EventType, schema: Schema, *, direction: Direction, cause: str, metric: str, is_chinese: bool) -> str:
    """Type, driver, direction, then the metric that moves and the cause, in the language of the text; "" where neither
    of these is stated. `metric` is what the text calls it."""
    if not cause and not metric:
        return ""
    driver = _drivers(schema)[event.driver]
    if is_chinese:
        moves = f"影响{metric}" if metric else "影响公司"
        because = f"，因为{cause}" if cause else ""
        return f"{event.labels.zh}（{driver.labels.zh}，{_ZH[direction]}）：{moves}{because}。"
    moves = f"moves {metric}" if metric else "moves the company"
    because = f", because of {cause}" if cause else ""
    return f"{event.labels.en.capitalize()} ({driver.labels.en}, {direction}): {moves}{because}."


@lru_cache(maxsize=4)
def _drivers(schema: Schema) -> dict[str, DriverType]:
    return {driver.id: driver for driver in schema.drivers}
