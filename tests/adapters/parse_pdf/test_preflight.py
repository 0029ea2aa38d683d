"""Which files are not opened at all, and that this is known before any engine sees them."""

import base64
import zlib
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.adapters.parse_pdf.filters import TooLarge, unpacked
from finlore.adapters.parse_pdf.preflight import MOST_OF_A_STREAM, Refused, inspect
from tests.adapters.parse_pdf.pdf_writer import Page, pdf
from tests.hostile_files import active, encrypted, image_page, latin, raw_pdf, stream, zeros

TOO_MUCH = (MOST_OF_A_STREAM >> 20) + 1


def page_with(contents: bytes, *more: bytes) -> bytes:
    """One page whose marks are object 4."""
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << >> >>"
    tree = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    return raw_pdf([b"<< /Type /Catalog /Pages 2 0 R >>", tree, page, contents, *more])


def refusal(content: bytes) -> str:
    with pytest.raises(Refused) as refused:
        inspect(content)
    return str(refused.value)


BOMB = zeros(TOO_MUCH)
DEFLATE = b"/Filter /FlateDecode"


@pytest.mark.parametrize(
    "contents",
    [
        stream(BOMB, DEFLATE),
        stream(BOMB, b"/Filter [ /FlateDecode ]"),
        stream(BOMB, b"/Filter /Fl#61teDecode"),
        stream(BOMB, b"/Filter 5 0 R"),
        stream(BOMB),  # a lie: nothing says that it is packed
        stream(zlib.compress(BOMB), b"/Filter [/FlateDecode /FlateDecode]"),
        stream(zlib.compress(BOMB), b"/Filter 6 0 R"),
        stream(BOMB.hex().encode() + b">", b"/Filter [/ASCIIHexDecode /FlateDecode]"),
        stream(base64.a85encode(BOMB) + b"~>", b"/Filter [/ASCII85Decode /FlateDecode]"),
        stream(zlib.compress(b"\x81\0" * (TOO_MUCH << 13)), b"/Filter [/FlateDecode /RunLengthDecode]"),
    ],
)
def test_what_unpacks_to_more_than_a_page_can_hold_is_refused_however_it_is_packed(contents: bytes) -> None:
    content = page_with(contents, b"/FlateDecode", b"[/FlateDecode /FlateDecode]")
    assert "unpacks to more than 64 MB" in refusal(content)


def test_many_streams_that_are_small_alone_are_refused_together() -> None:
    part = stream(zeros(60), DEFLATE)
    assert "512 MB" in refusal(page_with(*[part] * 9))


def test_a_stream_packed_many_times_over_is_refused_before_it_is_unpacked() -> None:
    assert "packed 20 times over" in refusal(page_with(stream(b"", b"/Filter [" + b"/FlateDecode " * 20 + b"]")))


def test_encryption_hides_no_bomb_and_a_password_is_said_to_be_needed() -> None:
    sound = pdf(Page())
    assert inspect(encrypted(sound, "")) == []
    assert "64 MB" in refusal(encrypted(page_with(stream(BOMB, DEFLATE)), ""))
    assert "64 MB" in refusal(page_with(stream(BOMB, DEFLATE)) + b"% /Encrypt")
    assert refusal(encrypted(sound, "secret")) == "a password is needed to open this PDF; save a copy without one"


def test_a_damaged_index_hides_no_bomb() -> None:
    content = page_with(stream(BOMB, DEFLATE))
    assert "64 MB" in refusal(content.replace(b"startxref", b"startxxxx")[: content.rindex(b"xref\n0")])


def test_images_are_not_unpacked_however_large() -> None:
    assert inspect(image_page(60_000, packed=zlib.compress(zeros(3_600)))) == []


def test_what_would_run_or_is_packed_in_is_named() -> None:
    assert inspect(active(pdf(Page()))) == ["JavaScript", "actions that launch programs", "embedded files"]


def test_the_word_stream_in_a_text_or_at_the_end_is_no_stream() -> None:
    assert inspect(latin("revenue stream and stream")) == []
    assert inspect(pdf(Page()) + b"\nstream") == []


def test_filters_that_cannot_be_undone_end_the_data() -> None:
    damaged = zlib.compress(bytes(range(256)) * 400)[:300] + b"damage"
    assert len(b"".join(unpacked(memoryview(damaged), (b"FlateDecode",), 1 << 20))) < 400 * 256
    assert list(unpacked(memoryview(b"\xff\xd8image"), (b"DCTDecode",), 1 << 20)) == []
    assert b"".join(unpacked(memoryview(b"zz>"), (b"ASCIIHexDecode",), 1 << 20)) == b""


PACK = {
    b"FlateDecode": zlib.compress,
    b"ASCIIHexDecode": lambda data: data.hex().encode() + b">",
    b"ASCII85Decode": lambda data: base64.a85encode(data) + b"~>",
}


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=500), st.sampled_from([*product(PACK, repeat=2), *((name,) for name in PACK)]))
def test_filters_undo_what_was_packed_and_stop_at_the_limit(data: bytes, names: tuple[bytes, ...]) -> None:
    packed = data
    for name in reversed(names):
        packed = PACK[name](packed)
    assert b"".join(unpacked(memoryview(packed), names, 10_000)) == data
    if len(data) > 1:
        with pytest.raises(TooLarge):
            list(unpacked(memoryview(packed), names, len(data) - 1))
