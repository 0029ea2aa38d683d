"""What a model said -> JSON that meets a schema. Brackets and quotes may be mended, values never."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Final, NoReturn

_THOUGHT: Final = re.compile(r"\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHT: Final = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_FENCE: Final = re.compile(r"```[\w-]*\s*\n(.*?)```", re.DOTALL)
_MOST_TO_MEND: Final = 100_000  # characters; mending is slow, and what is longer is seldom a reply
_MOST_FAULTS: Final = 3

Check = Callable[[object], str]  # "" when a value meets the schema, else what is wrong with it


def without_thought(text: str) -> str:
    """A reply without the thinking before it, closed or not; some templates open it in the prompt."""
    opened = _THOUGHT.match(text)
    if opened:
        return text[opened.end() :].strip()
    closed = _END_OF_THOUGHT.search(text)
    return text[closed.end() :].strip() if closed else text.strip()


def read_json(text: str, check: Check) -> tuple[object, str]:
    """The first value found that passes the check, and ""; else None and why there is none."""
    fault = "it is empty"
    for written in _candidates(text):
        try:
            value: object = json.loads(written, parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            fault = f"it is not JSON: {error}"
            continue
        fault = check(value)
        if not fault:
            return value, ""
    mended = _mended(text)
    if mended is not None:
        fault = check(mended)
        if not fault:
            return mended, ""
    return None, fault


def check_of(schema: Mapping[str, object]) -> Check:
    """Tells what is wrong with a value; ValueError when the schema itself is no JSON schema."""
    return _check(json.dumps(schema, sort_keys=True, default=dict))


@lru_cache(maxsize=64)
def _check(schema: str) -> Check:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from referencing import Registry

    wanted = json.loads(schema)
    try:
        Draft202012Validator.check_schema(wanted)
    except SchemaError as error:
        raise ValueError(f"not a JSON schema: {error.message}") from error
    validator = Draft202012Validator(wanted, registry=Registry())  # an empty registry fetches nothing

    def check(value: object) -> str:
        try:
            faults = [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(value)]
        except RecursionError:
            return "it is nested too deeply"
        return "; ".join(sorted(faults)[:_MOST_FAULTS])

    return check


def _candidates(text: str) -> Iterator[str]:
    """Where JSON may stand, the likeliest first."""
    said = without_thought(text)
    yield from dict.fromkeys(filter(None, (text.strip(), said, *islice(_FENCE.findall(said), 3), _outer(said))))


def _outer(text: str) -> str:
    """From the first bracket to the last."""
    starts = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    return text[min(starts) : max(text.rfind("}"), text.rfind("]")) + 1] if starts else ""


def _mended(text: str) -> object:
    """What stands between the outer brackets, its syntax mended; None when there are none."""
    said = _outer(without_thought(text))
    if not said or len(said) > _MOST_TO_MEND:
        return None
    from json_repair import repair_json

    try:
        value: object = repair_json(said, return_objects=True)
    except (ValueError, RecursionError):
        return None
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
