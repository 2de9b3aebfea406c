# `make run` starts gradviz and `make test` tests it. Both work on a machine where nothing is set up yet.
#
# PYTHON is the interpreter (3.11 or newer). PIP_ARGS is passed to pip, and ARGS to gradviz, pytest, the
# benchmarks or the guide tool.

PYTHON ?= python3
PIP_ARGS ?=
ARGS ?=
export PYTHON PIP_ARGS

BIN := .venv/bin

.PHONY: run test test-all fuzz soak drive goldens lint bench env pictures architecture guide first-run lesson-runs scene-sketches translations pins docs release clean
.DEFAULT_GOAL := run

run: env
	@tools/system.sh run
	@$(BIN)/gradviz $(ARGS)

test: env
	@tools/system.sh test
	@tools/test.sh quick $(ARGS)

# Runs the sweeps too: every scene at every level in both themes, all seeds, whole generated corpora.
test-all: env
	@tools/system.sh test
	@tools/test.sh all $(ARGS)

# Opens thousands of damaged traces. ARGS is passed on, such as --count 20000 --seed 1.
fuzz: env
	@$(BIN)/python -m tests.fuzz $(ARGS)

# Uses the window for hours and fails if memory, threads, files or objects grow. ARGS is passed on, such as
# --runs 20 --steps 2000 --windows 5 for a short one. Ctrl+C ends it with the verdict so far.
soak: env
	@tools/system.sh test
	@$(BIN)/python -m tests.soak $(ARGS)

# Drives the real window with keys and mouse in each scenario, size and theme, and writes contact sheets to
# build/drive. ARGS is passed on, such as --short, or --only quiz --size 1280x800 --theme dark --quiet.
drive: env
	@tools/system.sh drive
	@$(BIN)/python -m tools.drive $(ARGS)

# Writes what exports and window make of all scenes and some programs to build/goldens. ARGS="--against HEAD~1"
# tells what differs from that commit, or ARGS="linear --no-grabs" writes the exports of one scene.
goldens: env
	@tools/system.sh run
	@$(BIN)/python -m tools.goldens $(ARGS)

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

# Updates the screenshots and the film in the README, in English, from the programs that it shows.
pictures: export LC_ALL := C.UTF-8
pictures: env
	@tools/system.sh run
	@$(BIN)/python -m tools.pictures

# Draws the layers of the package again, for CONTRIBUTING.md.
architecture: env
	@tools/system.sh run
	@$(BIN)/python -m tools.architecture

# Updates the numbers in the guide from recorded scenes, and draws its graphs and formulas. ARGS lists the pages; the default is all of them.
guide: env
	@$(BIN)/python -m tools.guide $(ARGS)

# Records the scene that the window shows at the start, while torch loads.
first-run: env
	@$(BIN)/python -m tools.first_run

# Records the runs of the shipped lessons, in each language.
lesson-runs: env
	@$(BIN)/python -m tools.lesson_runs

# Draws the graphs of the scenes small, for the library.
scene-sketches: env
	@$(BIN)/python -m tools.scene_sketches

# Adds new texts of the window to the translations, and compiles those. English has only texts with a number.
translations: env
	@find gradviz/viewer -name '*.py' | sort > .venv/sources
	@$(BIN)/pyside6-lupdate -silent -pluralonly -no-obsolete -locations none -source-language en @.venv/sources -ts resources/translations/gradviz_en.ts
	@for ts in $(filter-out %_en.ts,$(wildcard resources/translations/*.ts)); do \
		$(BIN)/pyside6-lupdate -silent -no-obsolete -locations none -source-language en @.venv/sources -ts $$ts; done
	@$(BIN)/pyside6-lrelease -silent resources/translations/*.ts

# Writes the installed versions to constraints.txt as the tested versions.
pins: env
	@{ grep '^#' constraints.txt; $(BIN)/python -m pip freeze --all --exclude pip --exclude-editable | sed 's/+cpu$$//'; } > .venv/pins
	@mv .venv/pins constraints.txt && touch .venv/made

# Builds the documentation site in build/docs/site, from docs/, the guide, the scenes and the docstrings.
docs:
	@tools/system.sh venv
	@$(PYTHON) -m venv .venv-docs
	@.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) -c constraints.txt -e '.[docs,record]'
	@.venv-docs/bin/python -m tools.site

# Builds the wheel and the source archive of a release in dist/, and tests them in clean environments.
release: env
	@tools/release.sh

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
