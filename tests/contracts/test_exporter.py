"""What every exporter owes: the same graph, whatever the file."""

from pathlib import Path
from xml.etree import ElementTree

import polars

from tests.small_world import WORLD, jsonl, workspace

XML = "{http://graphml.graphdrawing.org/xmlns}"


def test_tables_and_graph_hold_the_same_mentions_between_nodes_that_are_there(tmp_path: Path) -> None:
    with workspace(tmp_path / "store") as known:
        known.ingest([jsonl(tmp_path / "world.jsonl", *WORLD)])
        tables = {path.stem: polars.read_parquet(path) for path in known.export("parquet", tmp_path / "tables")}
        (file,) = known.export("graphml", tmp_path / "graph.graphml")
    graph = ElementTree.parse(file)
    edges = {
        (edge.get("source"), edge.get("target"), int(edge.findtext(f"{XML}data", "0")))
        for edge in graph.iter(f"{XML}edge")
    }
    passages = {f"passage:{passage}" for passage in tables["passages"]["id"]}
    assert edges == {(f"passage:{passage}", entity, count) for passage, entity, count in tables["mentions"].iter_rows()}
    assert {source for source, _, _ in edges} == passages
    assert {node.get("id") for node in graph.iter(f"{XML}node")} == passages | set(tables["entities"]["id"])
