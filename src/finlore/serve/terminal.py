"""The way to the terminal: what is done goes to stdout, progress and remarks to stderr, all of it as literal text."""

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

_LINE = 120  # columns of a line that is read in a pipe or file

out = Console(highlight=False, markup=False, emoji=False)
log = Console(stderr=True, highlight=False, markup=False, emoji=False)


def say(words: str, style: str = "") -> None:
    _line(out, words, style)


def note(words: str, style: str = "") -> None:
    _line(log, words, style)


def indented(words: str, by: int, style: str = "") -> None:
    if out.is_terminal:
        out.print(Padding(literal(words, style), (0, 0, 0, by), expand=False))
    else:
        say(" " * by + words, style)


def fits(words: str, by: int) -> bool:
    """Whether it is one line when indented."""
    return by + cell_len(printable(words)) <= (out.width if out.is_terminal else _LINE)


def _line(console: Console, words: str, style: str) -> None:
    """Folded at the width of a terminal; in a pipe or file one line stays one line, so that it can be searched."""
    console.print(literal(words, style), soft_wrap=not console.is_terminal)


def literal(words: str, style: str = "") -> Text:
    """Markup means nothing, and control, bidirectional and surrogate characters, which could rewrite what is shown, are
    gone."""
    return Text(printable(words), style)


def printable(words: str) -> str:
    return "".join(c if c.isprintable() else " " for c in words)
