# The commands of the project. `make` without a target lists them.

VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PYTHON ?= $(shell .ci/pythons | head -n 1 | cut -d' ' -f2)
WORKERS ?= 2
PYTEST_ARGS ?=
RULES ?= after-compact,context

# A test run starts hundreds of processes, which share bytecode that is written once.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow lint types unit bench generate docs fuzz golden test-pythons format lock build plugins clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile

$(STAMP): pyproject.toml requirements-dev.lock
	@test -n "$(PYTHON)" || { echo "no CPython 3.11 or newer with venv and pip was found; set PYTHON=…" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(STAMP) ## install into .venv and run a demo: an agent with three reminders
	@$(BIN)/harnlite run --trace examples/demo/steered.harn

test: lint types unit ## run all checks: ruff, mypy, the layers, the tests (about 5 minutes)

lint: $(STAMP) ## check the code with ruff
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo "run: make format" >&2; exit 1; }

types: $(STAMP) ## check the types with mypy --strict
	@$(BIN)/mypy

unit: $(STAMP) ## run only the tests; select some with PYTEST_ARGS="-k name"
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

test-slow: $(STAMP) ## run the slow tests, and the full number of examples where `make test` runs a sample
	@HARNLITE_FULL=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal --timeout 600 -m "slow or sampled or hypothesis" $(PYTEST_ARGS)

bench: $(STAMP) ## check the speed, as ratios to hand-written Python in the same run
	@$(BIN)/python -m tests.bench

generate: $(STAMP) ## regenerate parser tables, table of models, digest and index of the builtins, pages, editor files
	@$(BIN)/python -m harnlite.syntax.table_generator
	@$(BIN)/python -m harnlite.models.table_generator
	@$(BIN)/python -m harnlite.library.indexing
	@$(BIN)/python -m harnlite.analysis.builtins.digest
	@$(BIN)/python -m harnlite.docs

docs: generate ## same as `make generate`

fuzz: $(STAMP) ## compare optimised and plain code on COUNT generated programs and 20 times as many expressions
	@HARNLITE_FUZZ=$(or $(COUNT),5000) $(BIN)/python -m pytest -q tests/property --timeout 36000

golden: $(STAMP) ## regenerate the expected outputs; fail if they differ from the committed ones
	@$(BIN)/python -m pytest -q tests/language tests/llm/wire tests/test_examples.py $(wildcard tests/syntax) --golden
	@git diff --exit-code -- tests examples

test-pythons: ## run the tests on every installed CPython from 3.11 on
	@.ci/pythons | while read -r version python; do \
	  echo "== CPython $$version"; \
	  $(MAKE) --no-print-directory unit VENV=.venv-$$version PYTHON="$$python" </dev/null || exit 1; \
	done

format: $(STAMP) ## format the code with ruff
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --select I --fix .

lock: ## resolve the newest versions into requirements-dev.lock
	@rm -rf .venv-lock && $(PYTHON) -m venv .venv-lock
	@.venv-lock/bin/pip install --quiet --disable-pip-version-check '.[dev]'
	@{ head -n 1 requirements-dev.lock; .venv-lock/bin/pip freeze --exclude harnlite; } > .venv-lock/lock && mv .venv-lock/lock requirements-dev.lock && rm -rf .venv-lock

build: $(STAMP) ## build the sdist and the two wheels, one of them for Windows, in dist/
	@$(BIN)/python -m build --no-isolation --outdir dist . >/dev/null
	@HARNLITE_WHEEL=windows $(BIN)/python -m build --wheel --no-isolation --outdir dist . >/dev/null && ls dist

plugins: $(STAMP) ## build the plugins of Claude Code, Gemini CLI and opencode in dist/plugins; set RULES=a,b
	@$(BIN)/python -m harnlite.agent_hooks.install.plugin_folders dist/plugins "$(RULES)"

clean: ## remove everything that these commands have created
	rm -rf .venv .venv-* dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
