"""Importing tables and graphs: what becomes a fact, what is left out and why, and from when it is known."""

import json
from datetime import date
from pathlib import Path

import polars
import pytest

from finlore.errors import NotFound, UsageError
from finlore.flows import Workspace
from finlore.records.imported import ImportReport
from finlore.records.instant import end_of_day, isoformat
from tests.small_world import WORLD, jsonl, workspace


@pytest.fixture
def known(tmp_path: Path) -> Workspace:
    return workspace(tmp_path / "store")


def written(folder: Path, name: str, *lines: str, encoding: str = "utf-8") -> Path:
    file = folder / name
    file.write_bytes("\n".join(lines).encode(encoding))
    return file


def links(known: Workspace, **asked: str) -> set[tuple[str, str | None]]:
    return {(fact.subject, fact.object) for fact in known.facts(**asked)}  # type: ignore[arg-type]


def reasons(report: ImportReport) -> dict[str, list[int]]:
    return {rejected.reason: [line for line, _ in rejected.examples] for rejected in report.rejected}


def test_a_row_becomes_a_fact_that_quotes_it(known: Workspace, tmp_path: Path) -> None:
    file = written(tmp_path, "owners.csv", "holder,company,share,unit", "闵若溪,桐远电池,12.5,%")
    report = known.import_(file, "owns", columns={"subject:person": "holder", "object": "company", "value": "share"})
    (fact,) = known.facts()
    assert (report.added, report.n_rejected) == (1, 0)
    assert (fact.subject, fact.object, fact.fact.value, fact.fact.unit) == (
        "person:闵若溪",
        "company:桐远电池",
        12.5,
        "%",
    )
    assert (fact.source.quote, fact.source.title) == ("闵若溪\t桐远电池\t12.5\t%", "owners.csv")


def test_a_code_means_its_security_and_teaches_its_name(known: Workspace, tmp_path: Path) -> None:
    file = written(tmp_path, "members.csv", "code,company_name,industry", "609901,漠川材料,负极材料")
    known.import_(file, "所属概念", columns={"object": "industry"})
    assert links(known, subject="漠川材料") == {("609901.SH", "concept:负极材料")}
    assert known.entity("漠川材料").entity.id == "609901.SH"


def test_a_security_is_found_by_its_code_and_by_what_only_facts_call_it(known: Workspace, tmp_path: Path) -> None:
    file = written(
        tmp_path, "m.csv", "code,company_name,concept", "00931.HK,QK,储能", "309902,XY,储能", "609901,XY,储能"
    )
    known.import_(file, "belongs_to_concept", columns={"object": "concept"})
    for name in ("00931.HK", "931.hk", "00931", "qk"):
        assert links(known, subject=name) == {("00931.HK", "concept:储能")}, name
        assert known.events(subject=name) == []
        assert (known.entity(name).entity.id, known.entity(name).entity.name) == ("00931.HK", "QK")
    with pytest.raises(UsageError, match=r"309902\.SZ, 609901\.SH"):
        known.facts(subject="XY")
    with pytest.raises(NotFound):
        known.facts(subject="Q")


def test_parties_that_no_passage_mentions_are_merged_and_parted_by_name(known: Workspace, tmp_path: Path) -> None:
    file = written(tmp_path, "s.csv", "subject,object", "岚汀控股集团有限公司,白屿电池", "岚汀控股,远汀汽车")
    known.import_(file, "supplies")
    merged, into = known.merge("岚汀控股集团有限公司", "岚汀控股")
    assert (merged, into) == ("company:岚汀控股集团有限公司", "company:岚汀控股")
    for name in ("岚汀控股集团有限公司", merged, into):
        assert links(known, subject=name) == {(into, "company:白屿电池"), (into, "company:远汀汽车")}, name
        assert known.entity(name).entity.id == into
    assert known.split("岚汀控股集团有限公司")
    assert links(known, subject=into) == {(into, "company:远汀汽车")}
    assert not known.split("岚汀控股集团有限公司")


def test_headers_of_a_neo4j_import_lead_to_names_and_kinds(known: Workspace, tmp_path: Path) -> None:
    people = written(
        tmp_path, "people.csv", "person_id:ID(P),name,:LABEL", "p1,闵若溪,Executive", "p2,程砚秋,Executive"
    )
    firms = written(tmp_path, "firms.csv", "id:ID(S),name,code,:LABEL", "p1,桐远电池,309902,Company")
    edges = written(tmp_path, "e.csv", ":START_ID(P),jobs,:END_ID(S),:TYPE", "p1,董事长,p1,of", "p9,董事,p1,of")
    report = known.import_(edges, "executive_of", nodes=[people, firms])
    (fact,) = known.facts()
    assert (fact.subject, fact.object, fact.fact.text) == ("person:闵若溪", "309902.SZ", "董事长")
    assert "闵若溪 (p1)" in fact.source.quote
    assert reasons(report) == {"no node has this id": [3]}


def test_two_nodes_of_one_name_are_two_people(known: Workspace, tmp_path: Path) -> None:
    people = written(tmp_path, "people.csv", ":ID,name,:LABEL", "a1,闵若溪,Person", "a2,闵若溪,Person")
    edges = written(tmp_path, "e.csv", ":START_ID,:END_ID", "a1,桐远电池", "a2,漠川材料")
    known.import_(edges, "executive_of", nodes=[people])
    assert {subject for subject, _ in links(known)} == {"person:闵若溪#a1", "person:闵若溪#a2"}


def test_codes_that_lost_their_zeros_get_them_back(known: Workspace, tmp_path: Path) -> None:
    nodes = written(tmp_path, "stocks.csv", ":ID,name,code,:LABEL", "s1,甲川,2999,Stock", "s2,乙川,600999,Stock")
    known.import_(written(tmp_path, "e.csv", ":START_ID,:END_ID", "s1,储能"), "belongs_to_concept", nodes=[nodes])
    assert links(known) == {("002999.SZ", "concept:储能")}


def test_an_industry_is_not_the_product_of_the_same_name(known: Workspace, tmp_path: Path) -> None:
    known.import_(written(tmp_path, "p.jsonl", '{"name": "霁光器件"}'), "product")
    file = written(tmp_path, "i.csv", "code,object", "609901,霁光器件")
    known.import_(file, "belongs_to_industry")
    assert links(known) == {("609901.SH", "industry:霁光器件")}


def test_one_cell_may_hold_several_objects(known: Workspace, tmp_path: Path) -> None:
    file = written(tmp_path, "makes.csv", "subject,object", '桐远电池,"电芯, 模组"')
    known.import_(file, "produces", split=",")
    assert links(known) == {("company:桐远电池", "product:电芯"), ("company:桐远电池", "product:模组")}


def test_a_mapping_in_json_gives_each_object_its_value(known: Workspace, tmp_path: Path) -> None:
    file = written(tmp_path, "up.jsonl", json.dumps({"industry": "电池", "ups": {"霁矿": 4, "墨锭": 2}}))
    known.import_(file, "affects", columns={"subject:industry": "industry", "object:industry": "ups"})
    assert {(fact.object, fact.fact.value) for fact in known.facts()} == {
        ("industry:霁矿", 4.0),
        ("industry:墨锭", 2.0),
    }


def test_parquet_and_other_encodings_are_read_too(known: Workspace, tmp_path: Path) -> None:
    table = tmp_path / "t.parquet"
    polars.DataFrame({"subject": ["青岚化工"], "object": ["白屿电池"], "value": [3.5]}).write_parquet(table)
    known.import_(table, "supplies")
    known.import_(written(tmp_path, "g.csv", "主体,客体", "远汀汽车,白屿电池", encoding="gb18030"), "customer_of")
    assert links(known) == {("company:青岚化工", "company:白屿电池"), ("company:远汀汽车", "company:白屿电池")}


def test_rows_are_known_from_the_date_that_they_state(known: Workspace, tmp_path: Path) -> None:
    file = written(
        tmp_path, "m.csv", "subject,object,valid_from,known_at",
        "桐远电池,储能,2020-03-01 00:00:00,2021-06-30", "桐远电池,固态电池,20220105,2023年2月28日",
        "桐远电池,钙电池,2022-01-05,",
    )  # fmt: skip
    report = known.import_(file, "belongs_to_concept")
    assert links(known, as_of="2021-06-29") == set()
    assert links(known, as_of="2021-06-30") == {("company:桐远电池", "concept:储能")}
    (later,) = (fact for fact in known.facts() if fact.object == "concept:固态电池")
    assert isoformat(later.fact.valid_from) == "2022-01-05T23:59:59+08:00"
    assert not report.n_rejected
    assert ("company:桐远电池", "concept:钙电池") not in links(known, as_of="2024-01-01")  # known since it was imported
    assert ("company:桐远电池", "concept:钙电池") in links(known)


def test_a_name_is_not_known_before_the_row_that_teaches_it(known: Workspace, tmp_path: Path) -> None:
    known.ingest(
        [
            jsonl(
                tmp_path / "w.jsonl",
                {"id": "a", "title": "周报", "text": "霁原新材扩产。", "published_at": "2020-01-02"},
            )
        ]
    )
    file = written(
        tmp_path,
        "m.csv",
        "code,company_name,object,known_at",
        "609901,漠川材料,储能,2020-05-06",
        "309902,霁原新材,储能,2022-05-06",
    )
    known.import_(file, "belongs_to_concept")
    assert [passage.document for passage in known.entity("霁原新材", as_of="2022-05-06").passages] == ["a"]
    assert known.entity("霁原新材").entity.id == "309902.SZ"
    assert "309902.SZ" not in {e for hit in known.search("霁原新材", as_of="2022-05-05").hits for e in hit.entities}


def test_an_edge_does_not_make_the_names_of_its_nodes_older_than_they_are(known: Workspace, tmp_path: Path) -> None:
    nodes = written(
        tmp_path, "n.csv", "id,name,alias,kind,known_at",
        "c1,川岫能源,川岫旧称,company,2019-01-01", "c2,霁原电池,霁原别名,company,2022-01-01",
        "c3,漠北矿业,漠北别名,company,",
    )  # fmt: skip
    edges = written(
        tmp_path, "e.csv", "source,target,target_name,known_at", "c1,c2,,2020-05-06", "c1,c3,漠北曾用名,2020-05-06"
    )
    known.import_(edges, "supplies", nodes=[nodes])

    def is_name(surface: str, day: str | None) -> bool:
        try:
            return known.entity(surface, as_of=day).entity.id.startswith("company:")
        except NotFound:
            return False

    def names(day: str | None) -> set[str]:
        return {name for name in ("川岫旧称", "霁原别名", "漠北别名", "漠北曾用名") if is_name(name, day)}

    assert names("2020-05-05") == set()
    assert names("2020-05-06") == {"川岫旧称", "漠北曾用名"}  # the node was known; the edge writes it itself
    assert names("2022-01-01") == {"川岫旧称", "漠北曾用名", "霁原别名"}
    assert names(None) == {
        "川岫旧称",
        "漠北曾用名",
        "霁原别名",
        "漠北别名",
    }  # of a node without a date since the import


def test_without_dates_rows_are_known_from_now_on(known: Workspace, tmp_path: Path) -> None:
    known.import_(written(tmp_path, "m.csv", "subject,object", "青岚化工,白屿电池"), "supplies")
    assert links(known, as_of="2024-01-01") == set()
    assert links(known) == {("company:青岚化工", "company:白屿电池")}


def test_what_cannot_be_used_is_left_out_with_line_and_reason(known: Workspace, tmp_path: Path) -> None:
    file = written(
        tmp_path, "owns.csv", "subject,object,value,valid_from",
        "青岚化工,白屿电池,10%,2023-01-31", "青岚化工,白屿电池,10%,2023-01-31",
        "青岚化工,远汀汽车,many,", "青岚化工,远汀汽车,5,someday",
        ",远汀汽车,5,", "青岚化工,,5,", "青岚化工,青岚化工,5,", "青岚化工,2023,5,", "青岚化工,白屿电池",
    )  # fmt: skip
    report = known.import_(file, "owns")
    assert report.added == 1
    assert reasons(report) == {
        "it repeats an earlier row": [3], "the value is no number": [4], "valid_from is no date": [5],
        "there is no subject": [6], "there is no object": [7], "subject and object are the same": [8],
        "the object is no name": [9], "not 4 cells, as the header has": [10],
    }  # fmt: skip


def test_a_kind_that_the_relation_does_not_admit_is_left_out(known: Workspace, tmp_path: Path) -> None:
    nodes = written(tmp_path, "n.csv", ":ID,name,:LABEL", "n1,闵若溪,Person", "n2,云州,地区")
    report = known.import_(written(tmp_path, "e.csv", ":START_ID,:END_ID", "n1,n2"), "supplies", nodes=[nodes])
    assert reasons(report) == {"a person is no subject of supplies": [2]}
    assert (report.status, known.status().sequence) == (None, 0)


def test_an_attribute_takes_a_number_and_its_unit(known: Workspace, tmp_path: Path) -> None:
    file = written(tmp_path, "targets.csv", "code,target,date", "309902,26.80元,2024-09-20", "609901,-,2024-09-20")
    report = known.import_(file, "target_price", columns={"value": "target", "known_at": "date"})
    (fact,) = known.facts()
    assert (fact.fact.value, fact.fact.unit, fact.known_at) == (
        26.8,
        "元",
        end_of_day(date(2024, 9, 20)),
    )
    assert reasons(report) == {"there is no value": [3]}


def test_an_edge_without_direction_goes_the_only_way_that_is_possible(known: Workspace, tmp_path: Path) -> None:
    file = written(
        tmp_path, "g.graphml", '<graphml><key id="k" for="node" attr.name="entity_type"/><key id="d" for="edge"'
        ' attr.name="description"/><graph edgedefault="undirected">'
        '<node id="电芯"><data key="k">产品</data></node><node id="桐远电池"><data key="k">组织</data></node>'
        '<node id="漠川材料"><data key="k">组织</data></node>'
        '<edge source="电芯" target="桐远电池"><data key="d">桐远电池生产电芯</data></edge></graph></graphml>',
    )  # fmt: skip
    known.import_(file, "produces")
    (fact,) = known.facts()
    assert (fact.subject, fact.object, fact.fact.text) == ("organisation:桐远电池", "product:电芯", "桐远电池生产电芯")


def test_an_edge_without_direction_that_could_go_both_ways_says_nothing(known: Workspace, tmp_path: Path) -> None:
    file = written(
        tmp_path, "g.graphml", '<graphml><graph edgedefault="undirected"><node id="漠川材料"/><node id="桐远电池"/>'
        '<edge source="漠川材料" target="桐远电池"/></graph></graphml>',
    )  # fmt: skip
    assert known.import_(file, "supplies").added == 0
    assert known.import_(file, "competes_with").added == 1


def test_of_rows_of_several_types_those_asked_for_count(known: Workspace, tmp_path: Path) -> None:
    edges = written(
        tmp_path,
        "e.csv",
        ":START_ID,:END_ID,:TYPE",
        "青岚化工,白屿电池,供货",
        "远汀汽车,白屿电池,控股",
        "桐远电池,漠川材料,长期、供货",
    )
    report = known.import_(edges, "供货=supplies")
    assert (report.added, report.n_rejected) == (2, 0)
    assert links(known) == {("company:青岚化工", "company:白屿电池"), ("company:桐远电池", "company:漠川材料")}


def test_a_list_of_names_teaches_what_older_texts_call_them(known: Workspace, tmp_path: Path) -> None:
    known.ingest([jsonl(tmp_path / "world.jsonl", *WORLD)])
    report = known.import_(written(tmp_path, "p.jsonl", '{"name": "硅碳负极"}', '{"name": "负极"}'), "product")
    assert (report.added, report.names) == (2, 1)  # of everyday words short ones are not looked for
    assert [passage.document for passage in known.entity("硅碳负极").passages] == ["supply"]


def test_the_same_file_changes_nothing_and_a_changed_one_is_a_new_version(known: Workspace, tmp_path: Path) -> None:
    file = written(tmp_path, "s.csv", "subject,object", "青岚化工,白屿电池")
    first, again = known.import_(file, "supplies"), known.import_(file, "supplies")
    assert (first.status, again.status, again.added) == ("added", "unchanged", 0)
    written(tmp_path, "s.csv", "subject,object", "青岚化工,远汀汽车")
    assert known.import_(file, "supplies").status == "new_version"
    assert links(known) == {("company:青岚化工", "company:远汀汽车")}


def test_what_a_later_version_of_a_file_leaves_out_stands_until_it_is_imported(
    known: Workspace, tmp_path: Path
) -> None:
    first = "青岚化工,白屿电池,2020-01-01", "青岚化工,远汀汽车,2021-01-01", "青岚化工,桐远电池,2022-01-01"
    known.import_(written(tmp_path, "s.csv", "subject,object,known_at", *first), "supplies")
    known.import_(written(tmp_path, "s.csv", "subject,object,known_at", *first[1:]), "supplies")  # a rolling window
    assert links(known, as_of="2020-06-01") == {("company:青岚化工", "company:白屿电池")}
    assert len(links(known, as_of="2022-06-01")) == 3
    assert ("company:青岚化工", "company:白屿电池") not in links(known)
    assert len(links(known)) == 2


def test_an_older_row_that_is_added_to_a_file_changes_nothing_of_what_was_known(
    known: Workspace, tmp_path: Path
) -> None:
    first = "青岚化工,远汀汽车,2021-01-01", "青岚化工,桐远电池,2022-01-01"
    known.import_(written(tmp_path, "s.csv", "subject,object,known_at", *first), "supplies")
    before = {day: known.facts(as_of=day) for day in ("2021-06-01", "2022-06-01")}
    known.import_(
        written(tmp_path, "s.csv", "subject,object,known_at", "青岚化工,白屿电池,2019-01-01", *first), "supplies"
    )
    assert {day: known.facts(as_of=day) for day in before} == before
    assert len(links(known)) == 3


def test_one_file_can_be_imported_as_two_relations_and_forgotten_as_one(known: Workspace, tmp_path: Path) -> None:
    file = written(tmp_path, "s.csv", "a,b", "青岚化工,白屿电池")
    reports = [known.import_(file, name, columns={"subject": "a", "object": "b"}) for name in ("supplies", "owns")]
    assert len(known.facts()) == 2
    known.forget(reports[0].document)
    assert [fact.fact.relation for fact in known.facts()] == ["owns"]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("x.graphml", '<!DOCTYPE g [<!ENTITY a "b">]><graphml><graph><node id="&a;"/></graph></graphml>', "refused"),
        ("x.graphml", '<!DOCTYPE g SYSTEM "file:///etc/passwd"><graphml><graph/></graphml>', "refused"),
        ("x.graphml", "<graphml><graph>", "well-formed"),
        ("x.graphml", "<graphml/>", "no graph"),
        ("x.csv", "", "empty"),
        ("x.csv", 'subject,object\n"open,c\n', "from line 2 on it is no CSV"),
        ("x.json", "[1", "not a JSON list"),
        ("x.parquet", "PAR1", "not Parquet"),
    ],
)
def test_a_file_that_cannot_be_read_changes_nothing(
    name: str, content: str, reason: str, known: Workspace, tmp_path: Path
) -> None:
    report = known.import_(written(tmp_path, name, content), "supplies")
    assert (report.status, report.n_rejected) == (None, 1)
    assert reason in report.rejected[0].reason


def test_an_entity_that_doubles_itself_is_never_expanded(known: Workspace, tmp_path: Path) -> None:
    bomb = "".join(f'<!ENTITY e{n} "{("&e" + str(n - 1) + ";") * 10}">' for n in range(1, 12))
    file = written(
        tmp_path, "b.graphml", f'<!DOCTYPE g [<!ENTITY e0 "x">{bomb}]><graphml><graph id="&e11;"/></graphml>'
    )
    assert known.import_(file, "supplies").status is None


def test_requests_that_make_no_sense_name_what_would(known: Workspace, tmp_path: Path) -> None:
    file = written(tmp_path, "s.csv", "left,right", "青岚化工,白屿电池")
    with pytest.raises(UsageError, match="supplies"):
        known.import_(file, "suplies")
    with pytest.raises(UsageError, match="left, right"):
        known.import_(file, "supplies")
    with pytest.raises(UsageError, match="no column 'middle'"):
        known.import_(file, "supplies", columns={"subject": "middle"})
    with pytest.raises(UsageError, match="no part 'colour'"):
        known.import_(file, "supplies", columns={"colour": "left"})
    with pytest.raises(UsageError, match="no kind that can be imported"):
        known.import_(written(tmp_path, "s.exe", "MZ"), "supplies")


def test_a_folder_of_prices_gives_the_classes_of_securities_by_date(tmp_path: Path) -> None:
    (tmp_path / "market").mkdir()
    (tmp_path / "market" / "shenwan_membership.csv").write_text(
        "code,from_date,shenwan_code\n309902,2018-05-28,630305\n309902,2021-07-30,630701\n"
    )
    (tmp_path / "classes.csv").write_text("code,name\n630305,储能装置\n630701,锂电池组\n", encoding="utf-8")
    with workspace(tmp_path / "store") as made:
        report = made.import_(tmp_path / "market", nodes=[tmp_path / "classes.csv"])
        assert (report.added, report.n_rejected) == (3, 0)

        def classes(day: str) -> list[str]:
            told = made.facts(subject="309902", relation="belongs_to_industry", as_of=day)
            assert all(fact.fact.valid_to is None or fact.fact.valid_to <= fact.known_at for fact in told)
            return [
                fact.fact.object.name
                for fact in told
                if fact.until is None and fact.fact.valid_to is None and fact.fact.object
            ]

        with pytest.raises(NotFound):
            classes("2018-05-27")
        assert classes("2020-01-01") == ["储能装置"]
        assert classes("2022-01-01") == ["锂电池组"]
        changes = made.timeline("309902", since="2020-01-01", until="2022-01-01").differs
        assert sorted(change.kind for change in changes) == ["added", "ended"]
        with pytest.raises(UsageError, match="is not said"):
            made.import_(tmp_path / "classes.csv")
