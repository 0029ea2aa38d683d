"""Every verb that reads gives at a date what it gives where nothing later was ever taken in.

Histories are random: documents in any order, later versions, names that are explained late, documents forgotten.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finlore.errors import NotFound
from finlore.flows import EntityPage, Workspace
from tests.fake_extractor import extract
from tests.small_world import jsonl, workspace

DAYS = ("2024-01-10", "2024-02-10", "2024-03-10", "2024-04-10", "2024-05-10")
COMPANIES = {"漠川材料": "609901", "桐远电池": "309902", "绯屿光学": "609977", "雁洲化工": "309955"}
NAMES = (*COMPANIES, "漠川", "Quillmark Devices", "609901.SH", "硅碳负极")
QUESTIONS = (
    "谁向桐远电池供应硅碳负极？",
    "漠川材料的目标价是多少？",
    "霜桥证券对绯屿光学的目标价是多少？",
    "为雁洲化工提供担保的公司是哪家？",
    "Who is a customer of Quillmark Devices?",
)
TEXTS = (
    "{a}向{b}供应硅碳负极。{a}的客户还有{c}。",
    "霜桥证券给予{a}目标价{n}元。",
    "{a}（{code}）为{b}提供担保，担保额{n}亿元。",
    "{a}（{code}），简称“漠川”，公告称产线投产。",
    "Quillmark Devices is a customer of {a} ({code}). It bought {n} lenses.",
    "{a}股份有限公司（证券代码{code}，以下简称公司）董事会公告。公司供应{b}。",
)


@dataclass(frozen=True)
class Written:
    """One document as it was on a day."""

    id: str
    day: int
    title: str
    text: str
    security: str | None

    @property
    def row(self) -> dict[str, object]:
        stated = {"id": self.id, "title": self.title, "text": self.text, "published_at": DAYS[self.day]}
        return stated | ({"security": self.security, "broker": "霜桥证券"} if self.security else {})


@st.composite
def documents(draw: st.DrawFn) -> list[Written]:
    """Up to seven documents, some of which are written again on a later day."""
    written = []
    for number in range(draw(st.integers(2, 7))):
        a, b, c = draw(st.permutations(sorted(COMPANIES)))[:3]
        text = draw(st.sampled_from(TEXTS)).format(a=a, b=b, c=c, code=COMPANIES[a], n=draw(st.integers(10, 99)))
        title = draw(st.sampled_from([f"{a}（{COMPANIES[a]}）点评", f"{a}跟踪", "行业周报"]))
        first = Written(f"d{number}", draw(st.integers(0, 4)), title, text, draw(st.sampled_from([COMPANIES[a], None])))
        written.append(first)
        if first.day < 4 and draw(st.booleans()):
            later = draw(st.integers(first.day + 1, 4))
            written.append(replace(first, day=later, text=text + f"另有补充{draw(st.integers(1, 9))}项，涉及{b}。"))
    return written


def told(page: EntityPage) -> tuple[object, ...]:
    return page.entity, page.neighbours, [passage.id for passage in page.passages], page.facts, page.events


def everything(made: Workspace, as_of: str, folder: Path) -> dict[str, object]:
    """What each verb says at a date."""
    said: dict[str, object] = {}
    for question in QUESTIONS:
        for method in ("text", "graph", "auto"):
            found = made.search(question, as_of=as_of, method=method, top=20)
            ranked = [(hit.passage.id, hit.score, hit.parts, hit.entities) for hit in found.hits]
            said[f"search {method} {question}"] = ranked, found.entities, found.unknown_names, found.paths
        said[f"ask {question}"] = made.ask(question, as_of=as_of).answer
    for name in NAMES:
        try:
            said[f"entity {name}"] = told(made.entity(name, as_of=as_of))
            said[f"edge {name}"] = [p.id for p in made.edge(name, "桐远电池", as_of=as_of)]
            said[f"paths {name}"] = made.paths(name, "桐远电池", as_of=as_of)[0]
            said[f"facts {name}"] = made.facts(subject=name, as_of=as_of)
            said[f"events {name}"] = made.events(subject=name, as_of=as_of)
            said[f"timeline {name}"] = made.timeline(name, as_of=as_of)
            said[f"days of {name}"] = made.timeline(name, since=DAYS[0], until=DAYS[2], as_of=as_of)
        except NotFound as unknown:
            said[f"unknown {name}"] = unknown.message
    said["targets"] = made.facts(relation="目标价", as_of=as_of)
    said["guarantees"] = made.events(driver="supply", as_of=as_of)
    made.export("parquet", folder, as_of=as_of)
    for table in ("entities", "passages", "mentions"):
        rows = polars.read_parquet(folder / f"{table}.parquet").rows()
        said[f"export {table}"] = sorted(map(repr, rows))
    return said


def take_in(made: Workspace, folder: Path, written: Sequence[Written], batches: int) -> None:
    """Versions in their order, documents in the order given, in several runs."""
    size = max(1, len(written) // batches)
    for start in range(0, len(written), size):
        rows = [document.row for document in written[start : start + size]]
        made.ingest([jsonl(folder / "reports.jsonl", *rows)])
    extract(made.folder)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(written=documents(), day=st.integers(0, 4), batches=st.integers(1, 3), data=st.data())
def test_no_verb_tells_what_was_not_known(written: list[Written], day: int, batches: int, data: st.DataObject) -> None:
    forgotten = data.draw(st.sets(st.sampled_from(sorted({document.id for document in written})), max_size=1))
    shuffled = sorted(data.draw(st.permutations(written)), key=lambda document: document.day if batches == 1 else 0)
    in_order = [d for d in shuffled if not _comes_too_early(d, shuffled)] + [
        d for d in shuffled if _comes_too_early(d, shuffled)
    ]
    known = [document for document in written if document.day <= day and document.id not in forgotten]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with workspace(folder / "all") as whole, workspace(folder / "known") as past:
            take_in(whole, folder, in_order, batches)
            for document in forgotten:
                whole.forget(document)
            take_in(past, folder, known, 1)
            expected = everything(past, DAYS[day], folder / "past")
            found = everything(whole, DAYS[day], folder / "whole")
    assert {verb for verb in expected.keys() | found.keys() if expected.get(verb) != found.get(verb)} == set()


def _comes_too_early(document: Written, order: Sequence[Written]) -> bool:
    """Whether an earlier version of the document stands after it: which one is the next version, ingest decides."""
    return any(other.id == document.id and other.day < document.day for other in order)
