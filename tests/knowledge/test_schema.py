"""Schemas are data; a bad one is refused with the file, the line and the reason."""

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from finlore import resources
from finlore.errors import ConfigurationError
from finlore.knowledge.schema import PARTS, line_of, load_schema, make_schema, parse_schema, widened
from finlore.knowledge.schema_text import to_toml
from finlore.records.schema import Cue, Schema

ATTRIBUTE = """\
[dividend_yield]
zh = "股息率"
en = "dividend yield"
description = "The dividend of a year over the price."
value = "number"
quantity = "percent"
single = true
domain = ["security"]
cues = ["股息率", "dividend yield"]
"""
DRIVER = """\
[weather]
zh = "天气"
en = "weather"
description = "Rain and sun."

[weather.events.drought]
zh = "干旱"
en = "drought"
description = "It does not rain."
cues.bad = ["大旱", "drought*"]
"""
LINK = """\
[insures]
zh = "承保"
en = "insures"
inverse_zh = "投保于"
inverse_en = "is insured by"
description = "The subject bears risks of the object."
domain = ["company"]
range = ["company", "product"]
cues = ["承保"]
swapped_cues = ["投保于"]
"""
TEXTS = {"attributes": ATTRIBUTE, "drivers": DRIVER, "links": LINK}


@pytest.fixture
def overrides(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "schema").mkdir()
    resources.override_with(tmp_path)
    yield tmp_path / "schema"
    resources.override_with(None)


def own(**changed: str) -> Schema:
    return parse_schema(TEXTS | changed, name="own")


def write(folder: Path, **changed: str) -> None:
    folder.mkdir(exist_ok=True)
    for part, text in (TEXTS | changed).items():
        (folder / f"{part}.toml").write_text(text, encoding="utf-8")


def test_the_shipped_schema_has_the_eleven_attributes_and_the_event_tree_of_finkario() -> None:
    schema = load_schema()
    assert len(schema.attributes) == 11
    assert sorted(len(driver.events) for driver in schema.drivers) == [2, 3, 3, 3, 4, 4, 4, 5]
    assert {attribute.id for attribute in schema.attributes if not attribute.single} == {
        "major_shareholders", "risk_assessment", "key_products", "research_institution",
    }  # fmt: skip
    assert {attribute.id for attribute in schema.attributes if attribute.opinion} == {
        "investment_rating", "target_price",
    }  # fmt: skip


def test_an_opinion_has_one_value_at_a_time() -> None:
    assert own(attributes=f"{ATTRIBUTE}opinion = true\n").attributes[0].opinion
    with pytest.raises(ConfigurationError, match="line 7: an opinion has one value at a time"):
        own(attributes=ATTRIBUTE.replace("single = true", "opinion = true"))


def test_the_shipped_schema_has_the_links_of_companies_with_their_direction() -> None:
    links = {link.id: link for link in load_schema().links}
    assert {
        "supplies", "customer_of", "owns", "controls", "guarantees", "competes_with", "partners_with", "executive_of",
        "regulates", "rates", "produces", "uses_material", "affects", "belongs_to_industry", "belongs_to_concept",
        "belongs_to_index", "subsidiary_of",
    } <= set(links)  # fmt: skip
    assert {"competes_with", "partners_with"} <= {link.id for link in links.values() if link.symmetric}
    assert not any(links[key].symmetric for key in ("supplies", "owns", "guarantees", "subsidiary_of"))


def test_no_label_of_the_shipped_schema_means_two_relations() -> None:
    schema = load_schema()
    for language in ("zh", "en"):
        labels = [getattr(item.labels, language) for item in (*schema.attributes, *schema.links)]
        assert len(labels) == len(set(labels))


def test_an_industry_may_belong_to_another() -> None:
    link = next(link for link in load_schema().links if link.id == "belongs_to_industry")
    assert "industry" in link.domain
    assert "industry" in link.range


def test_every_shipped_type_has_a_term_of_fibo_or_of_the_commons_it_is_built_on() -> None:
    schema = load_schema()
    events = [event for driver in schema.drivers for event in driver.events]
    term = re.compile(r"https://(spec\.edmcouncil\.org/fibo/ontology|www\.omg\.org/spec/Commons)/(\w+/)+\w+")
    assert not [
        item.id
        for item in (*schema.attributes, *schema.drivers, *events, *schema.links)
        if not term.fullmatch(item.fibo)
    ]


def test_every_shipped_attribute_event_type_and_link_has_cues_in_both_languages() -> None:
    schema = load_schema()
    events = [event for driver in schema.drivers for event in driver.events]
    for item in (*schema.attributes, *events, *schema.links):
        assert {cue.text.isascii() for cue in item.cues} == {True, False}, item.id


def test_a_schema_is_read_as_it_is_written() -> None:
    schema = own()
    (attribute,), (driver,), (link,) = schema.attributes, schema.drivers, schema.links
    assert (attribute.value, attribute.quantity, attribute.single) == ("number", "percent", True)
    assert driver.events[0].cues == (Cue("大旱", "bad"), Cue("drought*", "bad"))
    assert link.cues == (Cue("承保"), Cue("投保于", swaps=True))
    assert (link.inverse.zh, link.range) == ("投保于", ("company", "product"))


def test_a_symmetric_link_is_worded_alike_from_both_sides() -> None:
    (link,) = own(
        links='[near]\nzh = "相邻"\nen = "is near"\ndescription = "Side by side."\nsymmetric = true\n'
        'domain = ["company"]\nrange = ["company"]\n'
    ).links
    assert link.inverse == link.labels


def test_a_schema_is_widened_by_what_others_know_and_its_own_types_stay() -> None:
    shipped, mine = load_schema(), own()
    both = widened(mine, [shipped])
    assert both.attributes[: len(mine.attributes)] == mine.attributes
    assert {link.id for link in both.links} == {link.id for link in (*mine.links, *shipped.links)}
    assert {driver.id for driver in both.drivers} == {driver.id for driver in (*mine.drivers, *shipped.drivers)}
    assert parse_schema(to_toml(both), name=both.name) == both
    assert widened(shipped, [shipped]) == shipped


def test_an_id_that_means_something_else_in_the_other_schema_keeps_its_own_meaning() -> None:
    shipped = load_schema()
    event = shipped.drivers[0].events[0]
    odd = replace(shipped.drivers[1], id="odd", events=(replace(event, driver="odd"),))
    mine = make_schema("mine", attributes=[replace(shipped.attributes[0], id="macro")], drivers=[odd], links=())
    both = widened(mine, [shipped])
    assert [attribute.id for attribute in both.attributes].count("macro") == 1
    assert "macro" not in {driver.id for driver in both.drivers}
    supply = next(driver for driver in both.drivers if driver.id == "supply")
    assert event.id not in {other.id for other in supply.events}


def test_a_long_list_is_not_read_line_by_line_to_find_a_fault() -> None:
    cues = "".join(f'  "cue number {n}",\n' for n in range(4_000))
    text = f"{ATTRIBUTE.rpartition('cues')[0]}cues = [\n{cues}]\nunknown = 1\n"
    began = time.process_time()
    with pytest.raises(ConfigurationError, match="line 4011: unknown key"):
        own(attributes=text)
    assert time.process_time() - began < 5


def test_the_version_tells_contents_apart_and_nothing_else() -> None:
    schema = own()
    assert schema.version == own(attributes=f"# a comment\n\n{ATTRIBUTE}").version
    assert schema.version != own(attributes=ATTRIBUTE.replace("股息率", "股利率")).version
    renamed = make_schema("other", attributes=schema.attributes, drivers=schema.drivers, links=schema.links)
    assert replace(renamed, name="own") == schema


def test_files_in_the_folder_of_resources_replace_shipped_ones(overrides: Path) -> None:
    (overrides / "attributes.toml").write_text(ATTRIBUTE, encoding="utf-8")
    assert [attribute.id for attribute in load_schema().attributes] == ["dividend_yield"]
    assert len(load_schema().drivers) == 8


def test_another_schema_is_a_folder_by_its_name_or_any_folder(overrides: Path, tmp_path: Path) -> None:
    write(overrides / "weather")
    write(tmp_path / "elsewhere")
    assert load_schema("weather") == load_schema("weather", folder=tmp_path / "elsewhere")
    with pytest.raises(ConfigurationError, match=r"there is no resource 'schema/absent/attributes\.toml'"):
        load_schema("absent")


@pytest.mark.parametrize("name", ["../links", "a/b", "", "A", "x" * 61])
def test_a_name_is_no_path(name: str) -> None:
    with pytest.raises(ConfigurationError, match="is no name of a schema"):
        load_schema(name)


def test_a_folder_lacks_no_file_and_holds_text(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "links.toml").write_bytes(b"\xff")
    with pytest.raises(ConfigurationError, match="is not UTF-8"):
        load_schema("own", folder=tmp_path)
    (tmp_path / "links.toml").unlink()
    with pytest.raises(ConfigurationError, match=r"there is no file .*links\.toml"):
        load_schema("own", folder=tmp_path)


@pytest.mark.parametrize(
    ("part", "old", "new", "line", "reason"),
    [
        ("attributes", '["security"]', '["security", "planet"]', 8, "unknown kind 'planet' in 'domain'"),
        ("attributes", '["security"]', "[]", 8, "'domain' names no kind"),
        ("attributes", '["security"]', '"security"', 8, "'domain' is a list of strings"),
        ("attributes", 'domain = ["security"]', "", 1, "'domain' names no kind"),
        ("attributes", 'zh = "股息率"\n', "", 1, "label 'zh' is missing"),
        ("attributes", '"dividend yield"\nd', '"  "\nd', 3, "label 'en' is missing"),
        ("attributes", '"The dividend', '"\\u0007The dividend', 4, "'description' is one line"),
        ("attributes", '"number"', '"colour"', 5, "'value' is one of number, text, entity, date"),
        ("attributes", '"number"', '"text"', 5, "a text has no quantity"),
        ("attributes", 'quantity = "percent"\n', "", 5, "a number has a quantity"),
        ("attributes", '"number"\nquantity = "percent"', '"entity"', 1, "'range' names no kind"),
        ("attributes", "single = true", 'single = "yes"', 7, "'single' is true or false"),
        ("attributes", "single = true", "singel = true", 7, "unknown key 'singel'"),
        ("attributes", 'cues = ["股息率",', 'cues = ["股息率", "",', 9, "cue '' is empty"),
        ("attributes", 'cues = ["股息率",', 'cues = [\n"股息率",\n"股",', 11, "cue '股' is a single character"),
        ("attributes", 'cues = ["股息率",', 'cues = ["股息率", "the",', 9, "'the' is a word that stands everywhere"),
        ("attributes", 'cues = ["股息率",', 'cues = ["股息率", "yi*ld",', 9, "has a '*' elsewhere"),
        ("attributes", 'cues = ["股息率",', 'cues = ["股息*",', 9, "has a '*' elsewhere"),
        ("attributes", 'cues = ["股息率",', 'cues = ["股息率", "Dividend Yield",', 9, "stands twice"),
        ("attributes", 'cues = ["', 'cues.good = ["', 9, "cues of an attribute have no direction"),
        ("attributes", "single = true", 'fibo = "fibo:Dividend"', 7, "'fibo:Dividend' is not the IRI of a term"),
        ("attributes", "single = true", 'fibo = "https://a.org/x> <y"', 7, "is not the IRI of a term"),
        ("attributes", "[dividend_yield]", "[Dividend-Yield]", 1, "is no id"),
        ("attributes", "[dividend_yield]", "[[dividend_yield]]", 1, "'dividend_yield' is not a table"),
        ("drivers", "cues.bad", "cues.ugly", 10, "direction 'ugly' is not one of good, bad, neutral"),
        ("drivers", '"大旱"', '"大旱", 7', 10, "'bad' is a list of strings"),
        ("drivers", '"大旱"', '"大旱", "大旱"', 10, "cue '大旱' stands twice"),
        ("drivers", "\n[weather.events.drought]", "\n# rain\n\n[weather.events.weather]", 8, "weather > weather"),
        ("drivers", "\n[weather.events.drought]", "\n[weather.events.insures]", 6, "'insures': it stands in links too"),
        ("drivers", "[weather.events.drought]", "[weather.event.drought]", 6, "unknown key 'event'"),
        ("links", 'inverse_en = "is insured by"\n', "", 1, "label 'inverse_en' is missing"),
        ("links", "[insures]", "[insures]\nsymmetric = true", 9, "domain and range of a symmetric link are the same"),
        ("links", "[insures]", "# again\n[dividend_yield]", 2, "'dividend_yield': it stands in attributes too"),
        ("links", "[insures]", "[insures]\nbroader = 'owns'", 2, "unknown key 'broader'"),
    ],
)  # fmt: skip
def test_a_bad_schema_is_refused_with_the_file_the_line_and_the_reason(
    part: str, old: str, new: str, line: int, reason: str
) -> None:
    assert TEXTS[part].count(old) == 1
    with pytest.raises(ConfigurationError) as refusal:
        own(**{part: TEXTS[part].replace(old, new)})
    assert str(refusal.value).startswith(f"schema/{part}.toml line {line}: ")
    assert reason in str(refusal.value)


def test_drivers_that_stand_below_one_another_are_refused_as_a_cycle() -> None:
    drivers = "".join(DRIVER.replace("weather", one).replace("s.drought", f"s.{two}") for one, two in ("ab", "ba"))
    with pytest.raises(ConfigurationError, match=r"line 6: a cycle: .*\(a > b > a\)"):
        own(drivers=drivers)


def test_a_type_that_is_defined_twice_is_refused_by_line() -> None:
    with pytest.raises(ConfigurationError, match=r"schema/links\.toml is not valid TOML: .*insures.*line 12"):
        own(links=f"{LINK}\n{LINK}")


def test_lines_are_counted_whatever_ends_them() -> None:
    windows = ATTRIBUTE.replace("single", "singel").replace("\n", "\r\n")
    with pytest.raises(ConfigurationError, match="line 7: unknown key 'singel'"):
        own(attributes=windows)


def test_a_text_that_is_nested_without_end_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="not valid TOML"):
        own(links="a = " + "[" * 100_000)


@pytest.mark.parametrize("part", PARTS)
def test_the_line_of_every_shipped_key_is_found(part: str) -> None:
    lines = resources.read_text(f"schema/{part}.toml").splitlines()
    table = resources.load_toml(f"schema/{part}.toml")
    for key, values in list(table.items())[:3]:
        assert lines[line_of("\n".join(lines), [key]) - 1] == f"[{key}]"
        assert lines[line_of("\n".join(lines), [key, "en"]) - 1].startswith("en = ")
        for cue in values["cues"][:9:4] if isinstance(values.get("cues"), list) else ():
            assert f'"{cue}"' in lines[line_of("\n".join(lines), [key, "cues", cue]) - 1]
