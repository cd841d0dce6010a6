# The verbs of the project. `make demo` and `make test` need Python 3.11 or later, nothing else prepared.
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python
PIP := $(RUN) -m pip install --quiet --disable-pip-version-check
NO_PACKAGES := { echo "pip could not install what is needed (see above). Without a network, point pip at a local index or folder: PIP_INDEX_URL or PIP_FIND_LINKS."; exit 1; }
PYTEST := $(BIN)/pytest -q
KERNEL_TESTS = $(shell grep -rl --include="test_*.py" "mark\.kernels" tests)
JAVA := $(wildcard tests/interop tests/spark)
SLICES := $(wildcard tests/commands tests/broker tests/interop tests/crash tests/hostile tests/spark)
HAS_JAVA := $(and $(shell command -v mvn),$(shell command -v java))
NO_JAVA := skipped: tests against real Kafka, which need Maven and a JDK (mvn and java on PATH)
SEEDS ?= 1-5000
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
# Tests run side by side: those that compute in as many processes as there are processors, those that
# mostly wait for brokers and clients in twice as many. A file's tests stay together and in their order.
# See docs/testing.md.
WORKERS ?= $(JOBS)
SOAK_SECONDS ?= 600
FUZZ_SECONDS ?= 600
MINUTES ?= 10
WAITING ?= $(shell echo $$((2 * $(WORKERS))))
export PYTHONHASHSEED ?= 0

.PHONY: help python env demo-env kernels check format unit pure slices java demo test long interop spark \
	crash soak chaos sim sim-cluster fuzz bench wheels docs docs-site clean distclean

help:            ## the verbs
	@grep -hE '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

# What pip installs goes by this stamp: the demo's packages first, then those of the developers.
# pip is told not to compile: the verb `kernels` does, once.
define install
	@test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV): barnabas$(1). The first time this takes some minutes and up to 1 GB"
	@$(PIP) --upgrade 'setuptools>=77' 'cython>=3.1' wheel || $(NO_PACKAGES)
	@BARNABAS_KERNELS=pure $(PIP) --no-build-isolation --editable '.$(1)' || $(NO_PACKAGES)
	@touch $@
endef

python:
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON). Install Python 3.11 or later, or name one: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "barnabas needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) -V). Name another: make PYTHON=python3.12 ..."; exit 1; }
	@test -x $(RUN) || $(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "$(PYTHON) has no venv module. Debian and Ubuntu: sudo apt-get install python3-venv. Fedora: sudo dnf install python3-pip."; exit 1; }

$(VENV)/.demo: pyproject.toml setup.py | python
	$(call install,[demo])

$(VENV)/.dev: pyproject.toml setup.py | python
	$(call install,[dev])

# What `make env` has installed has all of it.
demo-env: $(firstword $(wildcard $(VENV)/.dev) $(VENV)/.demo)
	@$(MAKE) --no-print-directory kernels

env: $(VENV)/.dev   ## the virtual environment with everything in it
	@$(MAKE) --no-print-directory kernels

kernels: | python         ## compile the kernels beside their sources, where older
	@$(RUN) setup.py --quiet build_ext --inplace
	@$(RUN) -m compileall -q src

check: env       ## style, types, import contracts
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: env      ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

unit: env        ## unit, property, oracle, vector and install tests
	$(PYTEST) -n $(WORKERS) --dist loadfile -m "not long" $(wildcard tests/unit tests/benchmarks tests/client tests/property tests/simulation tests/oracle tests/vectors tests/packaging)

pure: env        ## the kernel tests again, on the uncompiled kernels
	BARNABAS_KERNELS=pure $(PYTEST) -n $(WORKERS) --dist loadfile -m "kernels and not long" $(KERNEL_TESTS)

slices: env      ## a short slice of interop, crash, spark
ifneq ($(SLICES),)
	$(PYTEST) -n $(WAITING) --dist loadfile -m "not long and not java and not spark" $(SLICES)
	$(PYTEST) -n $(WORKERS) --dist loadfile -m "spark and not long and not java" $(SLICES)
endif

java: env        ## real Kafka and Spark's own connector, where Maven and a JDK are installed
ifneq ($(HAS_JAVA),)
	$(PYTEST) -n $(WAITING) --dist loadfile -m "java and not long" $(JAVA) || test $$? = 5
else
	@echo "$(NO_JAVA)"
endif

test: check unit pure slices java   ## everything CI runs
	@echo "make test: all passed$(if $(HAS_JAVA),,; $(NO_JAVA))"

long: env        ## the tests that take minutes each, hours in all (against real Kafka where Java is)
	@begun=$$SECONDS; $(PYTEST) -n $(WORKERS) --dist loadfile --durations 15 \
		-m "long $(if $(HAS_JAVA),,and not java)" tests; code=$$?; \
	echo "make long: $$((SECONDS - begun)) seconds$(if $(HAS_JAVA),,; $(NO_JAVA))"; exit $$code

interop: env     ## every peer, real Kafka included; writes docs/compatibility.md
	BARNABAS_COMPATIBILITY=docs/compatibility.json $(PYTEST) tests/interop
	$(RUN) docs/make_compatibility.py

spark: env       ## the connector, Spark's own one included
	$(PYTEST) tests/spark

crash: env       ## kill the broker under load, again and again
	$(PYTEST) tests/crash

soak: env        ## brokers and consumers of 0.7 that come and go, for minutes (SOAK_SECONDS=600)
	BARNABAS_SOAK_SECONDS=$(SOAK_SECONDS) $(PYTEST) tests/interop/copies/test_soak07.py

chaos: env       ## brokers as processes that are killed, paused and cut off, for minutes (MINUTES=10)
	$(RUN) -m tests.chaos --minutes $(MINUTES)

sim: env         ## thousands of seeded runs in virtual time (SEEDS=1-5000 JOBS=2)
	$(RUN) -m sim --seeds $(SEEDS) --jobs $(JOBS)

sim-cluster: env ## the same of several brokers and their ZooKeeper
	$(RUN) -m sim --cluster --seeds $(SEEDS) --jobs $(JOBS)

fuzz: env        ## hostile bytes, for minutes
	$(RUN) -m fuzz
	$(RUN) -m fuzz.kernels --seconds $(FUZZ_SECONDS)

bench: env       ## measure the figures and the chart of docs/speed.md (ONLY=requests ROUNDS=3)
	$(RUN) -m benchmarks

wheels: | python ## build a wheel for each Python here, and try it without a compiler
	@$(MAKE) --no-print-directory demo-env
	$(RUN) release/wheels.py

demo: demo-env   ## a year of flights through the broker and Spark
	@$(BIN)/barnabas demo

docs: env        ## write what is generated in docs/
	$(RUN) docs/make_compatibility.py
	$(RUN) docs/make_configuration.py
	$(RUN) docs/make_protocol.py

docs-site: env   ## the documentation as a site with search, in build/site; a broken link fails
	$(RUN) docs/make_site.py

clean:           ## remove what was built, but not .venv
	rm -rf build dist *.egg-info src/*.egg-info
	find src/barnabas -name '*.so' -delete -o -name '*.c' -delete
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis demo-output

distclean: clean ## remove .venv too
	rm -rf $(VENV)
