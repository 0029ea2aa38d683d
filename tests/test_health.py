"""What `doctor` tells, and what `doctor --repair` brings in order."""

from pathlib import Path

import pytest

from finlore import Workspace
from finlore.errors import MissingExtra
from finlore.records.report import Finding
from finlore.settings import Settings
from tests.adapters.language_model.scripted_server import failure, in_turn, kind, said, serve
from tests.small_world import jsonl, workspace

OLDER: dict[str, object] = {
    "id": "older",
    "text": "渡口控股向渡控新厂出租厂房，租期五年，租金每年一次付清。",
    "published_at": "2024-05-01",
}
NEWER: dict[str, object] = {
    "id": "newer",
    "text": "渡口控股股份有限公司（以下简称“渡控”）公告，渡控将扩建。",
    "published_at": "2024-06-01",
}


class PowerCutError(Exception):
    """What ends an ingest before names are looked for in older text."""


def cut(done: int, total: int | None, what: str) -> None:
    if done == 2:
        raise PowerCutError


def test_repair_ends_what_an_interrupted_ingest_left(tmp_path: Path) -> None:
    both = [jsonl(tmp_path / "both.jsonl", OLDER, NEWER)]
    with workspace(tmp_path / "whole") as whole, workspace(tmp_path / "broken") as broken:
        whole.ingest(both)
        with pytest.raises(PowerCutError):
            broken.ingest(both, progress=cut)
        assert any("have not been searched" in finding.message for finding in broken.doctor())
        assert all(finding.subject != "store" for finding in broken.doctor(repair=True))
        assert broken.status().digest == whole.status().digest


def test_a_recogniser_whose_model_is_absent_is_told_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "foreign-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: foreign\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(f"[finlore.recognisers]\nbare = {__name__}:Modelless\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    with workspace(tmp_path / "store") as made:
        (told,) = [finding for finding in made.doctor() if finding.subject == "recogniser bare"]
    assert (told.fine, "model" in told.message, "finlore[zh]" in told.fix) == (False, True, True)


class Modelless:
    """A recogniser that can be imported and not made."""

    def __init__(self) -> None:
        raise MissingExtra("zh", needed_for="its model")


def told_of_models(folder: Path, **values: str) -> list[Finding]:
    settings = Settings(workspace=folder, embedder="none", recognisers=(), **values)
    with Workspace(settings=settings) as made:
        return [finding for finding in made.doctor() if finding.subject.startswith("language model")]


def test_no_language_model_is_fine(tmp_path: Path) -> None:
    (told,) = told_of_models(tmp_path)
    assert told.fine


def test_each_endpoint_is_asked_what_it_can_do(tmp_path: Path) -> None:
    with serve(lambda asked: said('{"colour": "green"}') if kind(asked) != "tool" else failure(400)) as endpoint:
        one, other = told_of_models(
            tmp_path, llm_base_url=endpoint.base_url, llm_model="m", llm_see_model="larger", llm_api_key="canary"
        )
    assert (one.subject, other.subject) == ("language model (extract, judge, write)", "language model (see)")
    assert one.fine
    assert one.message == "served answers; it heeds: JSON schemas, JSON"
    assert len(endpoint.asked) == 8


def test_an_endpoint_that_does_not_answer_is_told_with_its_remedy_and_without_its_key(tmp_path: Path) -> None:
    with serve(in_turn(failure(401, "bad key canary"))) as endpoint:
        (told,) = told_of_models(tmp_path, llm_base_url=endpoint.base_url, llm_model="m", llm_api_key="canary")
    assert (told.fine, "401" in told.message, "canary" in told.message, "llm_model" in told.fix) == (
        False, True, False, True,
    )  # fmt: skip


def test_settings_that_do_not_go_together_are_a_finding(tmp_path: Path) -> None:
    (told,) = told_of_models(tmp_path, llm_base_url="http://127.0.0.1:1/v1")
    assert (told.fine, "llm_model" in told.fix) == (False, True)
