"""A sentence with one private letter for each party: the form in which word order and prepositions are easily read."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from finlore.knowledge.sentences import Named, Reading
from finlore.language.normal import HAN
from finlore.records.fact import Party

P: Final = "[\ue000-\uf8ff]"
"""A party, as a regular expression."""
_FIRST: Final = 0xE000
_BLANK: Final = "\ufffc"
_MOST: Final = 200  # parties of one sentence
_BEFORE_SUBJECT: Final = (
    "与和向为对从由被将把给及是系于在使令即而且但因若如到着计认示得有了响后前时购任占供约入替助予证明进括持疑过映让称述露测断荐升据至按"
    "随经除跟同自当调下面帮促推逼迫指查罚访邀请求授委托聘选举定拿夺挤压累拖害损益惠"
)
"""What may stand before a 公司 that is no part of a longer word (子公司, 航运公司)."""
_SUBJECT = re.compile(
    rf"(?:本公司|我司|发行人|本集团|(?:(?<![{HAN}\ue000-\uf8ff])|(?<=[{_BEFORE_SUBJECT}]))公司)(?![章治法债])"
    r"|(?<![A-Za-z])(?:the company|the group|the issuer)(?![A-Za-z])",
    re.IGNORECASE,
)
_FORMER = re.compile("前者|后者|the former|the latter", re.IGNORECASE)
_BRACKET = re.compile(r"[(（]([^()（）]{0,60})[)）]")
_STATES = re.compile(r"[%％]|持股|控股|股东|子公司|担保|占比")
_OPEN: Final = frozenset(("company", "person", "product", "material"))
_PRIVATE = re.compile(P)
_IN_LIST = re.compile(
    rf"(?P<first>{P})(?:公司|集团|股份)?(?:等)?(?P<joint>\s*(?:、|和|与|及|以及|暨|/|/|&|,? and )\s*)(?={P})"
)
_WHOLE = re.compile(
    rf"(?:在|自从|随着|由于|因为?)(?=[^，,；;。]*?{P}[^，,；;。]*(?:后|时|之?前|以来|期间|过程中|之际|下)(?:[，,；;。]|$))"
    rf"|(?:针对|关于|对于|对)(?={P}[^，,；;。]{{2,24}}(?:一事|事宜|的(?:消息|传闻|举动|计划|交易|要求|行为|事件|提案)))"
)
"""Prepositions that govern a whole clause (在A收购B后, 关于A收购B一事) and mark nobody in it."""
_MERE = re.compile("(?:公司|集团|股份|等)*[、,/]")
_LATIN_LIST = re.compile(rf"(?P<first>{P}), (?={P}(?:, {P})*,? (?:and|or) {P})")


@dataclass(frozen=True, slots=True)
class Shape:
    """`text` is the sentence in which a letter of the private area stands for each party, or list of parties;
    `origins` says for each letter where it comes from in the reading. Brackets that state no relation to anybody are
    left out. `joined` are lists that hold a word for "and" or "with": how many parties stand before it."""

    text: str
    origins: tuple[int, ...]
    parties: tuple[tuple[Party, ...], ...]
    joined: Mapping[str, int] = field(default_factory=dict)

    def at(self, letter: str) -> tuple[Party, ...]:
        return self.parties[ord(letter) - _FIRST]

    def fits(self, kinds: Collection[str], letter: str) -> bool:
        return any(fits(party, kinds) for party in self.at(letter))

    def holds_two(self) -> bool:
        """Whether there are two parties in the text, which may stand in one list."""
        letters = _PRIVATE.findall(self.text)
        return len(letters) > 1 or any(len(self.at(letter)) > 1 for letter in letters)

    def of_kinds(self, kinds: Collection[str]) -> "Shape":
        """The same with a blank for each party of other kinds; `name` is of any."""
        blank = {
            _FIRST + number: _BLANK
            for number, parties in enumerate(self.parties)
            if not any(fits(party, kinds) for party in parties)
        }
        return replace(self, text=self.text.translate(blank)) if blank else self


def fits(party: Party, kinds: Collection[str]) -> bool:
    """Whether a party may be of one of the kinds. A `name`, of which nobody knows what it is, may be what no list can
    hold all of: a company, a person or a product, but neither a region nor an index."""
    return party.kind in kinds or (party.kind == "name" and not _OPEN.isdisjoint(kinds))


def shape_of(reading: Reading, subject: Party | None) -> Shape | None:
    """The shape of a sentence; None where nobody is named and nobody is spoken of."""
    named = _with_subject(reading, subject)
    if not named:
        return None
    source = _PRIVATE.sub(_BLANK, reading.text)  # bullets of some fonts
    letters: list[str] = []
    origins: list[int] = []
    at = 0
    for number, name in enumerate(named[:_MOST]):
        letters += source[at : name.start]
        origins += range(at, name.start)
        letters.append(chr(_FIRST + number))
        origins.append(name.start)
        at = name.end
    letters += source[at:]
    origins += range(at, len(reading.text))
    text = _WHOLE.sub(lambda preposition: _BLANK * len(preposition[0]), "".join(letters))
    return _listed(_without_brackets(Shape(text, tuple(origins), tuple((n.party,) for n in named[:_MOST]))))


def _with_subject(reading: Reading, subject: Party | None) -> list[Named]:
    """The names, and the words that mean the subject of the document; where it has none, the company that the sentence
    begins with."""
    spoken = []
    for match in _SUBJECT.finditer(reading.text):
        meant = subject or next((n.party for n in reading.names if _may_be_meant(n, match.start())), None)
        if meant:
            spoken.append(Named(*match.span(), meant))
    for match in _FORMER.finditer(reading.text):
        named = sorted((*reading.names, *spoken), key=lambda name: name.start)
        both = [name for name in named if _may_be_meant(name, match.start())][:2]
        if len(both) == 2:
            spoken.append(Named(*match.span(), both["后" in match[0] or "latter" in match[0].lower()].party))
    apart = (s for s in spoken if all(s.end <= name.start or s.start >= name.end for name in reading.names))
    return sorted((*reading.names, *apart), key=lambda name: name.start)


def _may_be_meant(name: Named, before: int) -> bool:
    return name.end < before and name.party.kind in ("security", "company")


def _without_brackets(shape: Shape) -> Shape:
    """Codes and short forms behind a name go; a bracket that states a relation to somebody reads as a clause."""
    gone: set[int] = set()
    text = shape.text
    for match in _BRACKET.finditer(text):
        if _STATES.search(match[1]) and _PRIVATE.search(match[1]):
            text = f"{text[: match.start()]}，{match[1]}，{text[match.end() :]}"
        else:
            gone.update(range(*match.span()))
    if not gone:
        return Shape(text, shape.origins, shape.parties)
    kept = [at for at in range(len(text)) if at not in gone]
    return Shape("".join(text[at] for at in kept), tuple(shape.origins[at] for at in kept), shape.parties)


def _listed(shape: Shape) -> Shape:
    """A、B和C become one letter, that of the first."""
    parties = list(shape.parties)
    text = shape.text
    joins = [*_IN_LIST.finditer(text), *_LATIN_LIST.finditer(text)]
    if not joins:
        return shape
    gone: set[int] = set()
    joints: dict[str, tuple[bool, int]] = {}  # letter -> whether it is "with", parties before it
    head: dict[int, int] = {}  # place of a letter -> place of the first letter of its list
    for join in sorted(joins, key=lambda join: join.start()):
        first = head.get(join.start(), join.start())
        head[join.end()] = first
        number = ord(text[first]) - _FIRST
        joint = text[join.start() + 1 : join.end()].strip()
        if not _MERE.fullmatch(joint) and not joints.get(text[first], (False, 0))[0]:
            joints[text[first]] = ("与" in joint, len(parties[number]))
        parties[number] = _together(parties[number], parties[ord(text[join.end()]) - _FIRST])
        gone.update(range(join.start() + 1, join.end() + 1))
    kept = [at for at in range(len(text)) if at not in gone]
    joined = {letter: before for letter, (_, before) in joints.items()}
    return Shape("".join(text[at] for at in kept), tuple(shape.origins[at] for at in kept), tuple(parties), joined)


def _together(some: Iterable[Party], more: Iterable[Party]) -> tuple[Party, ...]:
    return tuple(dict.fromkeys((*some, *more)))
