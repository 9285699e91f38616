# Needs only GNU make and Python 3.11 or newer: everything is installed into .venv.
# Another Python: make lab PYTHON=python3.12

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check

# A stamp is as old as the last installation; when the inputs change, everything is installed again.
LAB_STAMP  := $(VENV)/.installed
TEST_STAMP := $(VENV)/.installed-test
SITE_STAMP := $(VENV)/.installed-site
VIEWS      := tests/views/node_modules/.package-lock.json
SITE       := build/site
LESSONS    := lessons
# The views of the explorers are copied into the environment when the package is installed.
INPUTS     := pyproject.toml constraints.txt $(wildcard minigrad_course/explorers/labextension/package.json \
	minigrad_course/explorers/labextension/static/*.js)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# `lessons` is also a folder.
.PHONY: help lab test general engine torches notebooks lessons corpora lint views build site format clean
MAKEFLAGS += --no-print-directory

# A caller's own PYTHONPATH would put other packages before those of .venv.
unexport PYTHONPATH
# Where nothing may be kept, each of some hundred processes would compile the course anew.
unexport PYTHONDONTWRITEBYTECODE

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile

lab: $(LAB_STAMP) ## install what the course needs and open it in JupyterLab
	@$(BIN)/minigrad lab

# Of small arrays, threads that wait for each other take twice the processor's time.
test .test engine notebooks corpora: export OMP_NUM_THREADS := 1
test .test engine notebooks corpora: export OPENBLAS_NUM_THREADS := 1

# Minutes in which every test has to be run, installation not counted.
LIMIT := 30
# A test has five, unless it says otherwise. Where it is stuck in C, no signal handler of Python runs, but faulthandler
# still ends its process, after what the longest may take.
TIMEOUT := --timeout 300 -o faulthandler_timeout=930 -o faulthandler_exit_on_timeout=true
# One worker more than cores: many tests wait for a kernel, a browser or a clock.
WORKERS := -n 3 --dist loadfile
# Written so, it is not run by `make --dry-run`, which has no .venv yet.
AGAIN = $(MAKE)

test: $(TEST_STAMP) $(SITE_STAMP) ## install what the tests need and run every test, in LIMIT=30 minutes at most
	@$(BIN)/python tests/limit.py $(LIMIT) $(AGAIN) .test

# The tests leave a quarter of two cores idle: what is checked without them runs beside, and is shown in one piece.
.PHONY: .test .checks .tests
.test:
	@$(MAKE) --jobs=2 .checks .tests

# `notebooks` runs every cell and compares every byte; one lesson shows that nbval, which compares less, finds the same.
.checks:
	@MAKEFLAGS= $(MAKE) --no-print-directory --jobs=2 --output-sync=target notebooks lint general lessons views \
	  LESSONS=lessons/00_start_here.ipynb

.tests:
	@echo "== tests (pytest)"
	@$(BIN)/python -m pytest -q $(WORKERS) $(TIMEOUT) --durations 15

# The programs of tests/conformance run without it in `test`. Left out here is what does not depend on it: how tensors are
# made, drawn, printed and saved, and the tests that switch it on and off themselves.
WITHOUT := creation data docstrings engine_parts fastpath lazy many_entries names_of_classes printing programs random \
	saving unsupported warnings
general: $(TEST_STAMP) ## test the engine without its fast path
	@echo "== the engine without its fast path (MINIGRAD_FASTPATH=0 pytest tests/engine)"
	@MINIGRAD_FASTPATH=0 MINIGRAD_EXAMPLES=100 $(BIN)/python -m pytest -q $(TIMEOUT) tests/engine \
	  $(WITHOUT:%=--ignore=tests/engine/test_%.py) -k "not small_stack and not at_once"

# What is installed is no longer what constraints.txt says: the next `make` installs that again.
engine: $(TEST_STAMP) ## test the engine with another numpy: make engine NUMPY='2.5.*'
	@echo "== the engine with numpy $(NUMPY) (pytest tests/engine tests/conformance)"
	@rm -f $(TEST_STAMP)
	@$(PIP) install --quiet 'numpy==$(NUMPY)'
	@$(BIN)/python -m pytest -q $(WORKERS) $(TIMEOUT) tests/engine tests/conformance

torches: $(TEST_STAMP) ## write down what other torches print: make torches PYTHONS="/tmp/t214/bin/python …"
	@echo "== what the programs of tests/conformance print on the torch of each Python"
	@$(BIN)/python tests/conformance/texts.py $(or $(PYTHONS),$(BIN)/python)
	@$(BIN)/python docs/changes.py

notebooks: $(TEST_STAMP) ## check that every notebook matches its source
	@echo "== notebooks are up to date (minigrad build --check)"
	@$(BIN)/minigrad build --check

lessons: $(TEST_STAMP) ## run the lessons and compare what they print
	@echo "== lessons print what they show (pytest --nbval $(LESSONS))"
	@$(BIN)/python -m pytest -q --nbval $(LESSONS)

corpora: $(TEST_STAMP) ## judge every hostile and every honest answer of the tests, on thirty seeds
	@MINIGRAD_SEEDS=30 $(BIN)/python -m pytest -q -n 2 --dist loadfile --timeout 3600 tests/grading/hostile \
	  tests/course/test_decisions.py tests/course/test_parts.py tests/course/test_wrong_answers.py

lint: $(TEST_STAMP) ## check style, format, types and layers
	@echo "== style (ruff check)"
	@$(BIN)/ruff check --quiet --output-format concise
	@echo "== format (ruff format --check)"
	@$(BIN)/ruff format --check --quiet
	@echo "== types (mypy)"
	@$(BIN)/mypy
	@echo "== layers (lint-imports)"
	@$(BIN)/lint-imports --no-logo

# Skipped without node, which CI must have.
views: ## check the explorers' JavaScript, if node is installed
	@if command -v npm >/dev/null; then $(MAKE) .views; elif [ -n "$$CI" ]; then echo "node is missing" >&2; exit 1; \
	  else echo "== views of the explorers: not checked, there is no node here"; fi

.PHONY: .views
.views: $(VIEWS)
	@echo "== views of the explorers (node --test, eslint)"
	@node --test --test-reporter dot tests/views/views.test.js
	@tests/views/node_modules/.bin/eslint --config tests/views/eslint.config.js minigrad_course docs/theme tests/views/*.js

$(VIEWS): $(wildcard tests/views/package-lock.json)
	@cd tests/views && npm ci --silent --no-progress
	@touch $@

build: $(TEST_STAMP) ## write lessons/, exercises/ and solutions/ from their source/ folders, and the index of names
	@$(BIN)/minigrad build
	@$(BIN)/python docs/names.py
	@$(BIN)/python docs/changes.py

site: $(SITE_STAMP) ## build the website in build/site from the existing notebooks, without the network
	@$(BIN)/python -m sphinx -q -E -W --keep-going -c docs -b html -d build/doctrees . $(SITE)
	@$(BIN)/python docs/links.py $(SITE)
	@echo "Open $(SITE)/index.html in a browser."

format: $(TEST_STAMP) ## let ruff format the code and fix what it can
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

clean: ## remove .venv and all caches
	@rm -rf $(VENV) dist build .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@command -v "$(PYTHON)" >/dev/null || { \
	  echo "There is no '$(PYTHON)' here: install Python 3.11 or newer, or name it: make lab PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "minigrad needs Python 3.11 or newer, and '$(PYTHON)' is $$("$(PYTHON)" -V 2>&1): try make lab PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "'$(PYTHON)' has no venv module: on Debian or Ubuntu, sudo apt install python3-venv" >&2; exit 1; }
	@echo "== virtual environment ($(VENV))"
	@"$(PYTHON)" -m venv $(VENV)

# torch alone and first: pip then takes the CPU build if one is offered. A torch that is there already stays.
$(LAB_STAMP): $(INPUTS) | $(BIN)/python
	@grep -v '^torch==' constraints.txt >$(VENV)/constraints.txt
	@there=$$($(BIN)/python -c 'import importlib.metadata as m; print(m.version("torch"))' 2>/dev/null) && \
	  echo "== torch $$there is there" || { echo "== torch 2.13.0 (a few minutes on a slow line)"; \
	  $(PIP) install --quiet --constraint constraints.txt torch==2.13.0; }
	@echo "== minigrad and JupyterLab"
	@$(PIP) install --quiet --constraint $(VENV)/constraints.txt --editable '.[grade]'
	@touch $@

# The tests need only the commands of nbgrader and nbdime; their JupyterLab extensions are switched off in .venv.
$(TEST_STAMP): $(LAB_STAMP)
	@echo "== what the tests need"
	@$(PIP) install --quiet --constraint $(VENV)/constraints.txt --editable '.[test]'
	@cp -R tests/jupyter/. $(VENV)/etc/jupyter
	@touch $@

$(SITE_STAMP): $(LAB_STAMP)
	@echo "== what the site needs"
	@$(PIP) install --quiet --constraint $(VENV)/constraints.txt --editable '.[site]'
	@touch $@
