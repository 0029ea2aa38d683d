"""Bytes -> text: UTF-8, then GB 18030; UTF-16 by its mark. Guessing further is worse than refusing."""

import codecs
import re
import unicodedata
from hashlib import sha256

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class NotText(ValueError):
    """The bytes are not a text in any encoding that is read here; the message is for a person."""


def decode(content: bytes, *, declared: str = "") -> str:
    """The text of a file in canonical form (see `canonical`); NotText for what is empty or no text at all.

    `declared` is an encoding that the content itself names; it counts where the text is not UTF-8.
    """
    if not content:
        raise NotText("the file is empty")
    if marked := marked_encoding(content):
        return canonical(_decoded(content, marked))
    if b"\0" in content:
        raise NotText("this is a binary file, not text")
    try:
        return canonical(content.decode("utf-8"))
    except UnicodeDecodeError:
        pass
    try:
        return canonical(content.decode(declared or "gb18030"))
    except (LookupError, UnicodeDecodeError):
        return canonical(_decoded(content, "gb18030"))


def marked_encoding(content: bytes) -> str:
    """The encoding that the mark at the start of a text names, and that reads over the mark; "" where there is none."""
    return next((encoding for mark, encoding in _BOMS if content.startswith(mark)), "")


def canonical(text: str) -> str:
    """NFC; what no store can keep (lone surrogates, NUL) becomes U+FFFD, one for one."""
    if text.isascii():
        return text.replace("\0", "\ufffd")
    text = unicodedata.normalize("NFC", text)
    return text if text.isprintable() else _UNSTORABLE.sub("\ufffd", text)


def fingerprint(content: bytes) -> str:
    """Hash of the bytes as they came."""
    return sha256(content).hexdigest()


def _decoded(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise NotText(f"the text is neither UTF-8 nor GB 18030 (byte {error.start} fits neither)") from error
