# `make run` and `make test` need a Python from 3.11 on with its module venv, and nothing else that is installed.
# Another Python than the first python3 of the PATH: make run PYTHON=/usr/local/bin/python3.13

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TOOLS := tools/node_modules
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps --no-compile

.PHONY: run test soak bless lock format clean

run: $(VENV)/project.done
	@exec $(BIN)/ludicitude serve

test: $(VENV)/project.done $(VENV)/tests.done $(TOOLS)/tools.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest

# The tests that take minutes.
soak: $(VENV)/project.done $(VENV)/tests.done
	$(BIN)/pytest -m soak

# Writes anew what tests compare with: transcripts, samples of events, the API document. Read the difference it makes.
bless: $(VENV)/project.done $(VENV)/tests.done
	LUDICITUDE_BLESS=1 $(BIN)/pytest -q tests/games/test_transcripts.py tests/games/test_stored_events.py
	LUDICITUDE_BLESS=1 $(BIN)/pytest -q tests/contract/test_examples.py
	$(BIN)/pytest -q tests/contract

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
	rm -rf $(VENV) $(TOOLS) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
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

# The linters of the API document. Without Node.js the tests that need them are left out; in CI they fail then.
$(TOOLS)/tools.done: tools/package.json tools/package-lock.json
	@if node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null; then \
		echo "Installing the tools that read the API document (once, about a minute)..."; \
		(cd tools && npm ci --ignore-scripts --silent) && touch $@; \
	else \
		echo "There is no Node.js from 20.19 on here: the tests that read the API document with its tools are left out."; \
	fi
