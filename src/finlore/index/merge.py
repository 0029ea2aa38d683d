"""Segments joined without reading a text, a range at a time, so that memory stays bounded whatever their size."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from finlore.index.arrays import (
    COUNT_BITS,
    Ints,
    Numbers,
    Posts,
    in_lists,
    narrow,
    released,
    renumbered,
    starts_of,
)
from finlore.index.postings import POSTINGS_AT_A_TIME, Postings
from finlore.index.segment import Segment, check_size
from finlore.index.strings import merged_strings
from finlore.ports import Bools, Item
from finlore.records.instant import ALWAYS

ROWS_AT_A_TIME = 20_000
COUNT = np.uint32(COUNT_BITS)
FAN = 16
"""Segments of about one size that become one."""
NewPosts = Callable[[str, int], Posts]
"""(name, size) -> an array to be filled."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A segment to be joined: which of its rows stay, their new numbers, and the new number of each sentence (-1: it
    leaves). New numbers ascend, since parts and whole are sorted alike."""

    segment: Segment
    keep: Bools
    rows: Ints
    sentences: Numbers

    @property
    def whole(self) -> bool:
        return len(self.rows) == len(self.keep)


@dataclass(frozen=True, slots=True)
class _Lists:
    """The lists of one part: the new place of each string that stays, as `places` of the strings `used`."""

    held: Postings
    part: _Part
    targets: Numbers
    used: Ints
    places: Numbers


def merged(parts: Sequence[Segment], *, folder: Path | None = None, chunk: int = POSTINGS_AT_A_TIME) -> Segment:
    """One segment of all rows of the parts but those that end before all time (`Segment.ending` with ALWAYS).

    With them goes every string that only they used. The keys that stay must differ. In memory, or in `folder`, which
    exists and is empty; about `chunk` postings are sorted at a time.
    """
    return joined(parts, folder=folder, chunk=chunk)[0]


def joined(
    parts: Sequence[Segment], *, folder: Path | None = None, chunk: int = POSTINGS_AT_A_TIME
) -> tuple[Segment, list[Numbers]]:
    """As `merged`, with the new number of each name list of each part, -1 where it leaves. Of one part nothing is
    sorted: it is thinned out."""
    keep = [part.until > ALWAYS for part in parts]

    def column(name: str) -> Ints:
        kept = (getattr(part, name)[stays] for part, stays in zip(parts, keep, strict=True))
        return np.concatenate([np.zeros(0, np.int64), *kept])

    keys, known = column("keys"), column("known")
    order = np.lexsort((keys, known))
    columns = {name: narrow(column(name)[order]) for name in ("languages", "lengths", "sizes")}
    moved = _moved(parts, keep, order, columns["sizes"])
    new = _in_memory if folder is None else _in_folder(folder)
    words, _ = _merged_postings([p.segment.words for p in moved], moved, lambda n: new("words.posts", n), chunk)
    names, lists = _merged_postings([p.segment.names for p in moved], moved, lambda n: new("names.posts", n), chunk)
    name_sizes = _name_sizes(moved, int(columns["sizes"].sum(dtype=np.int64)))
    names_in = new("names_in", len(names.posts))
    done = 0
    for posts in _names_by_sentence(moved, lists, len(order)):
        names_in[done : done + len(posts)] = posts
        done += len(posts)
        released(names_in)
    segment = Segment(
        keys=keys[order],
        known=known[order],
        until=column("until")[order],
        **columns,
        words=words,
        names=names,
        name_sizes=name_sizes,
        names_in=names_in,
    )
    if folder is None:
        return segment, lists
    segment.save(folder)
    return Segment.load(folder), lists


def few(items: Iterable[Item], join: Callable[[Sequence[Item]], Item]) -> list[Item]:
    """The items with every `FAN` of one size joined, so that each row is moved a few times however many there are."""
    levels: list[list[Item]] = []
    for item in items:
        joined, level = item, 0
        while True:
            levels += [[]] * (level == len(levels))
            levels[level] = [*levels[level], joined]
            if len(levels[level]) < FAN:
                break
            joined, levels[level] = join(levels[level]), []
            level += 1
    return [item for level_ in reversed(levels) for item in level_]


def _in_memory(_: str, size: int) -> Posts:
    return np.empty(size, np.uint32)


def _in_folder(folder: Path) -> NewPosts:
    def new(name: str, size: int) -> Posts:
        if not size:
            return np.empty(0, np.uint32)  # nothing cannot be mapped
        return np.lib.format.open_memmap(folder / f"{name}.npy", mode="w+", dtype=np.uint32, shape=(size,))

    return new


def _moved(parts: Sequence[Segment], keep: Sequence[Bools], order: Ints, sizes: Numbers) -> list[_Part]:
    """`order`: the rows that stay, of one part after another, newly sorted; `sizes`: their sentences in that order."""
    first = starts_of(sizes)
    check_size(int(first[-1]))
    new_rows = np.empty(len(order), np.int64)
    new_rows[order] = np.arange(len(order))
    found, done = [], 0
    for part, stays in zip(parts, keep, strict=True):
        rows = new_rows[done : done + int(stays.sum())]
        done += len(rows)
        starts = np.full(len(part), -1)
        starts[stays] = first[rows]
        by_row = np.repeat((starts - part.starts[:-1]).astype(np.int32), part.sizes)
        by_row += np.arange(len(by_row), dtype=np.int32)
        if len(rows) < len(part):
            by_row[np.repeat(~stays, part.sizes)] = -1
        found.append(_Part(part, stays, rows, by_row))
    return found


def _merged_postings(
    held: Sequence[Postings], parts: Sequence[_Part], new: Callable[[int], Posts], chunk: int
) -> tuple[Postings, list[Numbers]]:
    """Lists joined by string, and the new place of each string of each part (-1: it leaves)."""
    sizes = [_surviving(own, part, chunk) for own, part in zip(held, parts, strict=True)]
    strings, targets = merged_strings([own.strings for own in held], [own > 0 for own in sizes])
    total = np.zeros(len(strings), np.int64)
    lists = []
    for own, part, target, surviving in zip(held, parts, targets, sizes, strict=True):
        used = np.flatnonzero(surviving)
        total[target[used]] += surviving[used]
        lists.append(_Lists(own, part, target, used, target[used]))
    starts = starts_of(total)
    posts = new(int(starts[-1]))
    for low, high in pairwise(_ranges(starts, chunk)):
        pieces = [piece for own in lists for piece in _pieces(own, low, high, chunk)]
        one_list, in_order = high - low == 1, len(lists) == 1 or len(pieces) == 1
        _fill(posts[starts[low] : starts[high]], pieces, one_list=one_list, in_order=in_order)
        for array in (posts, *(own.posts for own in held)):
            released(array)
    return Postings(strings, narrow(total), posts), targets


def _surviving(held: Postings, part: _Part, chunk: int) -> Ints:
    """How many postings of each string stay. Only those of sentences between the ones that leave are looked at."""
    sizes, leaving = held.sizes.astype(np.int64), np.flatnonzero(part.sentences < 0)
    if not len(leaving):
        return sizes
    low, end = (np.uint32(int(at) << COUNT_BITS) for at in (leaving[0], leaving[-1] + 1))
    for start in range(0, len(held.posts), chunk):
        posts = held.posts[start : start + chunk]
        near = np.flatnonzero(posts - low < end - low)  # smaller ones wrap around
        leaves = near[part.sentences[posts[near] >> COUNT] < 0] + start
        sizes -= np.bincount(np.searchsorted(held.starts, leaves, "right") - 1, minlength=len(sizes))
        released(held.posts)
    return sizes


def _ranges(starts: Ints, chunk: int) -> list[int]:
    """Where ranges of lists begin and end that hold about `chunk` postings each; long lists stand alone."""
    n = len(starts) - 1
    even = np.searchsorted(starts, np.arange(0, starts[-1], chunk))
    long = np.flatnonzero(np.diff(starts) > chunk // 4)
    cuts: list[int] = np.unique(np.concatenate([even, long, long + 1, [0, n]])).tolist()
    return cuts


def _pieces(lists: _Lists, low: int, high: int, chunk: int) -> Iterator[tuple[Numbers, Posts]]:
    """(new string less `low`, posting with its new sentence) of what stays of the strings from `low` to `high`.

    They stand side by side in every part; a long list comes in several pieces.
    """
    here = lists.used[slice(*np.searchsorted(lists.places, np.array((low, high), lists.places.dtype)).tolist())]
    if not len(here):
        return
    held, part = lists.held, lists.part
    strings = slice(int(here[0]), int(here[-1]) + 1)
    begin, end = int(held.starts[strings.start]), int(held.starts[strings.stop])
    owners = np.repeat(lists.targets[strings] - np.int32(low), held.sizes[strings])
    for start in range(begin, end, chunk):
        posts = held.posts[start : min(start + chunk, end)]
        sentences, own = part.sentences[posts >> COUNT], owners[start - begin : start - begin + len(posts)]
        if not part.whole:
            stays = sentences >= 0
            posts, sentences, own = posts[stays], sentences[stays], own[stays]
        yield own, renumbered(posts, sentences)


def _fill(out: Posts, pieces: Sequence[tuple[Numbers, Posts]], *, one_list: bool, in_order: bool) -> None:
    """Write the pieces of a span in the order of their lists, each list ascending. `in_order`: they are so already."""
    if one_list or in_order:
        np.concatenate([np.zeros(0, np.uint32), *(posts for _, posts in pieces)], out=out)
        if not in_order:
            out.sort()
    else:
        owners, posts = (np.concatenate(column) for column in zip(*pieces, strict=True))
        out[:] = in_lists(owners, posts)


def _name_sizes(parts: Sequence[_Part], n_sentences: int) -> Numbers:
    widest = max(
        (part.segment.name_sizes.dtype for part in parts), default=np.dtype(np.uint8), key=lambda d: d.itemsize
    )
    sizes = np.zeros(n_sentences, widest)
    for part in parts:
        stays = part.sentences >= 0
        sizes[part.sentences[stays]] = part.segment.name_sizes[stays]
    return narrow(sizes)


def _names_by_sentence(parts: Sequence[_Part], lists: Sequence[Numbers], n_rows: int) -> Iterator[Posts]:
    """The names of each sentence, one range of rows after another; `lists`: the new number of each list of each part.

    A range of rows is a run of rows in every part.
    """
    kept = [np.flatnonzero(part.keep) for part in parts]
    place = [(0, 0)] * len(parts)  # how far each part has been read: sentences, names
    for last in range(ROWS_AT_A_TIME, n_rows + ROWS_AT_A_TIME, ROWS_AT_A_TIME):
        pieces = []
        for at, part in enumerate(parts):
            until = int(np.searchsorted(part.rows, last))
            end = int(part.segment.starts[kept[at][until - 1] + 1]) if until else 0
            (sentence, name), segment = place[at], part.segment
            sizes = segment.name_sizes[sentence:end]
            n_names = int(sizes.sum(dtype=np.int64))
            posts = segment.names_in[name : name + n_names]
            owners = np.repeat(part.sentences[sentence:end], sizes)
            stays = owners >= 0
            pieces.append((owners[stays], renumbered(posts[stays], lists[at][posts[stays] >> COUNT])))
            place[at] = end, name + n_names
            released(segment.names_in)
        pieces = [piece for piece in pieces if len(piece[0])]
        if len(pieces) > 1:
            owners, moved = (np.concatenate(column) for column in zip(*pieces, strict=True))
            yield in_lists(owners, moved)
        elif pieces:
            yield pieces[0][1]
