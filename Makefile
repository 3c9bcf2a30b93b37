# `make run` and `make test` need a Python from 3.11 on with its module venv, and nothing else that is installed.
# Another Python than the first python3 of the PATH: make run PYTHON=/usr/local/bin/python3.13

PYTHON ?= python3
VENV := .venv
NODE_TOOLS := tools/node_modules/all.done
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps --no-compile

.PHONY: run test sdk soak bench bench-quick bench-sse bench-large bench-profile bless lock format clean node-tools release-document

run: $(VENV)/project.done
	@exec $(BIN)/ludicitude serve

# The tests wait much for databases and servers, so a process of them for each core is worth it. The files are taken in their
# order, in which the long ones do not come last.
test: $(VENV)/project.done $(VENV)/tests.done node-tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest --numprocesses logical --maxprocesses 4 --no-loadscope-reorder

# Only the generated clients: makes them by the table of docs/sdk.md, checks them, plays with them.
sdk: $(VENV)/project.done $(VENV)/tests.done node-tools
	$(BIN)/pytest tests/sdk

# The tests that take minutes.
soak: $(VENV)/project.done $(VENV)/tests.done
	$(BIN)/pytest -m soak

# Speed, on a PostgreSQL of its own and beside what others do in the same minute; docs/performance.md says what is measured and how.
# It takes 7 minutes, and 2 without the peers that have to be installed; nothing else should be going on meanwhile.
bench bench-quick bench-large bench-profile: $(VENV)/project.done $(VENV)/tests.done
	$(BIN)/python -m bench $(or $(patsubst bench-%,%,$(filter bench-%,$@)),full)

bench-sse: $(VENV)/project.done $(VENV)/tests.done
	$(BIN)/python -m bench streams

# Writes anew what tests compare with: transcripts, samples of events, the API document. Read the difference it makes.
bless: $(VENV)/project.done $(VENV)/tests.done
	LUDICITUDE_BLESS=1 $(BIN)/pytest -q tests/games/test_transcripts.py tests/games/test_stored_events.py
	LUDICITUDE_BLESS=1 $(BIN)/pytest -q tests/contract/test_examples.py
	LUDICITUDE_BLESS=1 $(BIN)/pytest -q tests/doors
	LUDICITUDE_BLESS=1 $(BIN)/pytest -q tests/docs
	$(BIN)/pytest -q tests/contract

# From then on a change of the API document that breaks its clients fails a test.
release-document: $(VENV)/project.done $(VENV)/tests.done
	$(BIN)/pytest -q tests/contract
	$(BIN)/python -m tests.contract.release

format: $(VENV)/tests.done
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# After a change of the dependencies in pyproject.toml. Versions that still fit stay as they are.
lock: $(VENV)/tests.done
	$(BIN)/uv pip compile pyproject.toml --group build --universal --python-version 3.11 \
		--generate-hashes --no-header --quiet --output-file requirements.lock
	$(BIN)/uv pip compile pyproject.toml --group build --group test --universal --python-version 3.11 \
		--generate-hashes --no-header --quiet --constraints requirements.lock --output-file requirements-test.lock

# Everything that make can make again. The matches in .data stay.
clean:
	rm -rf $(VENV) tools/node_modules dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

# A file .done stands for what was installed in full. Whatever is interrupted has none, and is made anew from nothing.

$(VENV)/runtime.done: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed. If you have one under another name: make run PYTHON=python3.13" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "This Python has no venv. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo "Installing what the service needs (once, less than a minute)..."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(INSTALL) --require-hashes -r requirements.lock
	@touch $@

$(VENV)/project.done: $(VENV)/runtime.done pyproject.toml
	@$(INSTALL) --no-index --no-build-isolation --editable .
	@touch $@

$(VENV)/tests.done: $(VENV)/runtime.done requirements-test.lock
	@echo "Installing what the tests need (once, less than a minute)..."
	@mv $(VENV)/runtime.done $(VENV)/runtime.unsure
	@$(INSTALL) --require-hashes -r requirements-test.lock
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib  # Or else the tests, to whom warnings are errors, would meet those of the compiler.
	@mv $(VENV)/runtime.unsure $(VENV)/runtime.done
	@touch $@

# Generators of clients and readers of the API document that are written for Node. The tests that need them say that they
# are skipped on a machine without it.
ifneq ($(shell command -v npm),)
node-tools: $(NODE_TOOLS)
else
node-tools:
	@echo "No Node here: TypeScript clients and some readings of the API document are not tested."
endif

$(NODE_TOOLS): tools/package.json tools/package-lock.json tools/.npmrc
	@echo "Installing the tools of Node (once, less than a minute)..."
	@npm ci --prefix tools --ignore-scripts --no-progress --loglevel=error
	@touch $@
