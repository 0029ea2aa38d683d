"""Schemas are data; a bad one is refused with the file, the line and the reason."""

from finlore.knowledge.schema import load_schema


def test_the_shipped_schema_has_the_relations_of_finkario_and_links_beyond_them() -> None:
    schema = load_schema()
    assert (len(schema.attributes), len(schema.drivers)) == (11, 8)
    assert {"owns", "supplies", "guarantees"} <= {link.id for link in schema.links}
