"""Where the shipped words and names come from is said beside them."""

from importlib.resources import files
from pathlib import Path

import pytest

DATA = Path(str(files("finlore") / "data"))


@pytest.mark.parametrize("folder", ["lexicon", "market", "names", "published"])
def test_the_readme_of_a_folder_names_each_of_its_files(folder: str) -> None:
    readme = (DATA / folder / "README.md").read_text(encoding="utf-8")
    shipped = {path.name for path in (DATA / folder).iterdir()} - {"README.md"}
    assert shipped
    assert [name for name in sorted(shipped) if f"`{name}`" not in readme] == []
