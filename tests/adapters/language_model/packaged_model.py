"""The packaged test model behind an address on the loopback, in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def packaged_model() -> Iterator[str]:
    """Its base URL, as long as it runs."""
    script = Path(__file__).with_name("serve_packaged_model.py")
    with subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout
        address = next(filter(None, (line[line.find("http") :].strip() for line in server.stdout if "http" in line)))
        yield f"{address}/v1"
        assert server.stdin
        server.stdin.close()
        server.stdout.read()
