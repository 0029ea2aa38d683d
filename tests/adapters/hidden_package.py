"""What a statement says where a package is not installed, in a process of its own: it may be installed here."""

import subprocess
import sys


def said_without(package: str, *statements: str) -> str:
    """What is printed as an error when the import system takes the package for absent."""
    program = "\n".join(["import sys", f"sys.modules[{package!r}] = None", *statements])
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return ran.stderr
