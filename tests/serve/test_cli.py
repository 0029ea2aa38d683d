"""The command line as others build on it: words, JSON keys, exit codes, and what may reach a terminal."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.serve.driver import Finlore, install
from tests.small_world import CUSTOMER, ENGLISH, RAISED, SUPPLY, WORLD, jsonl, workspace

TARGET_PRICE = "霜桥证券对漠川材料的目标价是多少？"
NAMES = ("漠川材料", "桐远电池")
PASSAGE = {"id", "document", "title", "page", "bbox", "text"}


class TestJson:
    """`--json` prints one document on stdout, in ASCII, with at least the keys that were promised."""

    @pytest.mark.parametrize(
        ("arguments", "keys"),
        [
            (["search", "目标价"], {"passages", "timing_ms"}),
            (["entity", "漠川材料"], {"id", "name", "kind", "aliases", "facts", "events", "neighbours", "passages"}),
            (["ask", TARGET_PRICE], {"answer", "mode", "citations", "flags", "paths", "trace", "as_of", "run"}),
            (["edge", *NAMES], {"edge"}),
            (["paths", *NAMES], {"paths"}),
            (["status"], {"digest", "counts", "sizes", "derived"}),
            (["doctor"], {"checks"}),
            (["config"], {"settings"}),
            (["runs", "list"], {"runs"}),
        ],
        ids=lambda value: value[0] if isinstance(value, list) else "",
    )
    def test_of_reading_verbs(self, finlore: Finlore, world: Path, arguments: list[str], keys: set[str]) -> None:
        ran = finlore("--workspace", world, *arguments, "--json")
        assert (ran.code, ran.out.isascii(), ran.out.count("\n")) == (0, True, 1)
        assert ran.json.keys() >= keys

    def test_of_what_lies_inside(self, finlore: Finlore, world: Path) -> None:
        def rows(key: str, *arguments: str) -> list[dict[str, object]]:
            found: list[dict[str, object]] = finlore(*arguments, "--json", "--workspace", world).json[key]
            return found

        assert rows("passages", "search", "目标价")[0].keys() >= PASSAGE | {"score", "entities"}
        assert rows("passages", "entity", "漠川材料")[0].keys() >= PASSAGE
        assert rows("edge", "edge", *NAMES)[0].keys() >= PASSAGE
        assert rows("neighbours", "entity", "漠川材料")[0].keys() >= {"name", "weight", "passages"}
        assert rows("paths", "paths", *NAMES)[0].keys() >= {"entities", "passages"}
        cited = rows("citations", "ask", TARGET_PRICE)[0]
        assert cited.keys() >= {"n", "document", "title", "page", "quote", "start", "end", "verified"}
        assert (cited["n"], cited["verified"], "26.80" in str(cited["quote"])) == (1, True, True)

    def test_of_ingest(self, finlore: Finlore, tmp_path: Path) -> None:
        ran = finlore("ingest", jsonl(tmp_path / "world.jsonl", *WORLD), "--json")
        assert ran.code == 0
        assert ran.json.keys() >= {"documents", "totals", "seconds", "cpu_seconds", "llm_calls", "cost"}
        assert (ran.json["llm_calls"], ran.json["cost"], ran.json["totals"]["added"]) == (0, 0, len(WORLD))
        first = ran.json["documents"][0]
        assert first.keys() >= {
            "id", "source", "status", "reason", "pages", "passages", "published_at", "known_at",
        }  # fmt: skip
        assert (first["id"], first["status"], first["known_at"]) == ("supply", "added", "2024-03-01T23:59:59+08:00")

    def test_of_an_error_says_what_stderr_says(self, finlore: Finlore, world: Path) -> None:
        ran = finlore("entity", "绯屿控股", "--json", "--workspace", world)
        assert (ran.code, ran.json["error"]["code"]) == (1, "F101")
        assert "绯屿控股" in ran.json["error"]["message"]
        assert ran.err.startswith("finlore: ")
        assert "F101" in ran.err

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["export", "bogus", "--out", "x"], "bogus"),
            (["export", "graphml"], "--out"),
            (["review", "list", "--status", "bogus"], "bogus"),
            (["extract", "--budget", "-5"], "--budget"),
            (["search", "x", "--colour", "red"], "--colour"),
            (["conquer"], "conquer"),
            (["review"], "--json"),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, list) else "",
    )
    def test_of_words_that_no_verb_understands_says_what_stderr_says(
        self, finlore: Finlore, world: Path, arguments: list[str], told: str
    ) -> None:
        ran = finlore("--workspace", world, *arguments, "--json")
        assert (ran.code, ran.json["error"]["code"], ran.out.count("\n")) == (2, "F201", 1)
        assert told in ran.json["error"]["message"]
        assert ran.json["error"]["message"] in ran.err
        plain = finlore("--workspace", world, *(arguments if arguments != ["review"] else ["conquer"]))
        assert (plain.code, plain.out, "Usage" in plain.err) == (2, "", True)

    @pytest.mark.parametrize("arguments", [["--help"], ["export", "--help"], ["review", "list", "--help", "--json"]])
    def test_of_nothing_where_help_is_asked_for(self, finlore: Finlore, arguments: list[str]) -> None:
        ran = finlore(*arguments)
        assert (ran.code, ran.out.split()[0], ran.err) == (0, "Usage:", "")


class TestExitCode:
    """0 done, 1 nothing found, 2 usage, 3 some rejected, 4 configuration, 5 a limit, 6 the store."""

    @pytest.mark.parametrize(
        "arguments",
        [
            ["search", "zzyzx"],
            ["ask", "绯屿控股的目标价是多少？"],
            ["entity", "绯屿控股"],
            ["edge", "桐远电池", "Quillmark Devices"],
            ["paths", "桐远电池", "Quillmark Devices", "--hops", "1"],
            ["search", "目标价", "--as-of", "2001-01-01"],
            ["forget", "no-such-document"],
            ["split", "309902.SZ"],
            ["runs", "show", "0123456789abcdef"],
            ["runs", "replay", "../../etc/passwd"],
        ],
        ids=" ".join,
    )
    def test_1_where_nothing_is_found(self, finlore: Finlore, world: Path, arguments: list[str]) -> None:
        assert finlore("--workspace", world, *arguments).code == 1

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["search", "x", "--as-of", "yesterday"], "2025-03-31"),
            (["search", "x", "--colour", "red"], "--colour"),
            (["search", "x", "--top", "0"], "--top"),
            (["search", "x", "--method", "magic"], "--method"),
            (["export", "docx", "--out", "x"], "parquet"),
            (["merge", "漠川材料", "漠川材料"], "same"),
            (["search"], "query"),
            (["conquer"], "conquer"),
            (["status", "--workspace"], "requires an argument"),
            ([], "Usage"),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, list) else "",
    )
    def test_2_where_the_request_makes_no_sense(
        self, finlore: Finlore, world: Path, arguments: list[str], told: str
    ) -> None:
        ran = finlore("--workspace", world, *arguments)
        assert ran.code == 2
        assert told in ran.err + ran.out

    def test_3_where_some_inputs_are_rejected_and_the_rest_is_done(self, finlore: Finlore, tmp_path: Path) -> None:
        (tmp_path / "empty.md").touch()
        world, missing = jsonl(tmp_path / "world.jsonl", *WORLD), tmp_path / "nowhere.pdf"
        ran = finlore("ingest", tmp_path / "empty.md", world, missing, "--json")
        assert ran.code == 3
        assert (ran.json["totals"]["added"], ran.json["totals"]["rejected"]) == (len(WORLD), 2)
        assert all(row["reason"] for row in ran.json["documents"] if row["status"] == "rejected")
        assert finlore("status", "--json").json["counts"]["documents"] == len(WORLD)
        assert "empty.md" in finlore("ingest", tmp_path / "empty.md").err

    def test_4_where_a_setting_is_unknown(self, finlore: Finlore, monkeypatch: pytest.MonkeyPatch) -> None:
        Path("finlore.toml").write_text('zome = "Asia/Tokyo"\n')
        ran = finlore("status")
        assert (ran.code, "did you mean 'zone'" in ran.err) == (4, True)
        Path("finlore.toml").unlink()
        monkeypatch.setenv("FINLORE_EMBEDER", "none")
        assert finlore("status").code == 4

    def test_4_where_an_extra_is_missing_which_is_named(
        self, finlore: Finlore, world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        install(tmp_path / "site", "ghost = module_that_nobody_has:Ghost [haunted]")
        monkeypatch.syspath_prepend(tmp_path / "site")
        monkeypatch.setenv("FINLORE_EMBEDDER", "ghost")
        ran = finlore("embed", "--workspace", world)
        assert (ran.code, "pip install 'finlore[haunted]'" in ran.err) == (4, True)
        assert finlore("search", "目标价", "--workspace", world).code == 0  # goes on without vectors

    def test_5_where_time_is_up_and_what_was_done_is_kept(
        self, finlore: Finlore, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        install(tmp_path / "site", "hash = tests.fakes:HashEmbedder")
        monkeypatch.syspath_prepend(tmp_path / "site")
        monkeypatch.setenv("FINLORE_EMBEDDER", "hash")
        stopped = finlore("embed", "--budget-seconds", "1e-9", "--json", "--workspace", own)
        assert (stopped.code, stopped.json["embedded"], stopped.json["remaining"]) == (5, 0, len(WORLD))
        finished = finlore("embed", "--json", "--workspace", own)
        assert (finished.code, finished.json["embedded"], finished.json["remaining"]) == (0, len(WORLD), 0)
        assert finlore("search", "目标价", "--method", "dense", "--workspace", own).code == 0

    def test_6_where_another_writes(self, finlore: Finlore, own: Path, tmp_path: Path) -> None:
        more = jsonl(tmp_path / "more.jsonl", SUPPLY)
        with workspace(own) as other, other._store.writing():
            for verb in (["ingest", str(more)], ["forget", "supply"], ["merge", *NAMES]):
                assert finlore("--workspace", own, *verb).code == 6
            assert finlore("search", "目标价", "--workspace", own).code == 0
        assert finlore("forget", "supply", "--workspace", own).code == 0

    @pytest.mark.parametrize("verb", [["search", "x"], ["ask", "x"], ["status"], ["doctor"], ["doctor", "--repair"]])
    def test_6_where_the_file_is_no_store(self, finlore: Finlore, tmp_path: Path, verb: list[str]) -> None:
        (tmp_path / "odd").mkdir()
        (tmp_path / "odd" / "store.sqlite").write_bytes(b"These are the minutes of a meeting. " * 200)
        ran = finlore(*verb, "--workspace", tmp_path / "odd")
        assert (ran.code, "store.sqlite" in ran.err + ran.out) == (6, True)

    def test_130_where_it_is_interrupted_and_the_lock_is_free_again(
        self, finlore: Finlore, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        install(tmp_path / "site", "slow = impatient:Embedder")
        (tmp_path / "site" / "impatient.py").write_text(
            "class Embedder:\n"
            "    name, dimension = 'slow', 4\n"
            "    def embed_passages(self, texts):\n"
            "        raise KeyboardInterrupt  # the person has waited long enough\n"
        )
        monkeypatch.syspath_prepend(tmp_path / "site")
        monkeypatch.setenv("FINLORE_EMBEDDER", "slow")
        ran = finlore("embed", "--workspace", own)
        assert (ran.code, "kept" in ran.err) == (130, True)
        assert finlore("forget", "supply", "--workspace", own).code == 0


class TestWorkspace:
    @pytest.mark.parametrize("form", ["before", "after", "joined", "environment", "settings file"])
    def test_is_named_in_any_of_the_usual_ways(
        self, finlore: Finlore, world: Path, form: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        arguments: dict[str, list[object]] = {
            "before": ["--workspace", world, "status", "--json"],
            "after": ["status", "--json", "--workspace", world],
            "joined": ["status", f"--workspace={world}", "--json"],
        }
        if form == "environment":
            monkeypatch.setenv("FINLORE_WORKSPACE", str(world))
        if form == "settings file":
            Path("finlore.toml").write_text(f"workspace = {json.dumps(str(world))}\n")
        status = finlore(*arguments.get(form, ["status", "--json"])).json
        assert (status["workspace"], status["counts"]["documents"]) == (str(world), len(WORLD))

    @pytest.mark.parametrize(
        ("verb", "code"),
        [
            (["search", "目标价"], 1),
            (["ask", TARGET_PRICE], 1),
            (["entity", "漠川材料"], 1),
            (["edge", *NAMES], 1),
            (["paths", *NAMES], 1),
            (["status"], 0),
            (["doctor"], 0),
            (["config"], 0),
            (["runs", "list"], 0),
            (["export", "graphml", "--out", "graph.graphml"], 0),
        ],
        ids=lambda value: value[0] if isinstance(value, list) else "",
    )
    def test_that_is_missing_reads_as_an_empty_one(self, finlore: Finlore, verb: list[str], code: int) -> None:
        ran = finlore(*verb, "--json", "--workspace", "nowhere")
        assert ran.code == code
        assert isinstance(ran.json, dict)
        assert not Path("nowhere/store.sqlite").exists()

    @pytest.mark.parametrize(
        ("verb", "code"),
        [
            (["review", "accept", "x"], 1),
            (["review", "edit", "x", "keep=y"], 1),
            (["review", "undo", "x"], 1),
            (["forget", "x"], 1),
            (["split", "a"], 1),
            (["merge", "a", "b"], 1),
            (["restore", "nothing.zip"], 1),
            (["restore", "broken.zip"], 6),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, list) else "",
    )
    def test_that_is_missing_is_not_made_where_there_is_nothing_to_write(
        self, finlore: Finlore, verb: list[str], code: int
    ) -> None:
        Path("broken.zip").write_text("PK")
        assert finlore(*verb, "--workspace", "far/nowhere").code == code
        assert not Path("far").exists()


class TestAsOf:
    def test_limits_every_reading_verb_to_what_was_known(self, finlore: Finlore, world: Path) -> None:
        def read(*arguments: str) -> str:
            return json.dumps(finlore(*arguments, "--json", "--workspace", world, "--as-of", "2024-06-30").json)

        verbs = (["search", "目标价"], ["ask", TARGET_PRICE], ["entity", "漠川材料"], ["edge", "漠川材料", "目标价"])
        for verb in verbs:
            shown = read(*verb)
            assert "21.50" in shown
            assert "26.80" not in shown


class TestRuns:
    def test_are_listed_shown_and_replayed(self, finlore: Finlore, own: Path) -> None:
        first = finlore("ask", TARGET_PRICE, "--as-of", "2024-06-30", "--json", "--workspace", own).json
        second = finlore("ask", "它的ROA是多少？", "--after", first["run"], "--json", "--workspace", own).json
        listed = finlore("runs", "list", "--json", "--workspace", own).json["runs"]
        assert [(row["run"], row["after"]) for row in listed] == [
            (first["run"], None),
            (second["run"], first["run"]),
        ]
        shown = finlore("runs", "show", first["run"], "--json", "--workspace", own).json
        assert {**shown, "trace": None} == {**first, "trace": None}
        replay = finlore("runs", "replay", first["run"], "--json", "--workspace", own)
        assert (replay.code, replay.json) == (0, {"run": first["run"], "equal": True, "difference": ""})

    def test_that_cannot_be_repeated_name_why(self, finlore: Finlore, own: Path) -> None:
        run = finlore("ask", TARGET_PRICE, "--json", "--workspace", own).json["run"]
        assert finlore("forget", "raised", "--workspace", own).code == 0
        replay = finlore("runs", "replay", run, "--json", "--workspace", own)
        assert (replay.code, replay.json["equal"], "raised" in replay.json["difference"]) == (1, False, True)
        assert "26.80" not in finlore("runs", "show", run, "--workspace", own).out


class TestChanges:
    def test_merge_makes_two_names_one_until_split(self, finlore: Finlore, own: Path) -> None:
        def id_of(name: str) -> str:
            found: str = finlore("entity", name, "--json", "--workspace", own).json["id"]
            return found

        apart = id_of("漠川材料"), id_of("桐远电池")
        merged = finlore("merge", *NAMES, "--json", "--workspace", own).json
        assert (merged["merged"], merged["into"]) == apart
        assert id_of("漠川材料") == id_of("桐远电池") == apart[1]
        assert finlore("split", apart[0], "--json", "--workspace", own).json == {"split": apart[0]}
        assert (id_of("漠川材料"), id_of("桐远电池")) == apart

    def test_forget_takes_the_documents_it_can_find(self, finlore: Finlore, own: Path) -> None:
        ran = finlore("forget", "raised", "no-such-document", "target", "--json", "--workspace", own)
        assert (ran.code, ran.json) == (0, {"forgotten": ["raised", "target"]})
        assert finlore("search", "目标价上调", "--json", "--workspace", own).out.count("26.80") == 0

    def test_what_was_rejected_is_named_again_and_read_again_on_request(self, finlore: Finlore, tmp_path: Path) -> None:
        blank = tmp_path / "blank.md"
        blank.write_text("   ")
        first, again = finlore("ingest", blank), finlore("ingest", blank)
        assert (first.code, again.code) == (3, 3)
        assert "there is no text in it" in again.err
        assert "--retry" in again.err
        retried = finlore("ingest", "--retry", "--json")
        assert (retried.code, retried.json["totals"]["rejected"]) == (3, 1)
        assert finlore("ingest").code == 2

    def test_ingest_again_goes_on_and_repeats_nothing(self, finlore: Finlore, tmp_path: Path) -> None:
        path = jsonl(tmp_path / "world.jsonl", *WORLD[:2])
        finlore("ingest", path)
        digest = finlore("status", "--json").json["digest"]
        assert finlore("ingest", path, "--json").json["totals"]["unchanged"] == 2
        assert finlore("status", "--json").json["digest"] == digest

    @pytest.mark.parametrize(("form", "n_files"), [("parquet", 5), ("graphml", 1)])
    def test_export_writes_the_files_that_it_names(
        self, finlore: Finlore, world: Path, tmp_path: Path, form: str, n_files: int
    ) -> None:
        ran = finlore("export", form, "--out", tmp_path / "out", "--json", "--workspace", world)
        written = [Path(path) for path in ran.json["written"]]
        assert (ran.code, len(written)) == (0, n_files)
        assert all(path.stat().st_size for path in written)
        refused = finlore("export", form, "--out", world / "store.sqlite" / "below", "--workspace", world)
        assert (refused.code, "cannot be written" in refused.err) == (2, True)

    def test_doctor_repairs_what_is_derived(self, finlore: Finlore, own: Path) -> None:
        before = finlore("search", "目标价", "--json", "--workspace", own).json["passages"]
        shutil.rmtree(own / "derived")
        assert finlore("search", "目标价", "--json", "--workspace", own).json["passages"] == before
        repaired = finlore("doctor", "--repair", "--json", "--workspace", own)
        assert repaired.code == 0
        assert {row["subject"] for row in repaired.json["checks"]} >= {"python", "repair", "workspace"}
        assert list((own / "derived").iterdir())
        assert finlore("status", "--json", "--workspace", own).json["derived"]["behind"] == 0


class TestConfig:
    def test_says_where_each_setting_comes_from(self, finlore: Finlore, monkeypatch: pytest.MonkeyPatch) -> None:
        Path("finlore.toml").write_text('zone = "Europe/Paris"\nrecognisers = "auto"\n')
        rows = finlore("config", "--json", "--workspace", "mine").json["settings"]
        said = {row["key"]: (row["value"], row["from"]) for row in rows}
        assert said["workspace"] == ("mine", "argument")
        assert said["recognisers"] == ([], "environment")
        assert said["zone"] == ("Europe/Paris", "finlore.toml")
        assert said["store"] == ("embedded", "default")

    def test_keeps_secrets(self, finlore: Finlore, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FINLORE_EMBEDDER_API_KEY", "open-sesame")
        for arguments in (["config"], ["config", "--json"]):
            ran = finlore(*arguments)
            assert (ran.code, "embedder_api_key" in ran.out) == (0, True)
            assert "open-sesame" not in ran.out + ran.err

    def test_may_be_named_anywhere(self, finlore: Finlore, tmp_path: Path) -> None:
        (tmp_path / "other.toml").write_text('zone = "Asia/Tokyo"\n')
        rows = finlore("config", "--json", "--config", tmp_path / "other.toml").json["settings"]
        assert next(row["value"] for row in rows if row["key"] == "zone") == "Asia/Tokyo"


HOSTILE = "\x1b]0;owned\x07\x1b[31m\u202e\u2066\x9b\u200f"


class TestTerminal:
    """Documents and questions are data: nothing in them steers the terminal or is taken for markup."""

    @pytest.fixture
    def hostile(self, tmp_path: Path) -> Path:
        row = {
            **CUSTOMER,
            "id": f"cus{HOSTILE}tomer",
            "title": f"桐远电池（309902）{HOSTILE}[red]首次覆盖[/red]",
            "text": f"桐远电池（309902）的{HOSTILE}董事长为闵若溪。[bold]漠川材料（609901）[/bold]向桐远电池供货。",
        }
        with workspace(tmp_path / "hostile") as made:
            made.ingest([jsonl(tmp_path / "hostile.jsonl", row, RAISED)])
        return tmp_path / "hostile"

    @pytest.mark.parametrize(
        "verb",
        [
            ["search", f"董事长{HOSTILE}"],
            ["ask", f"桐远电池的董事长{HOSTILE}是谁？"],
            ["entity", "桐远电池"],
            ["edge", *NAMES],
            ["paths", *NAMES],
            ["forget", f"cus{HOSTILE}tomer"],
            ["runs", "list"],
            ["status"],
            ["doctor"],
        ],
        ids=lambda verb: verb[0],
    )
    def test_shows_printable_characters_only(self, finlore: Finlore, hostile: Path, verb: list[str]) -> None:
        finlore("ask", f"桐远电池的董事长{HOSTILE}是谁？", "--workspace", hostile)
        ran = finlore(*verb, "--workspace", hostile)
        assert ran.code == 0
        assert ran.out.strip()
        assert all(character.isprintable() or character == "\n" for character in ran.out + ran.err)

    def test_shows_reasons_of_rejection_harmlessly(self, finlore: Finlore, tmp_path: Path) -> None:
        (tmp_path / f"{HOSTILE}.md").touch()
        ran = finlore("ingest", tmp_path / f"{HOSTILE}.md")
        assert (ran.code, "rejected: " in ran.err) == (3, True)
        assert all(character.isprintable() or character == "\n" for character in ran.out + ran.err)

    def test_exports_a_graph_whose_labels_read_as_they_are_written(self, finlore: Finlore, tmp_path: Path) -> None:
        row = {
            **ENGLISH,
            "title": "\u202eHarrow Lane\u202c & <b>Optics</b>",
            "text": "\u202eHarrow Lane Optics\u2069 grew.",
        }
        with workspace(tmp_path / "turned") as made:
            made.ingest([jsonl(tmp_path / "turned.jsonl", row)])
        graph = tmp_path / "graph.graphml"
        assert finlore("export", "graphml", "--out", graph, "--workspace", tmp_path / "turned").code == 0
        names = [element.text or "" for element in ElementTree.parse(graph).iter() if element.get("key") == "name"]
        assert any("Harrow Lane" in name for name in names)
        assert all(character.isprintable() for name in names for character in name)

    def test_shows_markup_of_documents_literally(self, finlore: Finlore, hostile: Path) -> None:
        out = finlore("search", "董事长", "--workspace", hostile).out
        assert "[red]" in out
        assert "[bold]" in out


class TestStart:
    def test_help_names_every_verb_and_loads_nothing_heavy(self, finlore: Finlore) -> None:
        program = (
            "import sys\nfrom finlore.serve.cli import main\n"
            "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
            "print(sorted(m for m in ('numpy', 'pydantic', 'polars', 'rich.console', 'sqlite3') if m in sys.modules))"
        )
        out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        assert out.endswith("[]\n")
        for verb in (
            "ingest", "embed", "search", "ask", "entity", "edge", "paths", "status", "doctor", "config", "forget",
            "merge", "split", "export", "demo", "runs",
        ):  # fmt: skip
            assert f"  {verb} " in out


@pytest.mark.parametrize("verb", ["ingest", "import"])
def test_what_uses_prices_names_their_option(finlore: Finlore, verb: str) -> None:
    assert "--market" in finlore(verb, "--help").out


@pytest.mark.parametrize("order", ["\x1b[31m", "\x07", "\x9b31m", "\u202e"])
def test_no_name_in_an_error_is_an_order_to_the_terminal(finlore: Finlore, tmp_path: Path, order: str) -> None:
    for words in (["runs", "show", f"no{order}ne"], ["--workspace", tmp_path, f"--no{order}ne"], [f"ve{order}rb"]):
        ran = finlore(*words)
        assert ran.code
        assert "ne" in ran.err or "rb" in ran.err
        assert order[0] not in ran.err
