"""Who and what take part in a deal or a proceeding: the engine that reads `lexicon/frames.toml`.

A frame says what words name a deal and where each of its parties stands. Parties are names where naming found some,
else the words that stand where a name would: 收购某某公司60%股权.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from finlore.errors import ConfigurationError
from finlore.knowledge.lexicon.coined import looks_like_body
from finlore.knowledge.lexicon.cues import CueMatcher
from finlore.knowledge.lexicon.roles import leading_mark
from finlore.knowledge.lexicon.scene import Placed, Scene
from finlore.knowledge.lexicon.things import PATTERNS, Part, things_of
from finlore.language.alternatives import any_of
from finlore.records.schema import Cue
from finlore.resources import load_toml

_NEAR: Final = 24  # characters between a trigger and what it governs
_LABEL_REACH: Final = 4
_GIVEN = re.compile(r"\s?(?:了)?(?:给|至|予|于|到)\s?")
_PASSIVE = re.compile(r"(?:被|遭到?|获(?![得知悉批准取利]))[^，,。；;]{0,14}$")
_PASSIVE_BEHIND = re.compile(r"\w*\sby\b")
_HEADLINE: Final = 60
_REPORT = re.compile(r"[(（](?:\d{6}|记者)[^()（）]{0,12}[)）][^，,。]{0,16}(?:公告|讯|披露|通知|消息)")
_BRACKET = re.compile(r"[(（][^()（）]{2,60}[)）]")
_COURT, _OFFICE = PATTERNS["court"], PATTERNS["office"]
_NO_HEADS: Final = frozenset({"person", "exchange", "regulator"})
_OBJECT_END = re.compile(
    r"[，,。；;：:“”《（(\d]|的|之|股权|股份|股票|所持|持有|部分|全部|等|项目|资产|事项|计划|一案|合同|协议|后|时|及其|以|案|标的"
    r"|控股权|控制权|公告|款|价格|行为|过程|方案|完成|提供|旗下|总"
)
_STAKE = re.compile(r"(?:所?持有?的?)?(?:约|不超过|合计)?[\d.]+\s?%|(?:全部|部分|的|所持|剩余|控股)*(?:股权|股份|股票)")
_OBJECT_LEAD = re.compile(r"\s?(?:了|过|给|的|对象|标的|后|前)?(?:的)?(?:是|为|:|：)?\s?")
_NOT_NAME = re.compile(
    r"了|约定|显示|^(?:持股|除|其|该|此|本|上述|公司|股东|这|那|我们|他|她|它|大家|目前|是否|有关|相关|一|多|两|三|不|无|没|再|也|或|和"
    r"|及|在|中|方|人|额|金|年|月|日|价|款|比例|主体)|拟|合计|[减增]持|^[\s\W]*$|(?:公告|股东|方式|价格|情况|方面|期间)$"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """How a deal is told; see the head of the data file."""

    name: str
    parties: tuple[tuple[str, tuple[str, ...]], ...]
    things: tuple[str, ...]
    labels: Mapping[str, re.Pattern[str]]
    suffers: str = ""
    alone: str = ""
    acts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Frames:
    frames: Mapping[str, Frame]
    words: CueMatcher[str]
    noun_before: re.Pattern[str]
    noun_behind: re.Pattern[str]
    deed_behind: re.Pattern[str]


@lru_cache(maxsize=1)
def _frames() -> _Frames:
    table = dict(load_toml("lexicon/frames.toml"))
    nouns = table.pop("nouns")
    before, behind, deeds = (any_of(nouns[side]) for side in ("before", "behind", "deeds"))
    return _Frames(
        {name: _frame(name, entry) for name, entry in table.items()},
        CueMatcher((Cue(word), name) for name, entry in table.items() for word in entry["words"]),
        re.compile(f"(?:{before})$"),
        re.compile(f"(?:{behind})"),
        re.compile(f"(?:{deeds})"),
    )


def _frame(name: str, entry: Mapping[str, Sequence[str]]) -> Frame:
    parties = [(line.split("=")[0].strip(), tuple(line.split("=")[1].split())) for line in entry["parties"]]
    unknown = {place for _, places in parties for place in places} - _PLACES.keys() - {"label", "itself", "rest"}
    if unknown or not set(entry["things"]) <= {"date", *PATTERNS}:
        raise ConfigurationError(f"lexicon/frames.toml: [{name}] names an unknown place or thing {sorted(unknown)}")
    labels: Mapping[str, Sequence[str]] = entry.get("labels", {})  # type: ignore[assignment]
    return Frame(
        name,
        tuple(parties),
        tuple(entry["things"]),
        {part: re.compile(any_of(words)) for part, words in labels.items()},
        suffers=str(entry.get("suffers", "")),
        alone=str(entry.get("alone", "")),
        acts=tuple(entry.get("acts", ())),
    )


@lru_cache(maxsize=4096)
def frame_of(wording: str) -> tuple[str, int, int] | None:
    """(frame, start, end) of the words in a relation that name a deal or proceeding, the longest ones; None where none
    do."""
    found = max(
        _frames().words.find_all(wording), key=lambda match: (match.end - match.start, match.start), default=None
    )
    return (found.owner, found.start, found.end) if found else None


def is_noun(text: str, start: int, end: int) -> bool:
    """Whether the word for a deal only names it (减持计划, 本次质押), or stands in a headline before the report."""
    frames = _frames()
    if frames.deed_behind.match(text, end):
        return False
    return (
        frames.noun_before.search(text, max(start - 6, 0), start) is not None
        or frames.noun_behind.match(text, end) is not None
        or _REPORT.search(text, end, end + _HEADLINE) is not None
    )


def parts_of(scene: Scene, frame_name: str, start: int, end: int) -> list[Part]:
    """The parts of a frame whose trigger stands at [start, end), in the order of the text."""
    frame = _frames().frames[frame_name]
    parties = _parties(scene, frame, start, end)
    parties += [also for part in parties for also in _also_called(scene, part)]
    parts = dict.fromkeys([Part("trigger", start, end), *parties, *things_of(scene, frame.things, start, end)])
    return sorted(parts, key=lambda part: (part.start, part.end))


def _parties(scene: Scene, frame: Frame, start: int, end: int) -> list[Part]:
    found: dict[str, list[Part]] = {}
    taken: set[tuple[int, int]] = set()
    for name, places in _wanted(scene, frame, start, end):
        for place in () if name in found else places:
            if place in {"itself", "rest"}:
                doers = found.get("doer", [])
                first = 0 if place == "itself" else 1
                found[name] = [Part(name, part.start, part.end) for part in doers[first:]]
                found["doer"] = doers if place == "itself" else doers[:1]
                break
            parts = [
                Part(name, *span)
                for span in _at(scene, frame.labels.get(name), place, (start, end))
                if span not in taken and not _COURT.search(scene.text, *span)
            ]
            if parts:
                found[name] = parts
                taken.update((part.start, part.end) for part in parts)
                break
    if frame.alone and "doer" in found and frame.alone not in found and not _acts(scene, frame, start, end):
        found[frame.alone] = [Part(frame.alone, part.start, part.end) for part in found.pop("doer")]
    return [part for parts in found.values() for part in parts]


def _wanted(scene: Scene, frame: Frame, start: int, end: int) -> Sequence[tuple[str, tuple[str, ...]]]:
    """Parties and their places; in the passive the topic suffers what others do."""
    if not frame.suffers:
        return frame.parties
    if _PASSIVE_BEHIND.match(scene.text, end):
        return (("doer", ("behind_by", "behind")), (frame.suffers, ("topic",)))
    if _PASSIVE.search(scene.text, scene.clause(start)[0], start):
        return (("doer", ("by",)), (frame.suffers, ("topic", "behind")))
    return frame.parties


def _acts(scene: Scene, frame: Frame, start: int, end: int) -> bool:
    first = scene.clause(start)[0]
    return any(scene.text.find(word, first, end) >= 0 for word in frame.acts)


def _also_called(scene: Scene, part: Part) -> Iterator[Part]:
    """The short forms in the bracket behind a party, codes left out."""
    bracket = _BRACKET.match(scene.text, part.end)
    for named in scene.asides if bracket else ():
        if bracket and bracket.start() < named.start < bracket.end() and not scene.text[named.start].isdigit():
            yield Part(part.name, named.start, named.end)


def _at(scene: Scene, label: re.Pattern[str] | None, place: str, trigger: tuple[int, int]) -> Sequence[tuple[int, int]]:
    """The spans of those who stand at a place."""
    if place == "label":
        return _spans(_labelled(scene, label))
    if place == "behind":
        return _spans(_behind(scene, *trigger)) or _object_words(scene, trigger[1])
    return _spans(_PLACES[place](scene, *trigger))


def _spans(names: Sequence[Placed]) -> list[tuple[int, int]]:
    return [(name.start, name.end) for name in names]


def _labelled(scene: Scene, label: re.Pattern[str] | None) -> list[Placed]:
    """质权人为X, 原告X: each name right behind a label, with those in its list."""
    found: list[Placed] = []
    for match in label.finditer(scene.text) if label else ():
        name = next((n for n in scene.names if 0 <= n.start - match.end() <= _LABEL_REACH), None)
        if name and not scene.text[match.end() : name.start].strip(" 为是系:：即人方,，分别"):
            found += (n for n in scene.listed_with(name) if n.start >= name.start and n not in found)
    return found


def _topic(scene: Scene, start: int, end: int) -> list[Placed]:
    """Who was last spoken of in the nearest clause that speaks of anybody."""
    for number in range(scene.clauses.number(start), -1, -1):
        first, last = scene.clauses.span(number)
        names = [
            name
            for name in scene.inside(first, min(last, start))
            if name.mark in {"", "with"} and not name.is_held and name.party.kind != "exchange"
        ]
        plain = [name for name in names if not name.mark]
        if plain or names:
            return [name for name in scene.listed_with((plain or names)[-1]) if name.end <= start]
    return []


def _actor(scene: Scene, start: int, end: int) -> list[Placed]:
    """The topic, unless an office without a name stands behind it: of 控股股东拟减持 nobody is told."""
    topic = _topic(scene, start, end)
    return [] if topic and _OFFICE.search(scene.text, topic[-1].end, start) else topic


def _head(scene: Scene, start: int, end: int) -> list[Placed]:
    return [n for n in scene.names if n.end <= start and n.party.kind not in _NO_HEADS and n.mark in {"", "to"}][:1]


def _owner(scene: Scene, start: int, end: int) -> list[Placed]:
    owners = [name for name in scene.inside(scene.clause(start)[0], start) if name.holds]
    return scene.listed_with(owners[-1]) if owners else []


def _owner_behind(scene: Scene, start: int, end: int) -> list[Placed]:
    owners = [n for n in scene.inside(end, scene.clause(start)[1]) if n.holds and n.start - end <= _NEAR]
    return scene.listed_with(owners[0]) if owners else []


def _held(scene: Scene, start: int, end: int) -> list[Placed]:
    return [name for name in scene.inside(*scene.clause(start)) if name.is_held]


def _behind(scene: Scene, start: int, end: int) -> list[Placed]:
    names = [n for n in scene.inside(end, scene.clause(start)[1]) if not n.holds]
    names = [n for n in names if n.mark in {"", "with"} or not leading_mark(scene.text[end : n.start])]
    if not names or names[0].start - end > _NEAR:
        return []
    return [name for name in scene.listed_with(names[0]) if name.start >= end]


def _given(scene: Scene, start: int, end: int) -> list[Placed]:
    given = _GIVEN.match(scene.text, end)
    names = scene.inside(given.end(), scene.clause(start)[1]) if given else []
    return scene.listed_with(names[0]) if given and names and names[0].start - given.end() <= _NEAR else []


def _marked(mark: str) -> Callable[[Scene, int, int], list[Placed]]:
    def before(scene: Scene, start: int, end: int) -> list[Placed]:
        return [name for name in scene.inside(scene.clause(start)[0], start) if name.mark == mark]

    return before


def _marked_behind(mark: str) -> Callable[[Scene, int, int], list[Placed]]:
    def behind(scene: Scene, start: int, end: int) -> list[Placed]:
        return [name for name in scene.inside(end, scene.clause(start)[1]) if name.mark == mark]

    return behind


def _object_words(scene: Scene, end: int) -> list[tuple[int, int]]:
    """The words behind the trigger up to an amount or 股权, if they look like a name, or stand where only one can."""
    lead = _OBJECT_LEAD.match(scene.text, end)
    begin = lead.end() if lead else end
    last = scene.clause(end - 1)[1]
    stop = _OBJECT_END.search(scene.text, begin, last)
    until = stop.start() if stop else last
    words = scene.text[begin:until].rstrip(" ，,、")
    is_certain = stop is not None and _STAKE.match(scene.text, stop.start()) is not None
    if (
        2 <= len(words) <= 24
        and not _NOT_NAME.search(words)
        and (is_certain or looks_like_body(words, is_certain=True))
    ):
        return [(begin, begin + len(words))]
    return []


_PLACES: Final[Mapping[str, Callable[[Scene, int, int], list[Placed]]]] = {
    "topic": _topic, "actor": _actor, "head": _head, "owner": _owner, "owner_behind": _owner_behind, "held": _held,
    "behind": _behind, "given": _given, "to": _marked("to"), "for": _marked("for"),
    "with": _marked("with"), "from": _marked("from"), "at": _marked("at"), "by": _marked("agent"),
    "patient": _marked("patient"), "behind_to": _marked_behind("to"), "behind_by": _marked_behind("agent"),
}  # fmt: skip
