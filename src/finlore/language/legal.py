"""Legal names of Chinese companies: where one ends, and the short names that one spells out."""

import re

LEGAL_FORM = "股份有限公司|集团有限公司|有限责任公司|有限合伙企业|有限公司"
_FORM = re.compile(f"(?:{LEGAL_FORM})$")
_NOT_IN_SHORT_NAMES = re.compile(r"(?:有限责任公司|有限合伙企业|有限公司)$")
_LATEST_BRAND = 4
_LONGEST_REST = 4


def is_legal(name: str) -> bool:
    """Whether a name ends with a legal form."""
    return _FORM.search(name) is not None


def brands(legal: str) -> tuple[str, ...]:
    """The pairs of characters near the head of a legal name, one of which any of its short names begins with."""
    return tuple(dict.fromkeys(legal[at : at + 2] for at in range(_LATEST_BRAND + 1)))


def stem_of(legal: str) -> str:
    """A legal name without its legal form: 云岭光学股份有限公司 -> 云岭光学."""
    return _FORM.sub("", legal)


def short_forms(legal: str) -> frozenset[str]:
    """What a legal name may be called: a brand of two characters near its head, and one or two runs of what follows.

    岭南云禾精密机械股份有限公司 -> 云禾精密, 云禾精机, 云禾机械, 云禾股份, … and many that nobody uses.
    """
    name = _NOT_IN_SHORT_NAMES.sub("", legal)
    return frozenset(
        name[at : at + 2] + rest
        for at in range(min(_LATEST_BRAND, len(name) - 3) + 1)
        for rest in _rests(name[at + 2 :])
    )


def _rests(text: str) -> set[str]:
    """One or two runs of the text in order, together no longer than what short names add to a brand."""
    runs = [
        (start, end)
        for start in range(len(text))
        for end in range(start + 1, min(start + _LONGEST_REST, len(text)) + 1)
    ]
    found = {text[start:end] for start, end in runs}
    for start, end in runs:
        room = _LONGEST_REST - (end - start)
        found.update(
            text[start:end] + text[again : again + more]
            for more in range(1, room + 1)
            for again in range(end + 1, len(text) - more + 1)
        )
    return found
