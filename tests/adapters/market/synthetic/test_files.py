"""The synthetic market as files is read back as the market that it is."""

import tomllib
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from finlore.adapters.market.folder import MarketFolder
from finlore.adapters.market.synthetic.files import write_folder
from finlore.adapters.parse_ratings import RatingListParser
from finlore.ports import Source
from finlore.records.instant import parse_instant
from tests.adapters.market.folders import differences, there
from tests.adapters.market.synthetic.markets import EARLY, FIRST, WEEKDAYS, market

SPAN = date(2024, 3, 1), date(2024, 8, 30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("synthetic") / "market"
    paths = write_folder(market(last=EARLY), out)
    assert sorted(paths) == sorted(out.iterdir())
    return out


def test_the_panel_comes_back(folder: Path) -> None:
    made, read = market(last=EARLY).panel(*SPAN), MarketFolder(folder, calendar=WEEKDAYS).panel(*SPAN)
    assert differences(made, read) == ["issues"]
    assert [issue.severity for issue in read.issues] == ["note"]  # suspensions


def test_the_folder_is_sound_and_tells_the_same_of_a_day(folder: Path) -> None:
    made, read = market(last=EARLY), MarketFolder(folder, calendar=WEEKDAYS)
    day = date(2024, 6, 14)
    assert not read.issues()
    assert sorted(read.indices()) == sorted(made.indices())
    for code in ("609003.SH", "200301.SZ", "929001.BJ"):
        assert read.price(code, day) == made.price(code, day)
        assert read.market_value(code, day) == made.market_value(code, day)
        assert read.industry(code, day) == made.industry(code, day)
    for code in made.indices():
        left, right = there(made.index(code, *SPAN)), there(read.index(code, *SPAN))
        assert np.array_equal(left.closes, right.closes)
        assert (left.name, left.total_return) == (right.name, right.total_return)


def test_every_rating_is_a_report_of_its_broker(folder: Path) -> None:
    documents, issues = RatingListParser().parse(Source("ratings.csv", ".csv", (folder / "ratings.csv").read_bytes()))
    made = market(last=EARLY).ratings(FIRST, EARLY)
    assert len(documents) + len(issues) == len(made)
    assert {issue.severity for issue in issues} <= {"note"}  # a broker that says the same twice on a day
    stated = dict(documents[0].stated)
    assert (stated["security"], stated["broker"], stated["rating"]) == (
        made[0].security[:6],
        made[0].broker,
        made[0].rating,
    )


def test_announcements_are_known_when_they_came_out(folder: Path) -> None:
    table = pl.read_csv(folder / "announcements.csv", infer_schema=False)
    made = market(last=EARLY).announcements(FIRST, EARLY)
    assert table["code"].to_list() == [one.security for one in made]
    assert [parse_instant(told) for told in table["known_at"]] == [one.known_at for one in made]
    assert [float(surprise) for surprise in table["surprise"]] == [one.surprise for one in made]


def test_what_is_planted_is_told_beside_the_prices(folder: Path) -> None:
    told = tomllib.loads((folder / "planted.toml").read_text("utf-8"))
    assert told["factor"]["weekly_rank_ic"] == 0.05
    assert told["leak"]["name"] in pl.read_parquet_schema(folder / "daily_bars.parquet")
    assert sum(skill > 0 for skill in told["brokers"].values()) == 3
