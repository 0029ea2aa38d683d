"""What a sentence says is only planned, or waits for somebody's approval, and so has not happened yet."""

import re
from dataclasses import dataclass
from typing import Final

_INTENDS: Final = re.compile(
    "拟|计划|筹划|意向|预案|有意|意欲|洽购|洽谈|谋求|竞购"
    r"|\b(?:will|would|plans?|planned|intends?|proposed?|proposes|in talks|agreed to|agrees to"
    r"|(?:is|are|was|were) to be|to (?:acquire|buy|sell|invest))\b",
    re.IGNORECASE,
)
_AWAITS: Final = re.compile(
    "(?:尚需|尚须|还需|仍需|尚待|有待|须经|需经|待)[^，,；;。]{0,24}(?:批准|审议|核准|审批|审核|同意|注册|备案|通过)"
    "|(?:尚未|未)(?:经|获得?|完成)[^，,；;。]{0,16}(?:批准|审议|核准|审批|交割|过户)"
    r"|\b(?:subject to|pending|awaits?|awaiting)\b[^,;.]{0,40}\b(?:approvals?|clearance|consent|closing)"
    r"|\bexpected to (?:close|complete)\b",
    re.IGNORECASE,
)
_BEFORE: Final = 24  # characters between the intention and the words of the deed
_ADJACENT: Final = re.compile(
    r"(?:拟|计划|筹划|有意|意欲|谋求)(?:以现金|通过现金|现金|全资|协议|竞价)?$"
    r"|\b(?:will|would|(?:plans|planned|intends|agreed|agrees|proposes|proposed)\sto)\s$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Intention:
    """That a deed is planned: `start` is where its words begin, those right before it that plan it included (拟收购);
    `awaits` the place of those behind it that say who still has to approve it, None where nobody has to."""

    start: int
    awaits: tuple[int, int] | None


def awaited(text: str, end: int) -> tuple[int, int] | None:
    """Where a sentence says, behind what is told of a deed, that somebody still has to approve or close it."""
    found = _AWAITS.search(text, end)
    return found.span() if found else None


def intention_of(text: str, first: int, start: int, end: int) -> Intention | None:
    """Whether the deed at [start, end) of a clause that begins at `first` is planned; None where nothing says so."""
    awaits = awaited(text, end)
    if awaits is None and _INTENDS.search(text, max(first, start - _BEFORE), start) is None:
        return None
    before = _ADJACENT.search(text, first, start)
    return Intention(before.start() if before else start, awaits)
