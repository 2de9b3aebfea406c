# `make run` starts gradviz and `make test` tests it, each on a machine where nothing was set up before.
#
# PYTHON names the interpreter (3.11 or newer), PIP_ARGS goes to pip, ARGS to gradviz or pytest.

PYTHON ?= python3
PIP_ARGS ?=
ARGS ?=
export PYTHON PIP_ARGS

BIN := .venv/bin

.PHONY: run test lint bench env pictures guide pins clean
.DEFAULT_GOAL := run

run: env
	@tools/system.sh run
	@$(BIN)/gradviz $(ARGS)

test: env
	@tools/system.sh test
	@tools/test.sh $(ARGS)

lint: env
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: env
	@tools/system.sh run
	@$(BIN)/python -m benchmarks $(ARGS)

env: .venv/made

.venv/made: pyproject.toml constraints.txt tools/environment.sh
	@tools/environment.sh

# Takes the README's pictures anew.
pictures: env
	@tools/system.sh run
	@$(BIN)/gradviz screenshot --scene functional-linear --step 5/backward/line3 --size 1440x900 docs/window.png
	@$(BIN)/gradviz screenshot --scene linear-wrong --tab jacobians --theme dark --size 1440x900 docs/jacobians.png
	@$(BIN)/gradviz screenshot --scene linear-wrong --tab compare --with linear --step 5 --size 1440x900 docs/compare.png

# Fills the numbers of the guide's pages in from recorded scenes; ARGS names pages, or all are meant.
guide: env
	@$(BIN)/python -m tools.guide $(ARGS)

# Writes the versions that are installed now as the tested ones.
pins: env
	@{ grep '^#' constraints.txt; $(BIN)/python -m pip freeze --all --exclude pip --exclude-editable | sed 's/+cpu$$//'; } > .venv/pins
	@mv .venv/pins constraints.txt && touch .venv/made

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
