# Needs GNU make and Python 3.11 or newer, nothing else: everything is installed into .venv.
# Another Python: make lab PYTHON=python3.12

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check

# A stamp is as old as the last installation: it is made again when what is installed changed.
LAB_STAMP  := $(VENV)/.installed
TEST_STAMP := $(VENV)/.installed-test
SITE_STAMP := $(VENV)/.installed-site
SITE       := build/site
INPUTS     := pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help lab test corpora lint build site format clean
MAKEFLAGS += --no-print-directory

# A caller's own PYTHONPATH would put other packages before those of .venv.
unexport PYTHONPATH

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

lab: $(LAB_STAMP) ## install what the course needs and open it in JupyterLab
	@$(BIN)/minigrad lab

test: lint $(SITE_STAMP) ## install what the tests need and run every test
	@echo "== notebooks are up to date (minigrad build --check)"
	@$(BIN)/minigrad build --check
	@echo "== lessons print what they show (pytest --nbval lessons)"
	@$(BIN)/python -m pytest -q -n 2 --dist loadfile --nbval lessons
	@echo "== tests (pytest)"
	@$(BIN)/python -m pytest -q -n 2 --dist loadfile --timeout 300 --durations 15 --ignore tests/browser
	@echo "== the engine without its fast path (MINIGRAD_FASTPATH=0 pytest tests/engine tests/conformance)"
	@MINIGRAD_FASTPATH=0 $(BIN)/python -m pytest -q -n 2 --dist loadfile --timeout 300 tests/engine tests/conformance
	@echo "== notebooks in a real browser (pytest tests/browser)"
	@$(BIN)/python -m pytest -q --timeout 300 tests/browser

corpora: $(TEST_STAMP) ## judge every hostile and every honest answer of the tests, on thirty seeds
	@MINIGRAD_SEEDS=30 $(BIN)/python -m pytest -q -n 2 --dist loadfile --timeout 3600 tests/grading/hostile

lint: $(TEST_STAMP) ## check style, format, types and layers
	@echo "== style (ruff check)"
	@$(BIN)/ruff check --quiet --output-format concise
	@echo "== format (ruff format --check)"
	@$(BIN)/ruff format --check --quiet
	@echo "== types (mypy)"
	@$(BIN)/mypy
	@echo "== layers (lint-imports)"
	@$(BIN)/lint-imports --no-logo

build: $(TEST_STAMP) ## write lessons/, exercises/ and solutions/ from their source/ folders, and the index of names
	@$(BIN)/minigrad build
	@$(BIN)/python docs/names.py

site: $(SITE_STAMP) ## make the pages of the course in build/site, from the notebooks as they are, without the network
	@$(BIN)/python -m sphinx -q -E -W --keep-going -c docs -b html -d build/doctrees . $(SITE)
	@$(BIN)/python docs/links.py $(SITE)
	@echo "Open $(SITE)/index.html in a browser."

format: $(TEST_STAMP) ## let ruff put the code into its format and mend what it can
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

# torch alone and first: pip then takes the CPU build where it is offered one.
$(LAB_STAMP): $(INPUTS) | $(BIN)/python
	@echo "== torch 2.13.0 (a few minutes on a slow line)"
	@$(PIP) install --quiet --constraint constraints.txt torch==2.13.0
	@echo "== minigrad and JupyterLab"
	@$(PIP) install --quiet --constraint constraints.txt --editable .
	@touch $@

# Of nbgrader and nbdime the tests want the commands; what they add to JupyterLab is switched off in .venv again.
$(TEST_STAMP): $(LAB_STAMP)
	@echo "== what the tests need"
	@$(PIP) install --quiet --constraint constraints.txt --editable '.[test]'
	@cp -R tests/jupyter/. $(VENV)/etc/jupyter
	@touch $@

$(SITE_STAMP): $(LAB_STAMP)
	@echo "== what the site needs"
	@$(PIP) install --quiet --constraint constraints.txt --editable '.[site]'
	@touch $@
