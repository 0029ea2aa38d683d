"""What a workspace does from end to end, and that nothing later than the date of a read can be reached."""

import json
import os
import threading
from pathlib import Path

import pytest

from finlore.errors import NotFound, StoreBusy, UsageError
from finlore.flows import EntityPage, Workspace
from tests.small_world import CUSTOMER, RAISED, SUPPLY, TARGET, WORLD, jsonl, workspace

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("known")
    made = workspace(folder / "store")
    made.ingest([jsonl(folder / "world.jsonl", *WORLD)])
    return made


def test_ingest_reports_every_document_and_calls_no_model(tmp_path: Path) -> None:
    with workspace(tmp_path / "store") as made:
        report = made.ingest([jsonl(tmp_path / "world.jsonl", *WORLD)])
    assert [outcome.status for outcome in report.documents] == ["added"] * len(WORLD)
    assert {outcome.id for outcome in report.documents} == {str(row["id"]) for row in WORLD}
    assert all(outcome.passages for outcome in report.documents)


def test_the_same_file_twice_is_unchanged_and_changes_nothing(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "world.jsonl", *WORLD)
    with workspace(tmp_path / "store") as made:
        made.ingest([path])
        before = made.status().digest
        assert {outcome.status for outcome in made.ingest([path]).documents} == {"unchanged"}
        assert made.status().digest == before


def test_the_order_of_ingest_leaves_no_trace(tmp_path: Path) -> None:
    digests = []
    for number, rows in enumerate((WORLD, WORLD[::-1])):
        with workspace(tmp_path / f"store{number}") as made:
            for row in rows:
                made.ingest([jsonl(tmp_path / f"{row['id']}.jsonl", row)])
            digests.append(made.status().digest)
    assert digests[0] == digests[1]


def test_an_answer_is_a_cited_sentence_that_stands_in_the_document(known: Workspace) -> None:
    answer = known.ask("桐远电池的硅碳负极由谁供应？").answer
    assert answer.found
    cited = next(c for c in answer.citations if "独家供应硅碳负极" in c.quote)
    assert (cited.document, cited.verified) == ("supply", True)
    assert SUPPLY["text"][cited.start : cited.end] == cited.quote


def test_english_questions_are_answered_in_english(known: Workspace) -> None:
    answer = known.ask("Who is the largest customer of Harrow Lane Optics?").answer
    assert answer.found
    assert "Quillmark Devices" in answer.text


@pytest.mark.parametrize(
    ("as_of", "value"), [("2024-06-30", "21.50"), ("2024-12-31", "26.80")], ids=["before the change", "after it"]
)
def test_the_latest_statement_known_at_the_date_answers(known: Workspace, as_of: str, value: str) -> None:
    answer = known.ask("霜桥证券对漠川材料的目标价是多少？", as_of=as_of).answer
    assert answer.found
    assert value in answer.citations[0].quote


def test_a_date_in_the_question_limits_what_is_known(known: Workspace) -> None:
    answer = known.ask("截至2024年6月30日，霜桥证券对漠川材料的目标价是多少？").answer
    assert answer.found
    assert not any("26.80" in citation.quote for citation in answer.citations)


@pytest.mark.parametrize(
    "question",
    [
        "桐远电池2023年的总资产收益率（ROA）是多少？",
        "漠川材料的董事长是谁？",
        "绯屿控股的目标价是多少？",
        "Who is the chairman of Harrow Lane Optics?",
    ],
)
def test_what_the_documents_do_not_say_is_refused_with_a_reason(known: Workspace, question: str) -> None:
    answer = known.ask(question).answer
    assert not answer.found
    assert answer.flags


def test_nothing_planted_in_the_future_is_found_by_any_verb(tmp_path: Path) -> None:
    future = {
        "id": "future",
        "title": "绯屿光学（609977）首次覆盖",
        "text": "绯屿光学（609977），原名漠川材料，绯屿光学向桐远电池供应晶湖膜。",
        "published_at": "2031-01-05",
        "crawled_at": "2031-01-06",
    }
    late = {**future, "id": "late", "published_at": "2025-03-05", "crawled_at": "2025-03-06"}
    with workspace(tmp_path / "plain") as plain, workspace(tmp_path / "planted") as planted:
        plain.ingest([jsonl(tmp_path / "world.jsonl", *WORLD)])
        planted.ingest([jsonl(tmp_path / "all.jsonl", late, *WORLD)])
        as_of = "2024-12-31"
        for question in ("绯屿光学供应什么？", "谁向桐远电池供应晶湖膜？", "漠川材料的目标价是多少？", "609977"):
            expected, found = plain.search(question, as_of=as_of), planted.search(question, as_of=as_of)
            assert [(h.passage.id, h.score, h.entities) for h in found.hits] == [
                (h.passage.id, h.score, h.entities) for h in expected.hits
            ]
            assert found.entities == expected.entities
            assert planted.ask(question, as_of=as_of).answer == plain.ask(question, as_of=as_of).answer
        for name in ("绯屿光学", "609977.SH"):
            with pytest.raises(NotFound):
                planted.entity(name, as_of=as_of)
        assert planted.entity("绯屿光学", as_of="2025-12-31").entity.id == "609977.SH"
        assert _told(planted.entity("桐远电池", as_of=as_of)) == _told(plain.entity("桐远电池", as_of=as_of))
        edges = [made.edge("漠川材料", "桐远电池", as_of=as_of) for made in (planted, plain)]
        assert [p.id for p in edges[0]] == [p.id for p in edges[1]]
        paths = [made.paths("漠川材料", "桐远电池", as_of=as_of)[0] for made in (planted, plain)]
        assert paths[0] == paths[1]


def test_a_follow_up_question_keeps_the_company(known: Workspace) -> None:
    first = known.ask("漠川材料2023年的ROA是多少？")
    assert first.answer.found
    second = known.ask("它的目标价是多少？", after=first.run)
    assert second.answer.found
    assert "26.80" in second.answer.citations[0].quote


def test_a_run_replays_to_the_same_answer_after_more_was_learnt(tmp_path: Path) -> None:
    with workspace(tmp_path / "store") as made:
        made.ingest([jsonl(tmp_path / "first.jsonl", SUPPLY, TARGET, CUSTOMER)])
        run = made.ask("霜桥证券对漠川材料的目标价是多少？").run
        assert run
        made.ingest([jsonl(tmp_path / "second.jsonl", RAISED)])
        assert made.replay(run).equal
        assert made.forget("target")
        replay = made.replay(run)
        assert not replay.equal
        assert "target" in replay.difference


def test_forgetting_leaves_no_word_behind(tmp_path: Path) -> None:
    secret = {
        "id": "secret",
        "title": "密件",
        "text": "桐远电池拟收购鲸湾隐流科技有限公司。",
        "published_at": "2024-05-05",
    }
    with workspace(tmp_path / "store") as made:
        made.ingest([jsonl(tmp_path / "world.jsonl", *WORLD)])
        before = made.status().digest
        made.ingest([jsonl(tmp_path / "secret.jsonl", secret)])
        made.ask("桐远电池拟收购谁？")
        assert made.forget("secret")
        assert not made.forget("secret")
        assert made.status().digest == before
        assert not any("鲸湾" in hit.passage.text for hit in made.search("鲸湾隐流").hits)
    for path in (tmp_path / "store").rglob("*"):
        if path.is_file():
            assert "鲸湾".encode() not in path.read_bytes(), path


def test_letters_that_trade_somewhere_need_no_market(tmp_path: Path) -> None:
    report = {
        "id": "quill", "title": "Quill Beverages (QLBV.US): beat", "text": "Price target raised to USD 180. Buy.",
        "published_at": "2024-01-02", "security": "QLBV.US",
    }  # fmt: skip
    with workspace(tmp_path / "store") as made:
        made.ingest([jsonl(tmp_path / "quill.jsonl", report)])
        assert made.entity("QLBV").entity.id == "QLBV.US"
        assert made.facts(subject="QLBV") == made.facts(subject="QLBV.US") != []


def test_a_merge_joins_two_names_and_a_split_parts_them(known: Workspace) -> None:
    joined, into = known.merge("Quillmark Devices", "Harrow Lane Optics")
    assert known.entity("Quillmark Devices").entity.id == into
    assert known.split(joined)
    assert known.entity("Quillmark Devices").entity.id == joined


def test_paths_lead_from_name_to_name_through_passages(known: Workspace) -> None:
    found, passages = (
        known.paths("漠川材料", "闵若溪") if _knows(known, "闵若溪") else known.paths("漠川材料", "桐远电池")
    )
    assert found[0].passages[0]
    assert {p.key for p in passages} >= set(found[0].passages[0])


def _told(page: EntityPage) -> tuple[object, ...]:
    return page.entity, page.neighbours, [passage.id for passage in page.passages]


def _knows(made: Workspace, name: str) -> bool:
    try:
        made.entity(name)
    except NotFound:
        return False
    return True


def test_a_missing_workspace_reads_as_an_empty_one_and_is_not_made(tmp_path: Path) -> None:
    with workspace(tmp_path / "nowhere") as made:
        assert made.search("什么？").hits == ()
        assert not made.ask("漠川材料的目标价是多少？").answer.found
        assert dict(made.status().counts)["documents"] == 0
    assert not (tmp_path / "nowhere").exists() or not list((tmp_path / "nowhere").glob("*.sqlite*"))


def test_export_writes_what_was_known_at_the_date(known: Workspace, tmp_path: Path) -> None:
    import polars

    written = known.export("parquet", tmp_path / "tables", as_of="2024-03-31")
    passages = polars.read_parquet(next(path for path in written if path.stem == "passages"))
    assert set(passages["document"]) == {"supply", "english"}
    (graph,) = known.export("graphml", tmp_path / "graph.graphml", as_of="2024-03-31")
    assert "26.80" not in graph.read_text(encoding="utf-8")
    assert "609901.SH" in graph.read_text(encoding="utf-8")


class TestBadInput:
    """Each is reported and changes nothing else."""

    def test_an_empty_folder(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        with workspace(tmp_path / "store") as made:
            assert made.ingest([tmp_path / "empty"]).documents == ()

    @pytest.mark.parametrize(
        ("name", "content"),
        [("zero.md", b""), ("binary.md", bytes(range(256)) * 40), ("picture.md", b"\x89PNG\r\n\x1a\n" + b"\0" * 200)],
    )
    def test_what_is_no_text_is_rejected(self, tmp_path: Path, name: str, content: bytes) -> None:
        (tmp_path / name).write_bytes(content)
        with workspace(tmp_path / "store") as made:
            (outcome,) = made.ingest([tmp_path / name]).documents
            assert (outcome.status, bool(outcome.reason)) == ("rejected", True)
            assert dict(made.status().counts)["documents"] == 0

    def test_gbk_text_is_read(self, tmp_path: Path) -> None:
        (tmp_path / "news.txt").write_bytes("2024年3月5日，漠川材料（609901）公告称产线投产。".encode("gb18030"))
        with workspace(tmp_path / "store") as made:
            assert made.ingest([tmp_path / "news.txt"]).count("added") == 1
            assert "产线投产" in made.search("漠川材料产线投产").hits[0].passage.text

    def test_surrogates_controls_and_direction_marks_survive(self, tmp_path: Path) -> None:
        text = "漠川材料（609901）\u202e目标价\u202c\x07为30元。\ud800"
        (tmp_path / "odd.jsonl").write_text(json.dumps({"id": "odd", "title": "t", "text": text}), encoding="ascii")
        with workspace(tmp_path / "store") as made:
            assert made.ingest([tmp_path / "odd.jsonl"]).count("added") == 1
            assert "为30元" in made.search("漠川材料目标价").hits[0].passage.text

    def test_five_megabytes_on_one_line_take_seconds(self, tmp_path: Path) -> None:
        (tmp_path / "long.txt").write_text("漠川材料的产线按计划爬坡，" * 130_000, encoding="utf-8")
        with workspace(tmp_path / "store") as made:
            report = made.ingest([tmp_path / "long.txt"])
        assert report.count("added") == 1
        assert report.cpu_seconds < 60

    def test_broken_lines_are_named_and_the_rest_is_taken_in(self, tmp_path: Path) -> None:
        path = tmp_path / "mixed.jsonl"
        path.write_text(f'{json.dumps(SUPPLY)}\n{{"id": \n[1, 2]\n{json.dumps(TARGET)}\n', encoding="utf-8")
        with workspace(tmp_path / "store") as made:
            report = made.ingest([path])
        assert (report.count("added"), report.count("rejected")) == (2, 2)
        assert {outcome.source.rpartition(" ")[2] for outcome in report.documents if outcome.status == "rejected"} == {
            "2",
            "3",
        }

    @pytest.mark.parametrize("published", ["2099-01-01", "2024-02-31", "soon", "", None])
    def test_dates_that_cannot_be_are_not_believed(self, tmp_path: Path, published: str | None) -> None:
        row = {"id": "d", "title": "t", "text": "漠川材料（609901）产能扩张。", "published_at": published}
        with workspace(tmp_path / "store") as made:
            (outcome,) = made.ingest([jsonl(tmp_path / "d.jsonl", row)]).documents
            assert (outcome.status, outcome.published_at) == ("added", None)
            assert not made.search("漠川材料", as_of="2024-12-31").hits
            assert made.search("漠川材料").hits

    def test_the_same_id_twice_in_one_run_becomes_a_second_version(self, tmp_path: Path) -> None:
        changed = {**TARGET, "text": "霜桥证券给予漠川材料目标价22.00元。", "published_at": "2024-06-01"}
        with workspace(tmp_path / "store") as made:
            report = made.ingest([jsonl(tmp_path / "twice.jsonl", TARGET, changed)])
            assert [outcome.status for outcome in report.documents] == ["added", "new_version"]
            assert "21.50" in made.search("目标价", as_of="2024-05-20").hits[0].passage.text
            assert "22.00" in made.search("目标价", as_of="2024-06-20").hits[0].passage.text

    def test_a_second_writer_is_told_who_writes(self, tmp_path: Path) -> None:
        with workspace(tmp_path / "store") as first, workspace(tmp_path / "store") as second:
            first.ingest([jsonl(tmp_path / "one.jsonl", SUPPLY)])
            with first._store.writing(), pytest.raises(StoreBusy, match=str(os.getpid())):
                second.ingest([jsonl(tmp_path / "two.jsonl", TARGET)])

    def test_a_reader_sees_whole_documents_while_another_thread_writes(self, tmp_path: Path) -> None:
        rows = [{**SUPPLY, "id": f"r{n}", "text": f"漠川材料第{n}号公告。公司披露序号{n}。"} for n in range(40)]
        failures: list[str] = []
        with workspace(tmp_path / "store") as writer:
            writer.ingest([jsonl(tmp_path / "first.jsonl", SUPPLY)])
            done = threading.Event()

            def read() -> None:
                with workspace(tmp_path / "store") as reader:
                    while not done.is_set():
                        for hit in reader.search("漠川材料公告", top=50).hits:
                            if hit.passage.document != "supply" and "披露序号" not in hit.passage.text:
                                failures.append(hit.passage.id)

            thread = threading.Thread(target=read)
            thread.start()
            writer.ingest([jsonl(tmp_path / "many.jsonl", *rows)])
            done.set()
            thread.join()
        assert not failures

    @pytest.mark.parametrize(
        "question",
        ["？？？", "x' OR 1=1; DROP TABLE document; --", '" NEAR/2 (', "\x00\ud800", "漠川材料" * 5000],
        ids=["marks", "sql", "search operators", "controls", "20,000 characters"],
    )
    def test_odd_questions_are_answered_or_refused_like_any_other(self, known: Workspace, question: str) -> None:
        digest = known.status().digest
        known.search(question)
        assert isinstance(known.ask(question).answer.found, bool)
        assert known.status().digest == digest

    def test_no_question_is_a_usage_error(self, known: Workspace) -> None:
        with pytest.raises(UsageError, match="no question"):
            known.ask(" ")

    def test_a_date_that_is_none_is_a_usage_error(self, known: Workspace) -> None:
        with pytest.raises(UsageError, match="2025-03-31"):
            known.search("x", as_of="yesterday")

    def test_where_no_run_can_be_written_the_question_is_answered_all_the_same(self, tmp_path: Path) -> None:
        with workspace(tmp_path / "store") as made:
            made.ingest([jsonl(tmp_path / "world.jsonl", *WORLD)])
            (tmp_path / "store" / "runs").write_text("a file where the folder of runs would be")
            asked = made.ask("漠川材料的目标价是多少？")
        assert asked.answer.found
        assert asked.run is None


def test_doctor_looks_at_the_interpreter_the_store_and_its_derived_files(known: Workspace) -> None:
    found = {finding.subject: finding.fine for finding in known.doctor()}
    assert {subject: found[subject] for subject in ("python", "sqlite", "workspace", "derived files")} == dict.fromkeys(
        ("python", "sqlite", "workspace", "derived files"), True
    )


def test_a_question_may_name_more_companies_than_a_machine_word_has_bits(tmp_path: Path) -> None:
    names = [f"{first}{second}材料" for first in "甲乙丙丁戊己庚辛壬癸" for second in "川海山河桥林石"]
    rows = [
        {
            "id": f"n{n}",
            "title": f"{name}（{609100 + n}）点评",
            "text": f"{name}供应负极。",
            "security": str(609100 + n),
        }
        for n, name in enumerate(names)
    ]
    with workspace(tmp_path / "store") as made:
        made.ingest([jsonl(tmp_path / "many.jsonl", *rows)])
        assert made.search("、".join(names) + "供应什么？").hits


def test_a_measure_or_a_broker_that_two_reports_share_connects_nobody(tmp_path: Path) -> None:
    rows = [
        {"id": code, "title": f"{name}（{code}）点评", "text": f"霜桥证券给予{name}目标价20元。", "broker": "霜桥证券"}
        for name, code in (("漠川材料", "609901"), ("桐远电池", "309902"))
    ]
    with workspace(tmp_path / "store") as made:
        made.ingest([jsonl(tmp_path / "two.jsonl", *rows)])
        assert made.paths("漠川材料", "桐远电池") == ([], [])
        assert made.paths("漠川材料", "霜桥证券")[0]


FORECAST = """# 盈利预测

| 百万元 | 2024A | 2025E |
| --- | --- | --- |
| 营业收入 | 1,000 | 1,200 |
| 同比增速（%） | 25.0 | 20.0 |
"""


def test_a_document_shows_its_tables_and_what_their_numbers_mean(tmp_path: Path) -> None:
    report = tmp_path / "forecast.md"
    report.write_text(FORECAST, encoding="utf-8")
    with workspace(tmp_path / "store") as made:
        made.ingest([report])
        found = made.tables(str(report))
        revenue = [(v.period, v.basis, v.value, v.unit) for v in found.values if v.metric == "metric:revenue"]
        assert revenue == [("2024", "actual", 1000.0, "百万元"), ("2025", "forecast", 1200.0, "百万元")]
        assert made.tables(os.path.relpath(report)) == found
        with pytest.raises(NotFound):
            made.tables(str(report), as_of="1999-12-31")
