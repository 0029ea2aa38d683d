"""A read at D of a store with a long history equals the same read of a store that holds only what was known at D."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finlore.adapters.store_embedded import EmbeddedStore
from finlore.language.words import words
from finlore.records.document import Document
from finlore.records.index import passage_key
from finlore.records.instant import Instant
from finlore.records.names import Alias, SameName
from tests.contracts.documents import back_fill, day, embed, found, report, searched, shipped, taught
from tests.contracts.facts import party, read_out
from tests.contracts.readings import everything

DAYS = [f"2024-0{month}-15" for month in range(1, 8)]
IDS = ["甲/一", "甲/二", "乙", "丙", "丁"]
SENTENCES = [
    "蓝山酒业收入增长12.5%。",
    "蓝山公布了新的渠道计划。",
    "北溪电池向蓝山股份有限公司供货。",
    "北溪的产能是去年的两倍，蓝山酒业没有产能。",
    "The order from North Creek was large.",
    "行业景气度回升。",
]
LISTED = [shipped("蓝山酒业", "600001.SH"), shipped("北溪电池", "300002.SZ", day("2024-03-15"))]
TEACHABLE = [
    taught("蓝山", "600001.SH"),
    taught("蓝山", "company:蓝山", strength=20),
    taught("北溪", "300002.SZ", needs=2),
    taught("蓝山股份有限公司", "company:蓝山股份有限公司", strength=20),
    taught("股份有限公司", "company:股份有限公司", strength=20),
]
LINKS = [SameName("蓝山股份有限公司", "蓝山酒业", 80), SameName("蓝山", "北溪", 20)]
GUESSES = ["蓝山公布", "行业", "north creek", "北溪电池"]
PARTIES = [
    party("蓝山酒业", entity="600001.SH", kind="security"),
    *map(party, ("蓝山", "北溪", "北溪电池", "蓝山股份有限公司")),
]
SURFACES = sorted({a.surface for a in LISTED + TEACHABLE} | set(GUESSES))
KEYS = [passage_key(id_, version, ordinal) for id_ in IDS for version in range(1, 6) for ordinal in range(2)]
TERMS = sorted({word for sentence in [*SENTENCES, *IDS] for word in words(sentence)} | {"~supply", "~supplies"})


@dataclass(frozen=True)
class Arrival:
    document: Document
    aliases: tuple[Alias, ...]
    guesses: tuple[str, ...]
    subject: str | None
    ingested_at: Instant

    def put_into(self, store: EmbeddedStore) -> Instant:
        mentioned = [alias for alias in LISTED if alias.surface in self.document.text]
        names = found(self.document, *mentioned, *self.aliases, guesses=self.guesses, subject=self.subject)
        extracted = read_out(self.document, PARTIES)
        return store.put(self.document, names, ingested_at=self.ingested_at, extracted=extracted).known_at


@st.composite
def arrivals(draw: st.DrawFn) -> Arrival:
    paragraphs = draw(st.lists(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3), min_size=1, max_size=2))
    paragraphs = draw(st.sampled_from([paragraphs, [SENTENCES[1:3]], [SENTENCES[3:4]]]))  # often a copy of another text
    document = report(
        draw(st.sampled_from(IDS)),
        "\n\n".join("".join(sentences) for sentences in paragraphs),
        draw(st.sampled_from([None, *DAYS])),
        title=draw(st.sampled_from(["", "酒业周报"])),
        rating=draw(st.sampled_from([None, "买入"])),
    )
    return Arrival(
        document,
        tuple(draw(st.lists(st.sampled_from(TEACHABLE), max_size=2, unique=True))),
        tuple(draw(st.lists(st.sampled_from(GUESSES), max_size=2, unique=True))),
        draw(st.sampled_from([None, "600001.SH", "300002.SZ"])),
        day(draw(st.sampled_from(DAYS))),
    )


STEPS = st.one_of(
    arrivals(),
    arrivals(),
    arrivals(),
    st.sampled_from(["refresh", "back-fill", "half a back-fill", "embed", "relate"]),
    st.sampled_from(IDS),  # forget it
)


@dataclass
class History:
    """What a store holds after all steps, by document: its versions in order, each with when it is known."""

    store: EmbeddedStore
    held: dict[str, list[tuple[Arrival, Instant]]] = field(default_factory=dict)

    def run(self, steps: list[object]) -> None:
        for step in steps:
            if isinstance(step, Arrival):
                before = self.store.status().sequence
                known = step.put_into(self.store)
                if self.store.status().sequence > before:
                    self.held.setdefault(step.document.id, []).append((step, known))
            elif step in IDS:
                assert bool(self.store.forget(str(step))) == bool(self.held.pop(str(step), None))
            else:
                self._maintain(str(step))
        self.store.relate(LINKS)
        back_fill(self.store)
        embed(self.store)

    def _maintain(self, step: str) -> None:
        if step == "refresh":
            self.store.refresh()
        elif step == "back-fill":
            back_fill(self.store)
        elif step == "half a back-fill":
            for scan in list(self.store.name_scans())[:1]:
                self.store.add_mentions(searched(scan))
        elif step == "embed":
            embed(self.store, limit=2)
        elif step == "relate":
            self.store.relate(LINKS)

    def known_at(self, as_of: Instant, random: Random) -> Iterator[Arrival]:
        """What was known at a date, versions of a document in order, else shuffled."""
        queues = [[a for a, known in versions if known <= as_of] for versions in self.held.values()]
        while queues := [queue for queue in queues if queue]:
            yield random.choice(queues).pop(0)


def names_in(arrivals_: list[Arrival]) -> set[str]:
    return {alias.surface for arrival in arrivals_ for alias in arrival.aliases} | {
        alias.surface for alias in LISTED for arrival in arrivals_ if alias.surface in arrival.document.text
    }


def store_of(folder: str, past: list[Arrival]) -> EmbeddedStore:
    store = EmbeddedStore(Path(folder) / "past")
    for arrival in past:
        arrival.put_into(store)
    names = names_in(past)
    if links := [link for link in LINKS if {link.surface, link.via} <= names]:
        store.relate(links)
    if past:
        back_fill(store)
        embed(store)
    return store


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    steps=st.lists(STEPS, min_size=3, max_size=14),
    date=st.sampled_from(DAYS),
    overlay_rows=st.sampled_from([0, 2, 2_000]),
    seed=st.integers(0, 9),
)
def test_the_past_is_the_same_whatever_came_later(steps: list[object], date: str, overlay_rows: int, seed: int) -> None:
    with TemporaryDirectory() as folder:
        full = EmbeddedStore(Path(folder) / "full", overlay_rows=overlay_rows)
        history = History(full)
        history.run(steps)
        if seed % 3 == 0:
            full.refresh()
        past = store_of(folder, list(history.known_at(day(date), Random(seed))))
        if seed % 2 == 0:
            past.refresh()
        read = everything(full, day(date), terms=TERMS, surfaces=SURFACES, keys=KEYS)
        expected = everything(past, day(date), terms=TERMS, surfaces=SURFACES, keys=KEYS)
        assert {verb: value for verb, value in read.items() if value != expected[verb]} == {}, expected
        full.close()
        past.close()
