"""The numbers in running text, each with its unit: 46.51亿元, +39.7%, US$1.2bn, HK$45.0, 15-20倍, 0.86元/股."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from finlore.intake.tables.numbers import read_number
from finlore.intake.tables.units import is_money, parts_of, read_unit
from finlore.resources import load_toml

_DIGITS: Final = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|\d+(?:\.\d+)?"
_CURRENCY: Final = r"us\$|hk\$|nt\$|rmb|usd|hkd|cny|eur|gbp|[$¥€£]"
_SCALE: Final = r"万亿|[千百十]亿|亿|[千百十]万|万|千(?!克|瓦|米|分)"
_RELATIVE: Final = r"%|‰|per\s?cent(?:age points?)?|basis points?|个?百分点|个?pct|pcts?|ppts?|pps?|bps?|个?基点|倍|x"
_LATIN_WORD: Final = "mn|bn|tn|million|billion|trillion"
_LATIN: Final = rf"(?:{_LATIN_WORD}|mm|m|b|k)(?![a-z])"
_BOUNDS: Final = re.compile(
    r"(超过|超|逾|高达|不足|不到|不低于|不超过|低于|高于|接近|近|至少|最多|over|above|below|under|at least|up to"
    r"|more than|less than|nearly)\s?(?:约)?$"
)
_BEHIND: Final = re.compile(r"以上|以下|以内|有余|余(?=[万亿元家台%])")
_JOINS: Final = {"to": re.compile(r"(?<!from)(?<!from )$"), "and": re.compile(r"between\s?(?:about |approximately )?$")}
"""What stands before the lower end of a range, by the word between both ends."""
_MOST_DIGITS: Final = 14  # more are numbers of a chart that ran together
_TORN: Final = re.compile(r"(?<![\d.])\d{1,4} \d{1,2}\s?(?:[万亿元倍%]|pct|(?=[ ,。、;]))")
_TORN_BEHIND: Final = re.compile(r"\s\d|\.\d")
_UNKNOWN_PER: Final = re.compile(r"/(?:[mk]?g|ml|l|[tgm]b|k?w)(?![a-z])")  # 4美元/g
_HAN_BEFORE: Final = re.compile(r"[\u3400-\u9fff]\s?$")  # 甲公司(19.6%): an aside
_SPACED: Final = re.compile(r"[\u3400-\u9fff] $")
_DATE_BEHIND: Final = re.compile(r"\s?(?:年(?!化)|月|日|号|季度|点半|时\d)|(?<=\d{4})[-/]\d{1,2}[-/]\d")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number at [start, end), its unit and sign included. `high` is set where a range is printed (15%-20%). `bound`:
    the words that make it a limit (超过). `is_signed`: a plus or minus is printed before it."""

    start: int
    end: int
    value: float
    unit: str
    text: str
    high: float | None = None
    bound: str = ""
    is_signed: bool = False


def find_amounts(text: str) -> list[Amount]:
    """Every number of a normalised text (`language.normalise`) from left to right, dates and codes left out.

    One that has lost its decimal point ("46 51亿元") is left out: nobody knows what it was. Numbers of an enumeration
    that print the unit once, behind the last, all have it.
    """
    found: list[Amount] = []
    at = 0
    is_damaged = _TORN.search(text) is not None
    while (match := _pattern().search(text, at)) is not None:
        at = match.end() if match["high"] is None or _is_range(match) else match.end("lowunit")
        follows = bool(found) and not text[found[-1].end : match.start()].strip()
        if (amount := _amount(text, match, is_aside=follows)) is not None and not (
            is_damaged and _may_lack_sign(text, amount)
        ):
            found.append(amount)
    return _with_shared_units(text, _apart(found))


def _apart(amounts: list[Amount]) -> list[Amount]:
    """Those that do not touch: numbers that run together are what is left of a chart (-20%0%20%)."""
    touching = {n for one, other in pairwise(amounts) if one.end == other.start for n in (one.start, other.start)}
    return [amount for amount in amounts if amount.start not in touching]


def base_value(value: float, unit: str) -> tuple[float, str]:
    """The number in the plain unit, so that 46.51亿元 and 4,651百万元 can be compared."""
    factor, plain = parts_of(unit)
    return value * factor, plain


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    table = load_toml("lexicon/units.toml")
    things = _any({word for kind in ("currencies", "things") for words in _spellings(table[kind]) for word in words})
    unit = rf"(?:{_RELATIVE}|{_SCALE}|{_LATIN})?\s?(?:{things})?(?:/\s?(?:{things})(?!\d))?"
    number = rf"(?:{_DIGITS})"
    money = _any(word for words in _spellings(table["currencies"]) for word in words)
    scaled = rf"\((?=[\d.,]+\)\s?(?:(?:{_SCALE})(?:{money})|(?:{_LATIN_WORD})(?![a-z])))"  # (1.2)亿元, no (1)万科
    return re.compile(
        rf"(?<![\d.a-z])(?<!\d,)(?<!\d-)(?P<open>(?!{scaled})\()?(?P<sign>(?:[+\-−]|(?<!正)负)(?=[\d$¥€£a-z]))?\s?(?P<currency>{_CURRENCY})?(?P<inner>\((?=[\d.,]+\))|\s?{scaled})?\s?(?P<low>{number})"
        rf"(?(inner)\))(?P<lowunit>\s?{unit})(?:(?:\s?[-~—–至到]\s?|\s?(?P<joint>to|and)\s)(?P<highcurrency>{_CURRENCY})?(?P<high>{number})(?P<unit>\s?{unit}))?(?P<close>\)%?)?"
    )


def _spellings(listed: dict[str, list[str]]) -> Iterable[tuple[str, ...]]:
    return ((unit.lower(), *words) for unit, words in listed.items())


def _any(words: Iterable[str]) -> str:
    """The wordings, longest first; Latin ones as whole words."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(re.escape(w) + ("(?![a-z])" if w[-1:].isascii() and w[-1:].isalpha() else "") for w in ordered)


def _amount(text: str, match: re.Match[str], *, is_aside: bool) -> Amount | None:
    """`is_aside`: it stands right behind another number, so that its brackets are those of an aside."""
    is_range = match["high"] is not None and _is_range(match)
    is_cut = match["high"] is not None and not is_range  # 2pct至30%: two numbers
    start, end = match.start(), match.end("lowunit") if is_cut else match.end()
    close = "" if is_cut else match["close"] or ""
    negative = match["sign"] in {"-", "−", "负"} or match["inner"] is not None
    is_aside = is_aside or (
        bool(match["lowunit"].strip()) and _HAN_BEFORE.search(text, max(0, start - 2), start) is not None
    )
    if match["open"] and close and not (match["sign"] or is_range or is_aside):
        negative = True
    else:  # a bracket of the text, not of the number
        start, end = start + (match["open"] is not None), end - len(close)
    printed = text[start:end].strip()
    start = text.index(printed, start)
    if (is_cut and _is_year(match["low"])) or len(match["low"].partition(".")[0]) > _MOST_DIGITS:
        return None
    end = start + len(printed)
    if (
        _is_torn(text, match)
        or _UNKNOWN_PER.match(text, end)
        or _DATE_BEHIND.match(text, match.end("low"))
        or _DATE_BEHIND.match(text, end)
    ):
        return None
    low, high = _number(match["low"]), _number(match["high"]) if is_range else None
    behind = ((match["unit"] or "").strip() if is_range else "") or match["lowunit"].strip() or close[1:]
    before, after = _BOUNDS.search(text, max(0, start - 12), start), _BEHIND.match(text, end)
    bound = before[1] if before else after.group() if after else ""
    sign = -1.0 if negative else 1.0
    high = high and (high if match["sign"] else sign * high)  # -5%到5%: each end has a sign of its own
    return Amount(
        start, end, sign * low, _unit(match["currency"] or "", behind), printed, high, bound,
        bool(match["sign"]),
    )  # fmt: skip


def _number(digits: str) -> float:
    number = read_number(digits)
    assert number is not None  # the pattern lets nothing else through
    return number.value


def _may_lack_sign(text: str, amount: Amount) -> bool:
    """Whether a space stands where text that lost its points may have lost a minus."""
    return not amount.is_signed and _SPACED.search(text, max(0, amount.start - 2), amount.start) is not None


def _is_torn(text: str, match: re.Match[str]) -> bool:
    """Whether digits stand on the other side of a space: 46 51亿元 was 46.51 once, or not."""
    start = match.start("low")
    before = text[max(0, start - 3) : start]
    return bool(re.search(r"\d\s+$|\d[.,]$", before)) or bool(_TORN_BEHIND.match(text, match.end("low")))


def _is_range(match: re.Match[str]) -> bool:
    """Whether two numbers are the ends of one: the smaller first, the unit behind both or the last, no years."""
    same_unit = match["lowunit"] in ("", match["unit"]) or match["lowunit"].strip() == match["unit"].strip()
    is_years = _is_year(match["low"]) and _is_year(match["high"])
    if match["joint"] and not _JOINS[match["joint"]].search(match.string, 0, match.start()):
        return False
    if match["joint"] and (match["highcurrency"] or "") not in ("", match["currency"]):
        return False
    return same_unit and not is_years and _number(match["low"]) <= _number(match["high"]) and not match["open"]


def _is_year(digits: str) -> bool:
    return len(digits) == 4 and digits.startswith(("19", "20"))


def _unit(currency: str, behind: str) -> str:
    """One spelling of the unit; a currency before the number and a scale behind it go together."""
    joined = behind.replace(" ", "")
    return read_unit(f"{currency}{joined}") or read_unit(joined) or read_unit(behind) or read_unit(currency)


_JOINT: Final = re.compile(r"\s?(?:[、/\\和及与]|以及|,|and)\s?")


def _with_shared_units(text: str, amounts: list[Amount]) -> list[Amount]:
    """An enumeration prints the unit once: bare numbers before one with a unit have it, and numbers at the same scale
    behind one with a currency have that (RMB850mn/1,090mn)."""
    shared: list[Amount] = []
    for amount in reversed(amounts):
        lacks_it = not amount.unit and shared and shared[-1].unit
        is_joined = lacks_it and _JOINT.fullmatch(text, amount.end, shared[-1].start)
        shared.append(replace(amount, unit=shared[-1].unit) if is_joined else amount)
    shared.reverse()
    for at in range(1, len(shared)):
        before, amount = shared[at - 1], shared[at]
        factor, thing = parts_of(amount.unit)
        is_bare = amount.unit and not thing and factor != 1 and is_money(before.unit)
        if is_bare and parts_of(before.unit)[0] == factor and _JOINT.fullmatch(text, before.end, amount.start):
            shared[at] = replace(amount, unit=before.unit)
    return shared
