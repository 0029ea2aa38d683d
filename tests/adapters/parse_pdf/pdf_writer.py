"""PDF files for the tests: text at given places in a face of our own, in which every character is the same box."""

import struct
import zlib
from dataclasses import dataclass, field
from hashlib import md5

WIDTH, HEIGHT = 600.0, 800.0
_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


@dataclass
class Page:
    """A page of 600 x 800 points. `write` takes the baseline's distance from the top of the page as displayed."""

    turns: int = 0  # quarter turns clockwise by which viewers show the page turned
    marks: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)

    def write(self, x: float, y: float, text: str, *, size: float = 10, bold: bool = False, slope: float = 0) -> None:
        """One run of text that reads from left to right as displayed. Wide characters take an em, ASCII half of it."""
        across, up = [(1, 0), (0, 1), (-1, 0), (0, -1)][self.turns]
        width, height = (HEIGHT, WIDTH) if self.turns % 2 else (WIDTH, HEIGHT)
        px, py = [(x, height - y), (y, x), (width - x, y), (height - y, width - x)][self.turns]
        matrix = f"{across} {up + slope} {-up} {across} {px:.2f} {py:.2f}"
        self.codes.append(text.encode("utf-16-be").hex())
        self.marks.append(f"BT /{'B' if bold else 'R'} {size} Tf {matrix} Tm <{self.codes[-1]}> Tj ET")

    def write_lines(self, x: float, y: float, lines: list[str], *, size: float = 10, leading: float = 15) -> None:
        for number, line in enumerate(lines):
            self.write(x, y + number * leading, line, size=size)


def pdf(*pages: Page, user_password: str | None = None) -> bytes:
    """The file. With a password (maybe empty), it is encrypted by 40-bit RC4 and the owner's password is "owner"."""
    security = _Security(user_password) if user_password is not None else None
    codes = sorted({text[at : at + 4] for page in pages for text in page.codes for at in range(0, len(text), 4)})
    first_page = 10
    kids = " ".join(f"{first_page + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        _font("Plain"),
        _font("Plain-Bold"),
        _stream(_to_unicode(codes), 5, security),
        security.dictionary() if security else b"null",
        b"<< /Type /FontDescriptor /FontName /Plain /Flags 4 /FontBBox [0 -200 1000 800] /Ascent 800 /Descent -200 "
        b"/ItalicAngle 0 /StemV 80 /FontFile2 8 0 R >>",
        _stream(_face(), 8, security),
        _stream(b"\0\1" * 65536, 9, security),
    ]
    for page in pages:
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Rotate {90 * page.turns} "
            f"/Resources << /Font << /R 3 0 R /B 4 0 R >> >> /Contents {len(objects) + 2} 0 R >>".encode()
        )
        objects.append(_stream("\n".join(page.marks).encode(), len(objects) + 1, security))
    return _file(objects, encrypted=security is not None)


def _file(objects: list[bytes], *, encrypted: bool) -> bytes:
    content = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    extra = b"/Encrypt 6 0 R /ID [<00> <00>]" if encrypted else b""
    trailer = b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n"
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    return content + head + table + trailer % (len(objects) + 1, extra, len(content))


def _font(name: str) -> bytes:
    return (
        f"<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H /ToUnicode 5 0 R /DescendantFonts "
        f"[<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /CIDSystemInfo << /Registry (Adobe) /Ordering "
        "(Identity) /Supplement 0 >> /DW 1000 /W [32 126 500] /FontDescriptor 7 0 R /CIDToGIDMap 9 0 R >>] >>"
    ).encode()


def _to_unicode(codes: list[str]) -> bytes:
    characters = "\n".join(f"1 beginbfchar\n<{code}> <{code}>\nendbfchar" for code in codes)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Same def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{characters}\nendcmap end end"
    ).encode()


def _face() -> bytes:
    """A TrueType face of two glyphs: nothing, and a box."""
    box = struct.pack(">5h 2H 4B 8h", 1, 50, -100, 450, 700, 3, 0, 1, 1, 1, 1, 50, 0, 400, 0, -100, 800, 0, -800)
    tables = {
        b"glyf": box,
        b"head": struct.pack(">4I 2H 2Q", 1 << 16, 0, 0, 0x5F0F3CF5, 0, 1000, 0, 0)
        + struct.pack(">4h 2H 3h", 50, -100, 450, 700, 0, 8, 2, 1, 0),
        b"hhea": struct.pack(">I 3h H 11h H", 1 << 16, 800, -200, 0, 500, *[0] * 11, 1),
        b"hmtx": struct.pack(">H 2h", 500, 0, 50),
        b"loca": struct.pack(">3I", 0, 0, len(box)),
        b"maxp": struct.pack(">I 14H", 1 << 16, 2, 4, 1, 0, 0, 2, *[0] * 8),
    }  # fmt: skip
    directory, data = struct.pack(">I 4H", 1 << 16, len(tables), 64, 2, 32), b""
    for tag, table in tables.items():
        directory += tag + struct.pack(">3I", 0, 12 + 16 * len(tables) + len(data), len(table))
        data += table + b"\0" * (-len(table) % 4)
    return directory + data


def _stream(data: bytes, number: int, security: "_Security | None") -> bytes:
    data = zlib.compress(data)
    data = security.encrypt(data, number) if security else data
    return b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(data), data)


class _Security:
    """Standard security handler, revision 2."""

    def __init__(self, user_password: str) -> None:
        self._owner = _rc4(md5(_padded("owner")).digest()[:5], _padded(user_password))
        self._key = md5(_padded(user_password) + self._owner + b"\xfc\xff\xff\xff" + b"\0").digest()[:5]

    def dictionary(self) -> bytes:
        user = _rc4(self._key, _PADDING).hex()
        return f"<< /Filter /Standard /V 1 /R 2 /P -4 /O <{self._owner.hex()}> /U <{user}> >>".encode()

    def encrypt(self, data: bytes, number: int) -> bytes:
        return _rc4(md5(self._key + number.to_bytes(3, "little") + b"\0\0").digest()[:10], data)


def _padded(password: str) -> bytes:
    return (password.encode() + _PADDING)[:32]


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
