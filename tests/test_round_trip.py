"""What is exported can be imported again, by us and by others, and says the same."""

from pathlib import Path

import networkx
import polars
import pytest

from finlore.flows import Workspace
from tests.small_world import workspace

HOSTILE = (
    "甲川'); DROP TABLE fact; --",
    '乙川"}) DETACH DELETE n //',
    "丙川` <b>&amp;</b>",
    "丁川} SELECT ?s WHERE { ?s ?p ?o }",
    "戊川 o'Brien & Söhne",
)
RELATIONS = ("owns", "supplies", "target_price")


def filled(folder: Path) -> Workspace:
    known = workspace(folder / "store")
    owners = "".join(f'"{name.replace(chr(34), chr(34) * 2)}",桐远电池,{n}.5%,2021-03-0{n},2022-06-0{n}\n'
                     for n, name in enumerate(HOSTILE, 1))  # fmt: skip
    for name, relation, content in (
        ("owns", "owns", "subject:person,object,value,valid_from,known_at\n" + owners),
        ("supplies", "supplies", "subject,object,valid_to,known_at\n青岚化工,609901,2024-01-31,2023-02-28\n"),
        ("targets", "target_price", "code,value,unit,known_at\n309902,26.8,元,2024-09-20\n"),
    ):
        file = folder / f"{name}.csv"
        file.write_text(content.replace("subject:person", "subject"), encoding="utf-8")
        columns = {"subject:person": "subject"} if name == "owns" else {}
        assert not known.import_(file, relation, columns=columns).n_rejected
    return known


def said(known: Workspace, as_of: str | None = None) -> set[tuple[object, ...]]:
    return {
        (
            *(f.subject, f.fact.relation, f.object, f.fact.text, f.fact.value, f.fact.unit),
            *(f.fact.valid_from, f.fact.valid_to, f.known_at),
        )
        for f in known.facts(as_of=as_of)
    }


@pytest.mark.parametrize(
    ("form", "facts", "nodes"),
    [("neo4j", "facts.csv", "entities.csv"), ("graphml", "", ""), ("parquet", "facts.parquet", "entities.parquet")],
)
def test_our_own_export_imported_again_gives_the_same_facts(form: str, facts: str, nodes: str, tmp_path: Path) -> None:
    out = tmp_path / ("graph.graphml" if form == "graphml" else "out")
    with filled(tmp_path) as known:
        known.export(form, out)  # type: ignore[arg-type]
        before = said(known)
    with workspace(tmp_path / "again") as again:
        for relation in RELATIONS:
            report = again.import_(
                out / facts if facts else out, f"{relation}={relation}", nodes=[out / nodes] if nodes else []
            )
            assert not report.n_rejected
        assert said(again) == before
    assert len(before) == len(HOSTILE) + 2


def test_nothing_is_exported_that_was_known_later(tmp_path: Path) -> None:
    with filled(tmp_path) as known:
        files = [
            *known.export("neo4j", tmp_path / "n", as_of="2023-01-31"),
            *known.export("graphml", tmp_path / "g.graphml", as_of="2023-01-31"),
            *known.export("turtle", tmp_path / "t.ttl", as_of="2023-01-31"),
            *known.export("jsonld", tmp_path / "j.jsonld", as_of="2023-01-31"),
            *known.export("parquet", tmp_path / "p", as_of="2023-01-31"),
        ]
    for file in files:
        text = str(polars.read_parquet(file).to_dicts()) if file.suffix == ".parquet" else file.read_text("utf-8")
        assert not [word for word in ("青岚", "609901", "26.8") if word in text], file


def test_others_read_what_is_exported_and_hostile_names_stay_names(tmp_path: Path) -> None:
    with filled(tmp_path) as known:
        (graph,) = known.export("graphml", tmp_path / "g.graphml")
        tables = {file.stem: file for file in known.export("parquet", tmp_path / "p")}
    assert set(HOSTILE) <= set(polars.read_parquet(tables["entities"])["name"])
    assert len(polars.read_parquet(tables["facts"])) == len(HOSTILE) + 2
    read = networkx.read_graphml(graph)
    assert set(HOSTILE) <= {data.get("name") for _, data in read.nodes(data=True)}
