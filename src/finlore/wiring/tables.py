"""Files of tables and graphs -> rows, by the importer of their suffix."""

from pathlib import Path

from finlore import registry
from finlore.errors import UsageError
from finlore.ports import Importer
from finlore.records.imported import ImportedTable, UnreadableTable

MOST_BYTES = 4 * 1024**3


def read_table(file: Path) -> ImportedTable:
    """The table in a file. UsageError where no importer reads such files; UnreadableTable where it cannot be read."""
    found = {
        suffix: importer for importer in registry.load_available("importers").values() for suffix in importer.suffixes
    }
    adapter = found.get(file.suffix.lower())
    if adapter is None:
        raise UsageError(f"{file.name} is of no kind that can be imported", hint=f"known: {', '.join(sorted(found))}")
    importer: Importer = adapter()
    try:
        if not file.is_file():
            raise UsageError(f"there is no file {file}")
        if file.stat().st_size > MOST_BYTES:
            raise UnreadableTable(f"it is larger than {MOST_BYTES >> 30} GB")
        return importer.read(file)
    except OSError as error:
        raise UnreadableTable(error.strerror or str(error)) from error
