"""The verdict on a page: whether its text can be believed, and whether it holds more than its text."""

import random
import string
import zlib

import pytest

from finlore.adapters.parse_pdf import PdfParser
from finlore.adapters.parse_pdf.verdicts import MOST_PIXELS, Cover, garble, verdict
from finlore.ports import Source
from finlore.records.document import PageVerdict, ParsedDocument
from tests.adapters.parse_pdf.pdf_writer import Page, pdf
from tests.hostile_files import garbled, glued, image_page, raw_pdf, stream

CHINESE = (
    "远山储能上半年实现营业收入三十六亿元，同比增长两成，海外订单占比提升至六成，毛利率随之上行。公司在北美市场的项目已经进入交付阶段，"
    "我们认为下半年收入将继续增长，维持全年的盈利预测和买入评级，主要风险是原材料价格波动以及行业竞争加剧。"
)
TRADITIONAL = (
    "臺灣半導體設備商第三季營收年增兩成，受惠於先進製程的擴產與客戶提前拉貨，毛利率優於市場預期。管理層表示明年資本支出將維持高檔，"
    "訂單能見度達到下半年，但匯率波動與出口管制仍是主要的風險，我們維持買進的投資建議與目標價，並上調全年獲利預估。"
)
JAPANESE = (
    "当社の第三四半期の売上高は前年同期比で二割増加し、営業利益も過去最高を更新しました。海外向けの受注が好調に推移しており、"
    "通期の業績予想を上方修正いたします。為替の変動や原材料価格の上昇が主なリスクですが、影響は限定的と考えています。今後の設備投資は計画どおりです。"
)
ENGLISH = (
    "Larkfield Storage reported revenue of 3.6 billion for the half year, one fifth more than in the year before. "
    "Orders from abroad made up six tenths of the total, and the gross margin rose with them. Management confirmed "
    "its outlook for the full year, although prices of raw materials remain volatile and competition keeps growing. "
    "We expect deliveries in North America to accelerate, and our estimates of earnings stay above the market's."
)
NUMBERS = "600482.SH 27.05% 300101.SZ 18.30% 688777.SH (5.2) EPS PE ROE 1,234.56 " * 30


def shifted(text: str, step: int) -> str:
    """Every character in common use in China replaced by one further on in their character set."""
    codes = [
        bytes((0xA0 + row, 0xA0 + cell)).decode("gb2312", "ignore") for row in range(16, 56) for cell in range(1, 95)
    ]
    letters = [letter for letter in codes if letter]
    return text.translate({ord(a): letters[(at + step) % len(letters)] for at, a in enumerate(letters)})


def enciphered(text: str) -> str:
    letters = random.Random(5).sample(string.ascii_lowercase, 26)
    return text.lower().translate(str.maketrans(string.ascii_lowercase, "".join(letters)))


@pytest.mark.parametrize(
    "text", [CHINESE, TRADITIONAL, JAPANESE, ENGLISH, NUMBERS, CHINESE[:9], CHINESE + " Nestlé®, 25 µm", "Déjà vu", ""]
)
def test_language_is_not_garbled_whatever_language(text: str) -> None:
    assert garble(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        shifted(CHINESE, 7),
        enciphered(ENGLISH),
        "".join(chr(0x4E00 + ord(letter) * 7919 % 20900) for letter in CHINESE),
        CHINESE.encode("gb18030").decode("latin-1"),
        "".join(chr(0x0400 + ord(letter) * 31 % 0x1000) for letter in CHINESE),
        CHINESE.replace("入", "Å").replace("的", "Ÿ").replace("增", "®").replace("收", "Ð").replace("，", "¦"),
        "".join(chr(0xE000 + ord(letter) % 4000) for letter in CHINESE),
        "/g13/g11/g204/g7/g96 (cid:31)(cid:4)(cid:107) and",
    ],
)
def test_what_a_wrong_character_map_yields_is(text: str) -> None:
    assert garble(text)


def test_some_lost_characters_are_borne_and_named_and_many_are_not() -> None:
    borne = verdict(1, CHINESE, 5, None)
    assert (borne.status, borne.reason) == ("ok", "5 characters of a face without a character map are left out")
    assert verdict(1, CHINESE, 200, None).status == "garbled"


@pytest.mark.parametrize(
    ("text", "cover", "status"),
    [
        ("", Cover(1.0, 0, 10**6), "needs_ocr"),
        ("", Cover(0.2, 0, 10**6), "needs_ocr"),
        ("", Cover(0.0, 400, 0), "needs_ocr"),  # letters drawn as shapes
        ("第3页", Cover(1.0, 0, 10**6), "needs_ocr"),  # stamped on a scan
        ("图 5 行业分布", Cover(0.5, 0, 10**6), "ok"),  # a page of charts
        ("", Cover(0.01, 3, 10**4), "ok"),  # a logo, some rules
        ("", Cover(1.0, 0, MOST_PIXELS + 1), "failed"),
    ],
)
def test_a_page_with_hardly_any_text_is_judged_by_what_covers_it(text: str, cover: Cover, status: str) -> None:
    judged = verdict(1, text, 0, cover)
    assert judged.status == status
    assert judged.reason or status == "ok"


def parsed(content: bytes) -> ParsedDocument:
    (document,), _ = PdfParser().parse(Source("report.pdf", ".pdf", content))
    return document


def sound() -> bytes:
    page = Page()
    page.write_lines(50, 100, [CHINESE[at : at + 20] for at in range(0, 80, 20)])
    return pdf(page)


def test_each_page_has_its_own_verdict_and_garbled_text_is_left_out() -> None:
    picture = image_page(64, packed=zlib.compress(zlib.compress(b"\xee" * 64 * 64)))
    document = parsed(glued(sound(), picture, garbled("乱码材料点评"), sound()))
    assert [page.status for page in document.pages] == ["ok", "needs_ocr", "garbled", "ok"]
    assert {block.page for block in document.blocks} == {1, 4}
    assert all(page.reason for page in document.pages if page.status != "ok")


def test_an_image_inside_a_form_covers_the_page_too() -> None:
    inner = zlib.compress(b"\xee" * 64 * 64)
    image = b"/Subtype /Image /Width 64 /Height 64 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode"
    form = b"/Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /I 6 0 R >> >>"
    document = parsed(
        raw_pdf(
            [
                b"<< /Type /Catalog /Pages 2 0 R >>",
                b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
                b"/Resources << /XObject << /F 5 0 R >> >> >>",
                stream(b"q 600 0 0 800 0 0 cm /F Do Q"),
                stream(b"/I Do", form),
                stream(inner, image),
            ]
        )
    )
    reason = "it holds no text, but images on 100 % of the page"
    assert document.pages == (PageVerdict(1, "needs_ocr", reason),)
