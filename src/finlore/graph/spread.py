"""Back-filling: older texts are searched for new surfaces, and for nothing else."""

from collections.abc import Iterator

from finlore.graph.folded import capitals_suffice, folded
from finlore.graph.gazetteer import Surfaces
from finlore.graph.learn import same_names
from finlore.language.codes import find_codes
from finlore.ports import Store
from finlore.records.names import Mention
from finlore.records.store import NameScan, ScannedMentions


def spread_names(store: Store) -> Iterator[int]:
    """Link forms of one name, then search all texts for what they were not searched for; yields the batches done.

    An interrupted run goes on where it stopped. Needs the writer lock.
    """
    new, near = store.unrelated()
    store.relate(same_names((*new, *near), new=frozenset(new)), seen=new)
    finder = SurfaceFinder(())
    for done, work in enumerate(store.name_scans(searched_as), 1):
        if work.surfaces != finder.surfaces:
            finder = SurfaceFinder(work.surfaces)
        store.add_mentions(scan(work, finder))
        yield done


def searched_as(sentence: str) -> tuple[str, ...]:
    """The strings of which a surface must be a part to be found in a sentence."""
    return (folded(sentence).text, *(code.surface for code in find_codes(sentence)))


def scan(work: NameScan, finder: "SurfaceFinder | None" = None) -> ScannedMentions:
    """Every mention of the surfaces in the texts, in the order of the texts. `finder`: of these surfaces.

    What is found in a sentence depends on the sentence and the surface alone, so that the order in which surfaces and
    texts arrive makes no difference.
    """
    finder = finder or SurfaceFinder(work.surfaces)
    return ScannedMentions(
        work,
        tuple(
            (text.version_row, Mention(text.passage, ordinal, *reading.span(first, last), surface))
            for text in work.texts
            for ordinal, reading in text.sentences
            for first, last, surface in finder.find(reading.text)
        ),
    )


class SurfaceFinder:
    """Finds learnt surfaces in sentences."""

    __slots__ = ("_surfaces", "_wanted", "surfaces")

    def __init__(self, surfaces: tuple[str, ...]) -> None:
        self.surfaces = surfaces
        self._wanted = frozenset(surfaces)
        self._surfaces = Surfaces(surfaces)

    def find(self, sentence: str) -> Iterator[tuple[int, int, str]]:
        """(start, end, surface), sorted; a bare number is never a code."""
        found = {(code.start, code.end, code.surface) for code in find_codes(sentence) if code.surface in self._wanted}
        for match, _, _ in self._surfaces.find(folded(sentence)):
            if capitals_suffice(sentence[match.start : match.end], match.surface):
                found.add((match.start, match.end, match.surface))
        return iter(sorted(found))
