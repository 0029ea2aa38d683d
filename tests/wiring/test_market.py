"""Which market and which calendar the settings ask for."""

from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from finlore.errors import ConfigurationError, MissingExtra
from finlore.settings import load_settings
from finlore.wiring.adapters import Adapters


def adapters(folder: Path, **options: object) -> Adapters:
    return Adapters(load_settings(arguments={"workspace": folder / "store", **options}))


def test_there_is_no_market_without_a_folder(tmp_path: Path) -> None:
    with closing(adapters(tmp_path)) as found:
        assert found.market is None


def test_the_market_has_the_sessions_of_the_calendar(tmp_path: Path) -> None:
    (tmp_path / "daily_bars.csv").write_text("code,date,close\n309901,20240930,10\n309901,20241009,10\n")
    for calendar, n in (("xshg", 3), ("none", 2)):
        with closing(adapters(tmp_path, market=tmp_path, calendar=calendar)) as found:
            assert (found.calendar is None) == (calendar == "none")
            assert found.market is not None
            assert len(found.market.panel(date(2024, 9, 1), date(2024, 12, 31)).days) == n


def test_an_unknown_calendar_is_named(tmp_path: Path) -> None:
    with closing(adapters(tmp_path, calendar="mayan")) as found, pytest.raises(ConfigurationError, match="mayan"):
        _ = found.calendar


@pytest.mark.parametrize("source", ["tushare", "akshare"])
def test_a_source_that_is_fetched_says_what_it_lacks_and_needs_no_folder(tmp_path: Path, source: str) -> None:
    with closing(adapters(tmp_path, market_adapter=source)) as found, pytest.raises(MissingExtra, match=source):
        _ = found.market


@pytest.mark.parametrize("source", ["tushare", "akshare"])
def test_who_names_a_source_instead_of_a_folder_is_told_how_to_ask_for_it(tmp_path: Path, source: str) -> None:
    with closing(adapters(tmp_path, market=tmp_path / source)) as found:
        with pytest.raises(ConfigurationError, match=f"FINLORE_MARKET_ADAPTER={source}") as caught:
            _ = found.market
        assert ("FINLORE_TUSHARE_TOKEN" in str(caught.value)) == (source == "tushare")


@pytest.mark.parametrize("folder", [None, "prices"])
def test_an_unknown_source_is_told_with_those_that_are_known(tmp_path: Path, folder: str | None) -> None:
    found, told = adapters(tmp_path, market_adapter="nonsense", market=folder), r"'nonsense' among .*akshare, folder"
    with closing(found), pytest.raises(ConfigurationError, match=told):
        _ = found.market


def test_a_token_comes_from_the_environment_and_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINLORE_TUSHARE_TOKEN", "sesame")
    told = {row.key: row.value for row in load_settings().explain()}
    assert told["tushare_token"] == "set"
    with pytest.raises(ConfigurationError, match="FINLORE_TUSHARE_TOKEN only"):
        load_settings(arguments={"tushare_token": "sesame"})
