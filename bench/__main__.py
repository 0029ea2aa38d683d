"""All benchmarks, one after the other; each prints its table and saves its JSON under ``bench/results``.

usage: python bench --data FOLDER
"""

import argparse
import subprocess
import sys
from pathlib import Path

BENCHMARKS = ("multihop", "build", "intake", "extraction", "scale", "crash", "backtest", "backtest_engine")


def main() -> int:
    """The number of benchmarks that failed."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--data", type=Path, required=True)
    options = arguments.parse_args()
    failed = 0
    for name in BENCHMARKS:
        print(f"== {name}", flush=True)
        script = Path(__file__).with_name(f"{name}.py")
        failed += subprocess.run([sys.executable, script, "--data", options.data], check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
