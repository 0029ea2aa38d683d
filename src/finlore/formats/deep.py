"""HTML that is nested deeper than any reader follows: the same text in the same order, with few levels.

libxml2 drops a page at 256 levels, at 2,048 when told that it is huge. Its stream of tags has no such limit, and what
reads pages does not need the depth: deep down, elements that only wrap others are left out.
"""

from collections.abc import Mapping

from lxml import etree, html

DEEP, DEEPEST = 100, 200
_INLINE = frozenset({"a", "b", "big", "em", "font", "i", "s", "small", "span", "strike", "strong", "tt", "u"})
_WRAPPERS = _INLINE | {"article", "blockquote", "center", "dir", "div", "dl", "main", "ol", "section", "ul"}


def shallow_tree(page: bytes) -> html.HtmlElement:
    """The root of a UTF-8 page whose elements stand at most `DEEPEST` levels deep."""
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True, target=_Shallow()
    )
    return etree.fromstring(page, parser)


class _Shallow:
    """Target of a parser: hears tags and text, builds the tree. Below `DEEP` a wrapper leaves only a line end where it
    begins and ends a block; what is still too deep is put beside its parent, which goes on after it."""

    def __init__(self) -> None:
        self._tree = etree.TreeBuilder(element_factory=html.Element)
        self._path: list[str] = []  # elements of the tree that are open
        self._left_out: list[bool] = []  # of all open elements
        self._in_line = False  # something stands since the last line end

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        leave_out = len(self._path) >= DEEP and tag in _WRAPPERS
        self._left_out.append(leave_out)
        if leave_out:
            self._end_line(tag)
            return
        if len(self._path) >= DEEPEST:
            self._tree.end(self._path[-1])
        self._tree.start(tag, dict(attributes))
        self._path.append(tag)
        self._in_line = True

    def end(self, tag: str) -> None:
        if self._left_out.pop():
            self._end_line(tag)
            return
        self._tree.end(self._path.pop())
        if len(self._path) >= DEEPEST:
            self._tree.start(self._path[-1], {})

    def data(self, text: str) -> None:
        self._in_line = True
        self._tree.data(text)

    def close(self) -> html.HtmlElement:
        return self._tree.close()

    def _end_line(self, tag: str) -> None:
        if self._in_line and tag not in _INLINE:
            self._in_line = False
            self._tree.start("br", {})
            self._tree.end("br")
