"""What every exporter owes: the same graph, whatever the file, and nothing of it may be taken for markup or code."""

import csv
from pathlib import Path
from xml.etree import ElementTree

import polars
import pyoxigraph
import pytest

from finlore.flows import Workspace
from tests.small_world import WORLD, jsonl, workspace

XML = "{http://graphml.graphdrawing.org/xmlns}"
TERM, ENTITY = "urn:finlore:term:", "urn:finlore:entity:"
HOSTILE = (
    "=cmd|'/c calc'!A1",
    '"]}) DETACH DELETE n //',
    "<img src=x onerror=alert(1)>",
    "名\\称`换行\u202e",
    "@甲\n乙",
)


def imported(folder: Path, rows: list[tuple[str, str]]) -> Workspace:
    file = folder / "links.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([("subject", "object"), *rows])
    known = workspace(folder / "store")
    report = known.import_(file, "supplies")
    assert not report.n_rejected
    return known


def read_rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_tables_and_graph_hold_the_same_mentions_between_nodes_that_are_there(tmp_path: Path) -> None:
    with workspace(tmp_path / "store") as known:
        known.ingest([jsonl(tmp_path / "world.jsonl", *WORLD)])
        tables = {path.stem: polars.read_parquet(path) for path in known.export("parquet", tmp_path / "tables")}
        (file,) = known.export("graphml", tmp_path / "graph.graphml")
    graph = ElementTree.parse(file)
    nodes = {node.get("id") for node in graph.iter(f"{XML}node")}
    ends = [(edge.get("source") or "", edge.get("target"), edge) for edge in graph.iter(f"{XML}edge")]
    mentions = {(a, b, int(edge.findtext(f"{XML}data", "0"))) for a, b, edge in ends if a.startswith("passage:")}
    passages = {f"passage:{passage}" for passage in tables["passages"]["id"]}
    assert mentions == {(f"passage:{passage}", entity, n) for passage, entity, n in tables["mentions"].iter_rows()}
    assert {source for source, _, _ in mentions} == passages
    assert nodes >= passages | set(tables["entities"]["id"])
    assert {end for a, b, _ in ends for end in (a, b)} <= nodes


def test_every_form_holds_each_fact_with_whom_it_speaks_of(tmp_path: Path) -> None:
    with imported(tmp_path, [("青岚化工", "白屿电池"), ("白屿电池", "远汀汽车")]) as known:
        links = {("company:青岚化工", "company:白屿电池"), ("company:白屿电池", "company:远汀汽车")}
        facts = polars.read_parquet(next(f for f in known.export("parquet", tmp_path / "p") if f.stem == "facts"))
        assert set(zip(facts["subject"], facts["object"], strict=True)) == links
        rows = read_rows(next(f for f in known.export("neo4j", tmp_path / "n") if f.stem == "facts"))
        assert {(row[":START_ID"], row[":END_ID"]) for row in rows} == links
        assert {row[":TYPE"] for row in rows} == {"SUPPLIES"}
        graph = ElementTree.parse(known.export("graphml", tmp_path / "g.graphml")[0])
        assert {(edge.get("source"), edge.get("target")) for edge in graph.iter(f"{XML}edge")} == links
        assert [found.get("edgedefault") for found in graph.iter(f"{XML}graph")] == ["directed"]


@pytest.mark.parametrize(
    ("form", "parsed_as"), [("turtle", pyoxigraph.RdfFormat.TURTLE), ("jsonld", pyoxigraph.RdfFormat.JSON_LD)]
)
def test_rdf_states_the_triple_its_interval_its_source_and_the_term_it_is_close_to(
    form: str, parsed_as: pyoxigraph.RdfFormat, tmp_path: Path
) -> None:
    file = tmp_path / "links.csv"
    file.write_text("subject,object,valid_from,known_at\n青岚化工,白屿电池,2023-01-31,2023-02-28\n", encoding="utf-8")
    with workspace(tmp_path / "store") as known:
        known.import_(file, "supplies")
        (out,) = known.export(form, tmp_path / "graph")  # type: ignore[arg-type]
    graph = pyoxigraph.Store()
    graph.load(path=str(out), format=parsed_as)
    question = f"""
        PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> PREFIX prov: <http://www.w3.org/ns/prov#>
        PREFIX skos: <http://www.w3.org/2004/02/skos/core#> PREFIX dc: <http://purl.org/dc/terms/>
        SELECT ?since ?known ?quote ?title ?fibo WHERE {{
          ?a ?relation ?b . ?fact rdf:subject ?a ; rdf:predicate ?relation ; rdf:object ?b ;
            <{TERM}validFrom> ?since ; <{TERM}knownAt> ?known ; <{TERM}quote> ?quote ; prov:wasDerivedFrom ?d .
          ?d dc:title ?title . ?relation skos:closeMatch ?fibo
          FILTER (?a = <{ENTITY}company:青岚化工>) }}"""
    ((since, known_at, quote, title, fibo),) = graph.query(question)  # type: ignore[misc,union-attr]
    assert (since.value[:10], known_at.value[:10], title.value) == ("2023-01-31", "2023-02-28", "links.csv")
    assert "白屿电池" in quote.value
    assert fibo.value.startswith("https://")


def test_names_that_look_like_code_stay_names_in_every_form(tmp_path: Path) -> None:
    with imported(tmp_path, [(name, "白屿电池") for name in HOSTILE]) as known:
        (turtle,) = known.export("turtle", tmp_path / "g.ttl")
        labels = {t.object.value for t in pyoxigraph.parse(path=str(turtle)) if t.predicate.value.endswith("#label")}
        assert set(HOSTILE) <= labels
        ElementTree.parse(known.export("graphml", tmp_path / "g.graphml")[0])
        files = {file.name: file for file in known.export("neo4j", tmp_path / "neo4j")}
    names = {row["name"] for row in read_rows(files["entities.csv"])}
    assert names >= {"=cmd|'/c calc'!A1", '"]}) DETACH DELETE n //', "名＼称`换行\u202e", "@甲 乙"}
    assert all(row[":LABEL"].replace(";", "").isalnum() for row in read_rows(files["entities.csv"]))
    assert not [word for word in ("calc", "甲", "DELETE") if word in files["load.cypher"].read_text()]


def test_what_is_exported_was_known_at_the_date(tmp_path: Path) -> None:
    file = tmp_path / "links.csv"
    file.write_text("subject,object,known_at\n青岚化工,白屿电池,2023-02-28\n远汀汽车,白屿电池,2024-05-06\n", "utf-8")
    with workspace(tmp_path / "store") as known:
        known.import_(file, "supplies")
        (turtle,) = known.export("turtle", tmp_path / "g.ttl", as_of="2023-12-31")
        rows = read_rows(known.export("neo4j", tmp_path / "n", as_of="2023-12-31")[0])
    assert [word for word in ("远汀", "青岚") if word in turtle.read_text("utf-8")] == ["青岚"]
    assert {row["id:ID"] for row in rows} == {"company:青岚化工", "company:白屿电池"}
