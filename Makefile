# The verbs of the project. `make demo` and `make test` need Python 3.11+ and nothing else prepared.
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python
export PYTHONHASHSEED ?= 0

.PHONY: help env kernels check format unit pure demo test interop spark crash fuzz bench clean

help:            ## the verbs
	@grep -hE '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 20

env: $(VENV)/.ready kernels   ## the virtual environment with everything in it

$(VENV)/.ready: pyproject.toml setup.py
	@$(PYTHON) -c 'import sys; sys.exit("barnabas needs Python 3.11 or later; this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "This Python has no venv module. Debian and Ubuntu: apt-get install python3-venv; or set PYTHON=..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip setuptools wheel
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

kernels: $(VENV)/.ready        ## compile the kernels beside their sources, where older
	@$(RUN) -m benchmarks.build_kernels

check: env       ## style, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports

format: env      ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

unit: env        ## unit, property and oracle tests
	$(BIN)/pytest tests/unit tests/property tests/oracle -q

pure: env        ## the kernel tests again, on the uncompiled kernels
	BARNABAS_KERNELS=pure $(BIN)/pytest tests -q -m kernels

test: check unit pure   ## everything CI runs

clean:           ## remove what was built
	rm -rf build dist *.egg-info src/*.egg-info src/barnabas/kernels/*.so src/barnabas/kernels/*.c .mypy_cache .ruff_cache .pytest_cache
