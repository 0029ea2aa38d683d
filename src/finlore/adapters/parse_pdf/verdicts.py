"""Whether the text of a page can be believed: what it holds beside characters, and whether these are language.

A face without a character map is seen at its glyphs (`n_lost`). What a wrong map yields is seen at the statistics of
the letters only, so that short texts pass, and a map which exchanges digits alone cannot be seen at all.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import sqrt
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdf

from finlore.records.document import PageVerdict

MOST_PIXELS = 100_000_000
"""Of one image: larger ones are not unpacked to be looked at. An A3 page at 600 dots per inch has 70 million."""
_FEW_LETTERS = 50  # what scanners and stores stamp on images of pages
_COVERS, _TOUCHES = 0.7, 0.05  # shares of the page; charts beside a title cover less
_MANY_PATHS = 60  # letters drawn as shapes
_MOST_OBJECTS = 5000
_MOST_LOST = 0.2  # of what is printed
_LEAST_LETTERS = 30
_LEAST_CHINESE, _LEAST_FREQUENT = 60, 0.12
_LEAST_STRAY, _MOST_STRAY = 10, 0.04  # of the Chinese characters that they stand among
_LEAST_LATIN, _LEAST_LIKENESS = 200, 0.75
_LEAST_ODD, _MOST_ODD_BLOCKS = 0.2, 3
_MOST_ACCENTED = 0.5  # Vietnamese has a third
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_STRAY = re.compile(
    "[\u00a1-\u00af\u00b2-\u00b6\u00b8-\u00d6\u00d8-\u024f\u0192\u02c6\u02dc\u2020\u2021\u2030\u2039\u203a]"
)
_KANA = re.compile("[\u3040-\u30ff]")
_WORD = re.compile("[A-Za-z]{4,}")
_ADDRESS = re.compile(r"(?<![A-Za-z0-9._-])[A-Za-z0-9._-]*[@/\\][!-~]*")
_GLYPH_NAMES = re.compile(r"\(cid:\d+\)|/g\d{1,5}\b|/[Gg]lyph\d+")
_PRIVATE = re.compile("[\ue000-\uf8ff\ufffd]")
_THOUSAND = (127, 91, 82, 75, 70, 67, 63, 60, 61, 43, 40, 28, 28, 24, 22, 19, 20, 24, 20, 15, 10, 8, 2, 2, 1, 1)
_ENGLISH = dict(zip("etaoinsrhdlcumfpgwybvkxjqz", _THOUSAND, strict=True))  # so often each stands in a thousand letters

_FREQUENT = frozenset(
    "的一是不了在有人中大上为個个我以要他时來来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力"
    "里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又"
    "利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山"
    "统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处理府研市场股收增亿元万券投司预报告利润净额评风险金银证价值速率营务交易持推荐"
    "為時們產說發動過對種後學經進著電裡現實兩體製機當點從業應開還與關線內數質氣變條沒結問無系軍題長頭資邊統較將組見計別論運區強決據處場億萬證價務營"
)
"""Three hundred characters that make up more than a fifth of any page of Chinese, simplified and traditional."""


class Cover(NamedTuple):
    """What a page shows beside text: `images` as a share of its area, paths, and the pixels of its largest image."""

    images: float
    n_paths: int
    most_pixels: int


def verdict(number: int, text: str, n_lost: int, cover: Cover | None) -> PageVerdict:
    """`text` is all that was read of the page; without `cover`, nothing else of it matters, because that is much."""
    n_letters = sum(map(str.isalnum, text))
    if reason := garble(text, n_lost):
        return PageVerdict(number, "garbled", reason)
    if cover is None:
        return PageVerdict(number, "ok", _without(n_lost))
    shown = _pictured(cover, n_letters)
    if not shown:
        return PageVerdict(number, "ok", "nothing is printed on it" if not n_letters else _without(n_lost))
    if cover.most_pixels > MOST_PIXELS:
        return PageVerdict(
            number, "failed", f"it is an image of {cover.most_pixels:,} pixels: too large to be looked at"
        )
    return PageVerdict(
        number, "needs_ocr", f"it holds {f'only {n_letters} letters' if n_letters else 'no text'}, but {shown}"
    )


def is_scant(text: str) -> bool:
    """Whether a page has so little text that the rest of it matters."""
    return sum(map(str.isalnum, text)) < _FEW_LETTERS


def _pictured(cover: Cover, n_letters: int) -> str:
    """What of the page may be text that is drawn, empty if nothing."""
    if cover.images >= (_COVERS if n_letters else _TOUCHES):
        return f"images on {min(100, round(100 * cover.images))} % of the page"
    return f"{cover.n_paths} drawn shapes" if cover.n_paths >= _MANY_PATHS * (1 + n_letters) else ""


def _without(n_lost: int) -> str:
    return f"{n_lost} characters of a face without a character map are left out" if n_lost else ""


def cover_of(page: pdfium.PdfPage) -> Cover:
    """What the page shows beside text, forms included."""
    width, height = page.get_width(), page.get_height()
    area, n_paths, most_pixels = 0.0, 0, 0
    for at, thing in enumerate(page.get_objects(filter=(pdf.FPDF_PAGEOBJ_IMAGE, pdf.FPDF_PAGEOBJ_PATH), max_depth=4)):
        if thing.type == pdf.FPDF_PAGEOBJ_PATH:
            n_paths += 1
        else:
            area += _area(thing, width, height)
            wide, high = thing.get_px_size()
            most_pixels = max(most_pixels, wide * high)
        if at >= _MOST_OBJECTS:
            break
    return Cover(min(1.0, area / (width * height or 1.0)), n_paths, most_pixels)


def _area(image: pdfium.PdfImage, width: float, height: float) -> float:
    """Its area on the page; of an image inside a form, that of the form."""
    shown: pdfium.PdfObject = image
    while shown.container is not None:
        shown = shown.container
    left, bottom, right, top = shown.get_bounds()
    return float(max(0.0, min(right - left, width)) * max(0.0, min(top - bottom, height)))


def garble(text: str, n_lost: int = 0) -> str:
    """Why this is no language, empty if it may be one."""
    letters = list(filter(str.isalnum, text))
    n_noise = n_lost + len(_PRIVATE.findall(text)) + sum(len(name) for name in _GLYPH_NAMES.findall(text))
    if n_noise > _MOST_LOST * (len(letters) + n_noise):
        return f"{n_noise} of its {len(letters) + n_noise} characters are in a face without a character map"
    return next((f"{doubt}: its character map is wrong" for doubt in _improbable(text, letters)), "")


def _improbable(text: str, letters: Sequence[str]) -> Iterator[str]:
    """What the statistics of the letters speak against."""
    han = _HAN.findall(text)
    n_frequent = sum(letter in _FREQUENT for letter in han)
    if len(han) >= _LEAST_CHINESE and n_frequent < _LEAST_FREQUENT * len(han) and not _KANA.search(text):
        yield f"only {n_frequent} of its {len(han)} Chinese characters are those of any text"
    n_stray = len(_STRAY.findall(text))  # what is left of a face whose map was lost, where viewers assume a Western one
    if len(han) >= _LEAST_LETTERS and n_stray >= _LEAST_STRAY and n_stray > _MOST_STRAY * len(han):
        yield f"{n_stray} Western letters and signs stand among its {len(han)} Chinese characters"
    latin = Counter("".join({word.lower() for word in _WORD.findall(_ADDRESS.sub(" ", text))}))
    if latin.total() >= _LEAST_LATIN and (likeness := _likeness(latin)) < _LEAST_LIKENESS:
        yield f"its letters are spread as in no language ({likeness:.2f} of 1)"
    odd = Counter(
        ord(letter) >> 7 for letter in letters if "\u0250" <= letter < "\u1e00" or "\ua000" <= letter < "\uac00"
    )
    if odd.total() > _LEAST_ODD * len(letters) and len(odd) > _MOST_ODD_BLOCKS:
        yield f"its letters are of {len(odd)} scripts"
    n_accented = sum("\x80" <= letter < "\u0250" for letter in letters)
    if len(letters) >= _LEAST_LETTERS and n_accented > _MOST_ACCENTED * len(letters):
        yield f"{n_accented} of its {len(letters)} letters have accents"


def _likeness(counts: Counter[str]) -> float:
    """Cosine between how often letters occur and how often they do in English."""
    product = sum(counts[letter] * weight for letter, weight in _ENGLISH.items())
    return float(product) / sqrt(
        sum(n * n for n in counts.values()) * sum(weight * weight for weight in _ENGLISH.values())
    )
