"""What importers make of files that are not as they should be: each row or its fault, in bounded memory."""

import json
import tracemalloc
from collections.abc import Iterable
from pathlib import Path

import polars
import pytest

from finlore.records.imported import ImportedRow, ImportedTable, UnreadableTable
from finlore.wiring.tables import read_table

LAUGHS = "".join(f'<!ENTITY e{n} "{("&e" + str(n - 1) + ";") * 10}">' for n in range(1, 12))


def table(folder: Path, name: str, content: str | bytes, encoding: str = "utf-8") -> ImportedTable:
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return read_table(file)


def cells(rows: Iterable[ImportedRow]) -> list[tuple[object, ...]]:
    return [row.cells for row in rows if not row.fault]


def faults(rows: Iterable[ImportedRow]) -> dict[int, str]:
    return {row.line: row.fault for row in rows if row.fault}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-32"])
@pytest.mark.parametrize("between", [",", ";", "\t", "|"])
def test_a_csv_is_read_in_any_encoding_and_with_any_mark_between_cells(
    encoding: str, between: str, tmp_path: Path
) -> None:
    content = f"主体{between}客体\r\n青岚化工{between}白屿电池\r\n"
    read = table(tmp_path, "t.csv", content, encoding)
    assert (read.columns, cells(read.rows)) == (("主体", "客体"), [("青岚化工", "白屿电池")])


def test_rows_of_a_csv_that_do_not_fit_have_a_fault_and_the_others_are_read(tmp_path: Path) -> None:
    content = 'a,b\n1,2\n\n3\n4,5,6\n"x"y,7\n"two\nlines",8\n  ,\n9,10\n'
    read = table(tmp_path, "t.csv", content)
    assert cells(read.rows) == [("1", "2"), ("two\nlines", "8"), ("9", "10")]
    assert faults(read.rows) == {
        4: "not 2 cells, as the header has",
        5: "not 2 cells, as the header has",
        6: "a quotation mark is not doubled",
    }


def test_a_header_alone_is_a_table_without_rows(tmp_path: Path) -> None:
    assert (cells(table(tmp_path, "t.csv", "a,b\n").rows), table(tmp_path, "t.csv", "a,b").columns) == ([], ("a", "b"))


def test_what_no_store_can_keep_is_replaced(tmp_path: Path) -> None:
    read = table(tmp_path, "t.jsonl", '{"a": "x\\u0000\\ud800y"}\n')
    assert cells(read.rows) == [("x\ufffd\ufffdy",)]
    with pytest.raises(UnreadableTable, match="binary"):
        table(tmp_path, "t.csv", b"a,b\n1,\x00\n")


def test_a_broken_line_of_json_has_a_fault_and_the_others_are_read(tmp_path: Path) -> None:
    deep = "[" * 100_000
    read = table(
        tmp_path, "t.jsonl", f'{{"a": 1}}\n{{"a": \n\n3\n{deep}\n{{"b": [1.50, {{"name": "x", "value": 2}}]}}\n'
    )
    assert read.columns == ("a", "b")
    assert cells(read.rows) == [("1", ""), ("", (("1.50", ""), ("x", "2")))]
    assert sorted(faults(read.rows)) == [2, 4, 5]


def test_a_list_of_json_on_one_line_is_read_item_by_item(tmp_path: Path) -> None:
    items = [{"a": f"{n}", "b": {"x": n}} for n in range(3_000)]
    read = table(tmp_path, "t.json", json.dumps(items))
    assert cells(read.rows) == [(f"{n}", (("x", f"{n}"),)) for n in range(3_000)]
    assert cells(table(tmp_path, "t.json", ' [ {"a": 1} ,\n{"a": 2}] ').rows) == [("1",), ("2",)]


@pytest.mark.parametrize("content", ['[{"a": 1}, {', '[{"a": 1} x]', "[", "{}", '{"a":', "null"])
def test_json_that_holds_no_rows_is_refused(content: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableTable):
        list(table(tmp_path, "t.json", content).rows)


def test_nested_columns_of_parquet_are_cells_of_several(tmp_path: Path) -> None:
    frame = polars.DataFrame(
        {"a": ["x"], "l": [["p", "q"]], "s": [{"k": 1, "none": None}], "ls": [[{"name": "n", "value": 2.5}]]}
    )
    frame.write_parquet(tmp_path / "t.parquet")
    assert cells(read_table(tmp_path / "t.parquet").rows) == [
        ("x", (("p", ""), ("q", "")), (("k", "1"),), (("n", "2.5"),))
    ]


def test_nodes_and_edges_without_ids_have_empty_ones(tmp_path: Path) -> None:
    read = table(
        tmp_path, "g.graphml", '<graphml><key id="k" for="all" attr.name="name"/><graph edgedefault="undirected">'
        '<node><data key="k">甲</data></node><node id="b"/><edge target="b" directed="true"/><edge source="b"/></graph>'
        "</graphml>",
    )  # fmt: skip
    assert read.nodes is not None
    assert (read.nodes.columns, cells(read.nodes.rows)) == ((":ID", "name"), [("", "甲"), ("b", "")])
    assert [(row.cells, row.is_directed) for row in read.rows] == [(("", "b", ""), True), (("b", "", ""), None)]
    assert not read.is_directed


@pytest.mark.parametrize(
    "content",
    [
        f'<!DOCTYPE g [<!ENTITY e0 "x">{LAUGHS}]><graphml><graph><node id="&e11;"/></graph></graphml>',
        '<!DOCTYPE g SYSTEM "file:///etc/passwd"><graphml><graph/></graphml>',
        "<graphml><graph><node id='a'/><edge",
        "<graphml/>",
        "not xml",
    ],
)
def test_graphml_that_is_broken_or_declares_entities_is_refused(content: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableTable):
        list(table(tmp_path, "g.graphml", content).rows)


@pytest.mark.parametrize("name", ["t.csv", "t.json", "t.jsonl", "t.parquet", "t.graphml"])
def test_an_empty_file_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableTable):
        table(tmp_path, name, "")


@pytest.mark.parametrize(
    ("name", "start", "row", "end"),
    [
        ("t.csv", "a,b\n", "青岚化工,白屿电池\n", ""),
        ("t.jsonl", "", '{"a": "青岚化工"}\n', ""),
        ("t.json", "[", '{"a": "青岚化工"},', '{"a": "x"}]'),
        ("t.graphml", "<graphml><graph>", '<node id="青岚化工"/><edge source="a" target="b"/>', "</graph></graphml>"),
    ],
)
def test_memory_does_not_grow_with_the_file(name: str, start: str, row: str, end: str, tmp_path: Path) -> None:
    content = start + row * 60_000 + end
    (tmp_path / name).write_text(content, encoding="utf-8")
    tracemalloc.start()
    n_rows = sum(1 for _ in read_table(tmp_path / name).rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n_rows >= 60_000
    assert peak < len(content.encode()) / 2 + 400_000


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableTable, match="longer"):
        list(table(tmp_path, "t.csv", "a,b\n" + "x" * (8 << 20) + "y\n").rows)
