"""Who holds a company, as sentences and tables state it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from finlore.knowledge.sentences import Named, Reading
from finlore.language.normal import HAN, fold
from finlore.records.fact import Party

_HOLDERS: Final = frozenset({"security", "company", "person", "broker", "regulator", "organisation", "name"})
_NAME: Final = (
    rf"[{HAN}]{{2,4}}(?=[,，、。;；(（\s持直间合]|$)"
    rf"|[{HAN}A-Za-z（）()]{{2,30}}?(?:公司|集团|合伙|国资委|基金|委员会|政府|大学|研究院|信托|资本)"
)
_ROLE: Final = re.compile(
    rf"(?P<role>控股股东|第[一二三]大股东|大股东|实际控制人|实控人|最终控制人|主要股东|战略股东)"
    rf"(?P<said>\s?(?:为|是|系|[:：])\s?)(?P<name>{_NAME})?"
    r"|(?P<en>(?:largest|controlling|major|principal|substantial|top)\sshareholders?)(?:,|\sis|\sare|:|\s-)\s",
    re.IGNORECASE,
)
_LISTING: Final = re.compile(r"(?:主要股东|前[三五十]大股东|十大股东|major shareholders)\s?[:：]?\s?", re.IGNORECASE)
_LISTED: Final = re.compile(
    rf"[、,，;；\s]{{0,2}}(?P<name>[{HAN}A-Za-z·&. ]{{2,40}}?)\s?"
    r"[(（]\s?(?P<share>\d{1,2}(?:\.\d{1,4})?)\s?[%％]\s?[)）]"
)
_AFTER: Final = re.compile(
    r"^\s?(?:为|是|系)?\s?(?:公司|本公司|其)?的?(?:控股股东|第[一二三]大股东|实际控制人)|^,?\s(?:is|remains)\s(?:the|its)\s(?:largest|controlling)\s"
    r"shareholder",
    re.IGNORECASE,
)
_SHARE: Final = re.compile(
    r"(?:持(?:有|股)|占|holds?|owns?|with|stake of|[(（])[^。;；%]{0,22}?(\d{1,2}(?:\.\d{1,4})?|100)\s?[%％]",
    re.IGNORECASE,
)
_HEADS: Final = re.compile(r"股东(?:名称|姓名)?$|持有人|shareholder|holder", re.IGNORECASE)
_SHARES: Final = re.compile(r"比例|占比|占总股本|持股%|\(%\)|（%）|% of|stake|percent", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Holding:
    """`party` holds part of the covered company; `share` in %, None where nobody says. Offsets into the text read."""

    party: Party
    share: float | None
    start: int
    end: int


def find_holders(reading: Reading) -> Iterator[Holding]:
    """The shareholders that a sentence names as such."""
    text = reading.text
    listed = {label.start(): [*_listed(text, label.end())] for label in _LISTING.finditer(text)}
    for holdings in listed.values():
        yield from holdings
    for match in _ROLE.finditer(text):
        if listed.get(match.start()):
            continue
        named = _named_at(reading.names, match.start("name") if match["name"] else match.end())
        if match["name"] and (named is None or named.end < match.end("name")):
            start, end = match.span("name")
            named = Named(start, end, Party(match["name"], fold(match["name"]), _kind(match["name"])))
        if named is not None and named.party.kind in _HOLDERS:
            yield Holding(named.party, _share(text, named.end), match.start(), named.end)
    for name in reading.names:
        if name.party.kind in _HOLDERS and (role := _AFTER.search(text[name.end : name.end + 40])):
            yield Holding(name.party, _share(text, name.end), name.start, name.end + role.end())


def _listed(text: str, at: int) -> Iterator[Holding]:
    """Those whose shares stand in brackets behind them, one after another: A（25.8%）；B（15.2%）."""
    while (match := _LISTED.match(text, at)) is not None:
        name = match["name"].strip()
        yield Holding(Party(name, fold(name), _kind(name)), float(match["share"]), *match.span("name"))
        at = match.end()


def _named_at(names: Sequence[Named], at: int) -> Named | None:
    return next((name for name in names if at - 1 <= name.start <= at + 4), None)


def _kind(name: str) -> str:
    if name.endswith(("国资委", "委员会", "政府")):
        return "regulator"
    return "person" if len(name) <= 3 else "organisation"


def _share(text: str, at: int) -> float | None:
    match = _SHARE.search(text, at, at + 48)
    return float(match[1]) if match else None


def holders_in_table(rows: Sequence[Sequence[str]]) -> Iterator[tuple[int, int, str, float | None]]:
    """(row, column, name, share in %) of a table of shareholders; nothing of any other table."""
    if len(rows) < 2:
        return
    head = [cell.strip() for cell in rows[0]]
    column = next((at for at, cell in enumerate(head) if _HEADS.search(cell)), None)
    share = next((at for at, cell in enumerate(head) if _SHARES.search(cell)), None)
    if column is None or share is None or column == share:
        return
    for at, row in enumerate(rows[1:], start=1):
        name = row[column].strip()
        if len(fold(name)) >= 2 and not re.search(r"合计|总计|total|\d{4}", name, re.IGNORECASE):
            number = re.fullmatch(r"(\d{1,3}(?:\.\d+)?)\s?[%％]?", row[share].strip())
            yield at, column, name, float(number[1]) if number and float(number[1]) <= 100 else None
