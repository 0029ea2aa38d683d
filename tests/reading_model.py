"""A language model made of rules: it reads the invented sentences of these tests perfectly, as a capable one would."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.adapters.language_model.scripted_server import Answer, Asked, Script, said

Row = dict[str, Any]
_PASSAGE = re.compile(r"^===== \w+ passage \d+\n(.*?)(?=\n===== )", re.DOTALL | re.MULTILINE)
_SUBJECT = r"(?P<s>漠川材料|桐远电池|绯屿光学|雁洲化工|霜桥证券|鹭栖集团|公司)"
_OTHER = _SUBJECT.replace("<s>", "<o>")
_FACTS = (
    ("target_price", rf"{_SUBJECT}(?:目标价|目标价上调至)(?P<o>[\d.]+元)"),
    ("investment_rating", r"评级为“?(?P<o>买入|增持)"),
    ("major_shareholders", rf"{_SUBJECT}的控股股东为{_OTHER}，持股[\d.]+%"),
    ("supplies", rf"{_SUBJECT}向{_OTHER}(?:（\d+）)?(?:独家)?供应"),
    ("acquires", rf"{_SUBJECT}收购{_OTHER}"),
)
_EVENTS = (
    ("capacity_adjustment", "good", rf"(?:因(?P<because>[^，。]+)，)?{_SUBJECT}(?P<when>20\d\d年)?(?P<w>扩产)[^。]*"),
    ("profit", "good", rf"{_SUBJECT}(?P<when>20\d\d年)?(?P<metric>净利润)(?P<w>增长)[\d.]+%"),
)


def passages(asked: Asked) -> list[str]:
    """The passages of a request, in the order of their numbers."""
    user = next(message["content"] for message in asked["messages"] if message["role"] == "user")
    return _PASSAGE.findall(user)


def read(passage: str, number: int) -> dict[str, list[Row]]:
    """All that a passage says."""
    found: dict[str, list[Row]] = {"facts": [], "events": []}
    for relation, form in _FACTS:
        for match in re.finditer(form, passage):
            row = {"p": number, "q": match[0], "s": match.groupdict().get("s") or "公司"}
            found["facts"].append({**row, "r": relation, "o": match["o"]})
    for kind, direction, form in _EVENTS:
        for match in re.finditer(form, passage):
            parts = {key: match.groupdict().get(key) or "" for key in ("w", "when", "metric", "because")}
            row = {"p": number, "q": match[0], "s": match["s"], "t": kind, "d": direction, "o": ""}
            found["events"].append({**row, **parts, "why": "更多的产量"})
    return found


def reply(asked: Asked) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {"facts": [], "events": []}
    for number, passage in enumerate(passages(asked), 1):
        for key, rows in read(passage, number).items():
            found[key] += rows
    return found


def capable(asked: Asked) -> Answer:
    return said(json.dumps(reply(asked), ensure_ascii=False), usage=usage(asked))


def changed(change: Callable[[dict[str, list[Row]]], None]) -> Script:
    """The capable model, whose replies are changed before they are sent."""

    def script(asked: Asked) -> Answer:
        found = reply(asked)
        change(found)
        return said(json.dumps(found, ensure_ascii=False))

    return script


def usage(asked: Asked) -> tuple[int, int]:
    return sum(len(message["content"]) for message in asked["messages"]) // 2, 200


def texts(endpoint_asked: list[Asked]) -> Iterator[str]:
    """Everything that an endpoint was sent, request by request."""
    for asked in endpoint_asked:
        yield "\n".join(message["content"] for message in asked["messages"])
