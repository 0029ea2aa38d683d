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
_BRACKET: Final = re.compile(r"[\[\]{}]")
_BLANK: Final = re.compile(r"([\"'`])\1")
_ZEROS: Final = re.compile(r"(\.\d*?)0+(?!\d)")
_SYNTAX: Final = re.compile(r"[\s\0\[\]{}\"'`“”‘’,:\\]|\.(?!\d)")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_MOST_TO_MEND: Final = 50_000  # characters; mending is slow
_DEEPEST_TO_MEND: Final = 30
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
    if not without_thought(text):
        return None, "it is empty"
    fault = ""
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
    """What stands between the outer brackets with its syntax mended; None where that would change anything else."""
    said = _outer(without_thought(text))
    if not said or len(said) > _MOST_TO_MEND or not _is_balanced(said):
        return None
    from json_repair import repair_json

    try:
        value: object = repair_json(said, return_objects=True)
        leaves = "".join(_leaves(value))
    except (ValueError, RecursionError):
        return None
    has_invented_blank = "\0" in leaves and not _BLANK.search(said)
    return None if has_invented_blank or _content(leaves) != _content(_unescaped(said)) else value


def _is_balanced(text: str) -> bool:
    """Whether as many brackets close as open, in moderate depth: else something is missing, or not worth the time."""
    depth = deepest = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "{[" else -1
        deepest = max(deepest, depth)
    return depth == 0 and deepest <= _DEEPEST_TO_MEND


def _leaves(value: object) -> Iterator[str]:
    """All that a value says, in its order; a blank string as a mark."""
    match value:
        case dict():
            for key, inner in value.items():
                yield str(key)
                yield from _leaves(inner)
        case list():
            for inner in value:
                yield from _leaves(inner)
        case str():
            yield value or "\0"
        case _:
            yield f" {json.dumps(value, allow_nan=False)} "


def _content(text: str) -> str:
    """Without what mending may change: brackets, quotes, commas, colons, white space, zeros that end a fraction, the
    spelling of null and true."""
    text = _ZEROS.sub(r"\1", text.replace("None", "null"))
    return _SYNTAX.sub("", text).casefold()


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if len(code) > 1 else " " if code in "nrtbf" else code

    return _ESCAPE.sub(character, text)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
