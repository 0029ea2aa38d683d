"""Schemas as their user handles them: shown, derived from templates by a model, used by `ingest`, refused when bad."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from finlore.knowledge.schema import PARTS, load_schema
from finlore.knowledge.schema_text import columns
from tests.adapters.language_model.scripted_server import Answer, Asked, Endpoint, said, serve
from tests.serve.driver import Finlore
from tests.small_world import jsonl

TEMPLATE = "A report on a ferry line states its dividend yield, its fares, and what storms and strikes do to them.\n"
LABELS = {"description": "d", "fibo": ""}
ANSWERS: dict[str, list[dict[str, Any]]] = {
    "attributes": [
        {"id": "dividend_yield", "zh": "股息率", "en": "dividend yield", **LABELS, "value": "number",
         "quantity": "percent", "single": True, "domain": ["security", "company"], "range": [],
         "cues": ["股息率", "dividend yield"]},
        {"id": "broken", "zh": "坏", "en": "broken", **LABELS, "value": "number", "quantity": "", "single": True,
         "domain": ["security"], "range": [], "cues": []},
    ],
    "drivers": [{"id": "weather", "zh": "天气", "en": "weather", **LABELS}],
    "events": [
        {"id": "storm", "zh": "风暴", "en": "storm", **LABELS, "good": [], "bad": ["因台风停航", "storm*"],
         "neutral": []}
    ],
}  # fmt: skip
REPORT = {
    "id": "report",
    "title": "漠川材料（609901）点评",
    "text": "漠川材料（609901）股息率：3.2%。漠川材料因台风停航三天。霜桥证券给予漠川材料目标价21.50元。",
    "published_at": "2024-05-10",
    "security": "609901",
    "broker": "霜桥证券",
}


def model(asked: Asked) -> Answer:
    """Answers by the form that it is to fill in."""
    wanted = json.dumps(asked)
    kind = next(kind for kind in ("events", "drivers", "attributes") if f'"required": ["{kind}"]' in wanted)
    return said(json.dumps({kind: ANSWERS[kind]}))


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, finlore: Finlore) -> Iterator[Endpoint]:
    with serve(model) as served:
        monkeypatch.setenv("FINLORE_LLM_BASE_URL", served.base_url)
        monkeypatch.setenv("FINLORE_LLM_MODEL", "served")
        yield served


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "template.md"
    path.write_text(TEMPLATE)
    return path


def test_the_tree_fits_a_terminal_and_names_types_with_their_terms(finlore: Finlore) -> None:
    lines = finlore("schema", "show").out.splitlines()
    assert max(map(columns, lines)) <= 100
    at = next(number for number, line in enumerate(lines) if "market_capitalisation" in line)
    assert "number, money; single; security, company; fibo:MarketCapitalization;" in lines[at + 1]
    document = finlore("schema", "show", "--json").json
    assert (document["name"], document["active"], len(document["attributes"])) == ("finkario", True, 11)
    assert document["drivers"][0]["events"][0]["fibo"].startswith("https://")
    assert finlore("schema", "list", "--json").json["active"] == "finkario"


def test_without_an_endpoint_the_setting_is_named(finlore: Finlore, template: Path) -> None:
    ran = finlore("schema", "induce", "--template", template)
    assert (ran.code, "llm_base_url" in ran.err) == (4, True)
    ran = finlore("schema", "show", "nobodys")
    assert (ran.code, "there are finkario" in ran.err) == (4, True)


def test_templates_lead_to_a_filled_graph_without_a_hand(
    finlore: Finlore, endpoint: Endpoint, template: Path, tmp_path: Path
) -> None:
    store, out = tmp_path / "store", tmp_path / "out"
    finlore("--workspace", store, "ingest", jsonl(tmp_path / "first.jsonl", REPORT))
    ran = finlore("--workspace", store, "schema", "induce", "--template", template, "--out", out, "--json")
    assert ran.code == 0
    assert len(endpoint.asked) == 3
    assert [attribute["id"] for attribute in ran.json["schema"]["attributes"]] == ["dividend_yield"]
    assert any("'broken' was left out" in why for why in ran.json["left_out"])
    assert sorted(path.name for path in out.iterdir()) == sorted(f"{part}.toml" for part in PARTS)
    assert "calls" in ran.err
    again = {**REPORT, "id": "again", "text": REPORT["text"] + "公司经营正常。", "published_at": "2024-06-01"}
    ran = finlore("--workspace", store, "ingest", "--schema", "induced", jsonl(tmp_path / "second.jsonl", again))
    assert ran.code == 0
    (row,) = finlore("--workspace", store, "facts", "--relation", "dividend_yield", "--json").json["facts"]
    assert (row["value"], row["unit"], row["label"]["en"]) == (3.2, "%", "dividend yield")
    (row,) = finlore("--workspace", store, "events", "--driver", "weather", "--json").json["events"]
    assert (row["subtype"], row["direction"]) == ("storm", "bad")
    assert finlore("--workspace", store, "schema", "list", "--json").json["active"] == "induced"


def test_what_was_read_under_another_schema_can_still_be_asked_for(
    finlore: Finlore, endpoint: Endpoint, template: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    finlore("--workspace", store, "ingest", jsonl(tmp_path / "first.jsonl", REPORT))
    finlore("--workspace", store, "schema", "induce", template)
    finlore("--workspace", store, "ingest", "--schema", "induced", tmp_path / "first.jsonl")
    (row,) = finlore("--workspace", store, "facts", "--relation", "目标价", "--json").json["facts"]
    assert (row["value"], row["label"]["en"]) == (21.5, "target price")
    ran = finlore("--workspace", store, "extract", "--extractor", "lexicon", "--json")
    assert ran.code == 0
    assert finlore("--workspace", store, "facts", "--relation", "目标价").code == 1
    assert finlore("--workspace", store, "facts", "--relation", "dividend_yield").code == 0


def test_schemas_go_into_a_backup_and_an_induced_one_is_a_question_to_people(
    finlore: Finlore, endpoint: Endpoint, template: Path, tmp_path: Path
) -> None:
    store, other = tmp_path / "store", tmp_path / "other"
    finlore("--workspace", store, "schema", "induce", template)
    finlore("--workspace", store, "ingest", "--schema", "induced", jsonl(tmp_path / "first.jsonl", REPORT))
    assert finlore("--workspace", store, "status", "--json").json["counts"]["open_reviews"] == 1
    finlore("--workspace", store, "backup", tmp_path / "copy")
    assert finlore("--workspace", other, "restore", tmp_path / "copy").code == 0
    shown = finlore("--workspace", other, "schema", "show", "--json").json
    assert (shown["name"], shown["active"]) == ("induced", True)


def test_templates_without_a_name_are_ours_and_those_that_cannot_be_read_are_refused(
    finlore: Finlore, endpoint: Endpoint, tmp_path: Path
) -> None:
    (tmp_path / "empty.md").write_text("")
    for name in ("empty.md", "absent.md", "unknown.xyz"):
        assert finlore("schema", "induce", "--template", tmp_path / name).code == 2
    assert not endpoint.asked
    assert finlore("schema", "induce").code == 0
    assert "估值" in json.dumps(endpoint.asked, ensure_ascii=False)


TERM = '[berths]\nzh = "泊"\nen = "b"\ndescription = "d"\nvalue = "text"\ndomain = ["company"]\nfibo = "fibo:X"\n'
BAD = {
    "an id that stands twice": ("attributes", "\n[supplies]\n", "line 2"),
    "a cycle": ("drivers", None, "a cycle"),
    "a value of no type": (
        "attributes",
        '\n[berths]\nzh = "泊"\nen = "b"\ndescription = "d"\nvalue = "float"\n',
        "line 6",
    ),
    "a label that is a number": ("attributes", '\n[berths]\nvalue = "text"\nzh = 7\n', "line 4"),
    "a term that is none": ("attributes", TERM, "line 7: 'fibo:X' is not the IRI of a term"),
    "no TOML": ("attributes", "[berths\n", "line 1"),
    "1 MB": ("attributes", "# a comment\n" * 90_000, "at most 256 kB"),
    "no UTF-8": ("attributes", "# ok\n# \udcff\n", "line 2 is not UTF-8"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_schema_is_refused_with_file_line_and_reason_before_anything_is_read(
    what: str, finlore: Finlore, tmp_path: Path
) -> None:
    part, text, reason = BAD[what]
    store, folder = tmp_path / "store", tmp_path / "store" / "schemas" / "mine"
    folder.mkdir(parents=True)
    for name in PARTS:
        (folder / f"{name}.toml").write_text("")
    driver = '[a]\nzh = "甲"\nen = "a"\ndescription = "d"\n[a.events.a]\nzh = "乙"\nen = "b"\ndescription = "d"\n'
    (folder / f"{part}.toml").write_bytes((driver if text is None else text).encode(errors="surrogateescape"))
    if what == "an id that stands twice":
        type_ = load_schema().links[0]
        lines = '{0}zh = "泊"\nen = "b"\ndescription = "d"\n'
        attribute = lines.format("[supplies]\n") + 'value = "text"\ndomain = ["company"]\n'
        link = lines.format("[supplies]\n") + 'symmetric = true\ndomain = ["company"]\nrange = ["company"]\n'
        assert type_.id == "supplies"
        (folder / "attributes.toml").write_text(attribute)
        (folder / "links.toml").write_text(link)
        part, reason = "links", "duplicate id 'supplies'"
    ran = finlore("--workspace", store, "ingest", "--schema", "mine", jsonl(tmp_path / "first.jsonl", REPORT))
    assert ran.code == 4
    assert f"{part}.toml" in ran.err
    assert reason in ran.err
    assert re.search(r"line \d+", ran.err)
    assert not (store / "store.sqlite").exists()
    shutil.rmtree(folder)
    assert finlore("--workspace", store, "schema", "list", "--json").json["active"] == "finkario"


@pytest.mark.parametrize(("is_active", "code"), [(False, 0), (True, 4)])
def test_a_schema_that_broke_stops_reading_only_where_it_is_active_and_doctor_says_so(
    finlore: Finlore, tmp_path: Path, is_active: bool, code: int
) -> None:
    store = tmp_path / "store"
    finlore("--workspace", store, "ingest", jsonl(tmp_path / "first.jsonl", REPORT))
    (store / "schemas" / ".git").mkdir(parents=True)
    (store / "schemas" / "mine").mkdir()
    (store / "schemas" / "mine" / "links.toml").write_text("[broken")
    if is_active:
        (store / "schemas" / "active.toml").write_text('schema = "mine"\n')
    verbs = ("facts",), ("doctor",), ("ingest", tmp_path / "first.jsonl"), ("extract", "--extractor", "lexicon")
    assert [finlore("--workspace", store, *verb).code for verb in verbs] == [code] * 4
    checks = finlore("--workspace", store, "doctor", "--json").json["checks"]
    assert [row["subject"] for row in checks if "schemas/mine" in row["message"]] == [
        "active schema" if is_active else "schema mine"
    ]


def test_a_bad_schema_in_the_folder_of_resources_is_refused_too(
    finlore: Finlore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "resources" / "schema").mkdir(parents=True)
    (tmp_path / "resources" / "schema" / "links.toml").write_text("[supplies]\nzh = 7\n")
    monkeypatch.setenv("FINLORE_RESOURCES", str(tmp_path / "resources"))
    ran = finlore("--workspace", tmp_path / "store", "ingest", jsonl(tmp_path / "first.jsonl", REPORT))
    assert (ran.code, "links.toml line 2: " in ran.err) == (4, True)
    assert not (tmp_path / "store").exists()
