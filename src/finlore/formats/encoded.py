"""Text files that are too large to hold: in which encoding they are, and their lines one after another."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from finlore.formats.decode import NotText, canonical, marked_encoding

LONGEST_LINE = 8 * 1024**2  # characters
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file that was found to be text."""

    path: Path
    encoding: str
    n_lines: int

    def lines(self) -> Iterator[str]:
        """Lines in canonical form, each with its end; NotText for one that no memory should hold."""
        with self.path.open(encoding=self.encoding, newline="") as file:
            while line := file.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE:
                    raise NotText(f"a line is longer than {LONGEST_LINE >> 20} million characters")
                yield canonical(line)

    def pieces(self) -> Iterator[str]:
        """The text as it is, where lines may be of any length."""
        with self.path.open(encoding=self.encoding, newline="") as file:
            while piece := file.read(_PIECE):
                yield piece


def text_file(path: Path) -> TextFile:
    """Reads all of a file to see what it is: UTF-8, else GB 18030; UTF-16 and 32 by their marks. NotText for what is
    empty or no text at all."""
    with path.open("rb") as file:
        head = file.read(4)
    if not head:
        raise NotText("the file is empty")
    if marked := marked_encoding(head):
        return TextFile(path, marked, _n_lines(path, marked))
    try:
        return TextFile(path, "utf-8", _n_lines(path, "utf-8"))
    except NotText:
        return TextFile(path, "gb18030", _n_lines(path, "gb18030"))


def _n_lines(path: Path, encoding: str) -> int:
    """How many lines a text has."""
    decoder = codecs.getincrementaldecoder(encoding)()
    n_lines = 0
    with path.open("rb") as file:
        try:
            while piece := file.read(_PIECE):
                if b"\0" in piece and encoding in ("utf-8", "gb18030"):
                    raise NotText("this is a binary file, not text")
                n_lines += decoder.decode(piece).count("\n")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            at = max(0, file.tell() - _PIECE) + error.start
            raise NotText(f"the text is neither UTF-8 nor GB 18030 (byte {at} fits neither)") from error
    return n_lines
