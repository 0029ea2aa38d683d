"""The schemas of a workspace, and templates of any format."""

from importlib.resources import files
from pathlib import Path

import pytest

from finlore.errors import ConfigurationError, UsageError
from finlore.knowledge.schema import SHIPPED, load_schema, make_schema
from finlore.records.schema import Schema
from finlore.wiring import Adapters
from finlore.wiring.schemas import Schemas, read_templates
from tests.small_world import settings


def own(name: str = "mine") -> Schema:
    shipped = load_schema()
    return make_schema(name, attributes=shipped.attributes[:2], drivers=shipped.drivers[:1], links=shipped.links[:3])


def test_a_workspace_is_filled_with_the_shipped_schema_until_another_is_used(tmp_path: Path) -> None:
    schemas = Schemas(tmp_path / "schemas")
    assert (schemas.name, schemas.kept(), schemas.active()) == (SHIPPED, [], load_schema())
    schemas.keep(own())
    assert schemas.use("mine") == own()
    again = Schemas(tmp_path / "schemas")
    assert (again.name, again.kept(), again.active()) == ("mine", ["mine"], own())


def test_what_was_read_under_any_of_its_schemas_can_be_told(tmp_path: Path) -> None:
    schemas = Schemas(tmp_path / "schemas")
    schemas.keep(own())
    schemas.use("mine")
    reading = schemas.reading()
    assert {attribute.id for attribute in reading.attributes} == {a.id for a in load_schema().attributes}
    assert schemas.reading() is reading


def test_only_folders_with_files_of_a_schema_are_schemas(tmp_path: Path) -> None:
    schemas = Schemas(tmp_path)
    schemas.keep(own())
    for name in (".git", "notes", "Drafts", "mine.writing"):
        (tmp_path / name).mkdir()
    (tmp_path / "Drafts" / "links.toml").touch()
    assert schemas.kept() == ["mine"]
    assert schemas.reading().name == SHIPPED


def test_a_broken_schema_is_left_out_of_reading_and_named_by_doctor(tmp_path: Path) -> None:
    schemas = Schemas(tmp_path)
    schemas.keep(own("broken"))
    (tmp_path / "broken" / "drivers.toml").unlink()
    assert schemas.reading() == load_schema()
    in_force, broken = schemas.examined()
    assert (in_force.subject, in_force.fine) == ("active schema", True)
    assert (broken.subject, broken.fine, "drivers.toml" in broken.message) == ("schema broken", False, True)


def test_a_broken_schema_that_is_active_is_an_error_to_whoever_reads_and_named_by_doctor(tmp_path: Path) -> None:
    schemas = Schemas(tmp_path)
    schemas.keep(own())
    schemas.use("mine")
    (tmp_path / "mine" / "links.toml").write_text("[supplies\n")
    again = Schemas(tmp_path)
    for read in (again.reading, again.active):
        with pytest.raises(ConfigurationError, match=r"links\.toml is not valid TOML"):
            read()
    (told,) = again.examined()
    assert (told.subject, told.fine, "links.toml" in told.message) == ("active schema", False, True)


def test_a_schema_that_is_kept_again_takes_the_place_of_the_older(tmp_path: Path) -> None:
    schemas = Schemas(tmp_path / "schemas")
    schemas.keep(own())
    schemas.use("mine")
    changed = make_schema("mine", attributes=own().attributes, drivers=(), links=())
    schemas.keep(changed)
    assert schemas.active() == changed


@pytest.mark.parametrize("text", ["", "schema = 7\n", "schema = \n", "other = 'mine'\n"])
def test_a_workspace_that_names_no_schema_says_what_its_file_should_say(tmp_path: Path, text: str) -> None:
    (tmp_path / "active.toml").write_text(text)
    with pytest.raises(ConfigurationError, match="names no schema"):
        Schemas(tmp_path).active()


@pytest.mark.parametrize("name", ["..", "../other", "UPPER", "a" * 61, ""])
def test_a_name_leads_nowhere_else(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match="is no name of a schema"):
        Schemas(tmp_path).load(name)


def test_templates_are_read_whatever_their_format(tmp_path: Path) -> None:
    pdf = next(Path(str(files("finlore") / "data/sample/documents")).glob("*initiation*.pdf"))
    (tmp_path / "template.txt").write_text("What a report contains.\n")
    adapters = Adapters(settings(tmp_path / "store"))
    try:
        first, second = read_templates(adapters, [pdf, tmp_path / "template.txt"])
        with pytest.raises(UsageError, match="is of no kind that can be read"):
            read_templates(adapters, [tmp_path / "template.exe"])
    finally:
        adapters.close()
    assert len(first) > 500
    assert second == "What a report contains.\n"
