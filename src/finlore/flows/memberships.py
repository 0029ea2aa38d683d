"""Lists of Shenwan classes, as files or in folders of prices: found, and turned into a request to import them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from finlore.errors import UsageError
from finlore.flows.importing import ImportRequest
from finlore.knowledge.imports.columns import columns_of_nodes
from finlore.knowledge.imports.nodes import read_nodes
from finlore.knowledge.memberships import RELATION, intervals, is_membership
from finlore.records.imported import UnreadableTable
from finlore.wiring.tables import read_table

_FILES: Final = ("shenwan_membership.parquet", "shenwan_membership.csv")


def memberships(file: Path, nodes: Sequence[Path], *, zone: str) -> ImportRequest | None:
    """The request for a list of classes, or for that in a folder of prices; None where there is none. Files of `nodes`
    give names to the classes."""
    path = next((path for name in _FILES if (path := file / name).is_file()), file)
    try:
        table = None if path.is_dir() else read_table(path)
        if table is None or not is_membership(table):
            return None
        names: dict[str, str] = {}
        for listed in map(read_table, nodes):
            names |= {node.id: node.name for node in read_nodes(listed, columns_of_nodes(listed.columns), zone=zone)}
    except (UnreadableTable, UsageError):
        return None  # said when it is imported
    return ImportRequest(path, RELATION, {}, table=intervals(table, names, zone=zone))
