# Every target works in .venv and first creates it if it is missing. `make help` lists the targets.

PYTHON ?= python3
ARGS ?=
SEED ?=

# Without .pyc files, each of the many processes of tests and lint would compile ddsr again.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
RUN := $(VENV)/bin/python
# -qq shows errors only, without a line for each package that is already installed.
PIP_INSTALL := $(RUN) -m pip install -qq --disable-pip-version-check --no-input -c constraints.txt

NATIVE_SOURCES := CMakeLists.txt $(shell find cmake core -type f)
CPP_FILES := $(shell find core -name '*.hpp' -o -name '*.cpp')
PYTHON_FOLDERS := $(wildcard src tests benchmarks srbench docs)

SETUP := $(VENV)/.setup
PEERS := $(VENV)/.setup-peers
DOCS := $(VENV)/.setup-docs
WHEEL := $(VENV)/.setup-wheel

.DEFAULT_GOAL := help
.PHONY: help setup setup-peers demo test test-slow test-perturbed lint format bench bench-engine bench-epoch price results sanitize \
	sanitized-core trust docs gallery figures wheel test-wheel sdist clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

setup: $(SETUP)  ## create .venv with ddsr, and rebuild the core if its sources changed

setup-peers: $(PEERS)  ## install the peers that ddsr is compared with in .venv

demo: $(SETUP)  ## find an equation in built-in data
	@$(RUN) -m ddsr demo $(ARGS)

test: $(SETUP)  ## run the tests; ARGS="-k grammar" goes to pytest
	@$(RUN) -m pytest -q -n 2 --dist worksteal $(ARGS) tests

test-slow: $(SETUP)  ## run the tests that take more than a few seconds each
	@$(RUN) -m pytest -q -n 2 -m slow $(ARGS) tests

test-perturbed: $(SETUP)  ## run the tests on kernels whose results differ in their last bits; SEED=2 changes other bits
	@scripts/test_perturbed $(RUN) $(or $(SEED),1) $(ARGS)

lint: $(SETUP)  ## check format, style and types: ruff, mypy --strict, clang-format
	@$(RUN) -m ruff format --check $(PYTHON_FOLDERS)
	@$(RUN) -m ruff check $(PYTHON_FOLDERS)
	@$(RUN) -m mypy --strict
	@$(VENV)/bin/clang-format --dry-run --Werror $(CPP_FILES)

format: $(SETUP)  ## format the files as `make lint` requires
	@$(RUN) -m ruff check --quiet --fix --exit-zero $(PYTHON_FOLDERS)
	@$(RUN) -m ruff format --quiet $(PYTHON_FOLDERS)
	@$(VENV)/bin/clang-format -i $(CPP_FILES)

bench: $(SETUP)  ## measure how often the search recovers known equations
	@$(RUN) -m benchmarks.recovery $(ARGS)

bench-engine: $(PEERS)  ## compare the engine's speed with its peers
	@$(RUN) -m benchmarks.engine $(ARGS)

bench-epoch: $(SETUP)  ## time an epoch of the preset paper; ARGS="--device cuda --together 16x1,4x8" for several searches
	@$(RUN) -m benchmarks.epoch $(ARGS)

price: $(SETUP)  ## learn the prices of structures from the corpus, and measure them on fields left out
	@$(RUN) -m benchmarks.structure_code $(ARGS)

results: $(SETUP)  ## write the results in README.md, docs/results.md and docs/paper.md from benchmarks/results/
	@$(RUN) -m benchmarks.kept

sanitized-core: $(SETUP)  ## build the core for `make sanitize`
	@scripts/build_sanitized $(RUN) $(or $(SEED),0)

sanitize: $(SETUP)  ## run the tests on a core built with AddressSanitizer and UBSan; SEED=2 perturbs it, too
	@scripts/test_sanitized $(RUN) $(or $(SEED),0) $(ARGS)

trust: $(SETUP)  ## try to break ddsr: kills, faults, awkward data, fuzzing; ARGS="--minutes 10" is a short version
	@$(RUN) -m benchmarks.trust $(ARGS)

# The variable silences the theme's notice that its support ends in 2027.
docs: $(DOCS)  ## build the documentation's site in site/; a warning is an error
	@NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict $(ARGS)
	@$(RUN) -m docs.check_site site

gallery: $(SETUP)  ## run the gallery's examples and redraw their pictures
	@$(RUN) -m docs.gallery.make

figures: $(SETUP)  ## redraw the figures of docs/how.md
	@$(RUN) -m docs.figures.make

wheel: $(WHEEL)  ## build a wheel in dist/; on Linux for all systems with glibc 2.28 or newer
	@scripts/build_wheel $(RUN)

test-wheel: wheel  ## install the wheel in a new environment outside the checkout, and run the tests there
	@scripts/test_wheel $(RUN) $(ARGS)

sdist: $(SETUP)  ## write the source distribution in dist/
	@$(RUN) -c 'from scikit_build_core.build import build_sdist as build; print("dist/" + build("dist"))'

clean:  ## remove .venv and everything built
	rm -rf $(VENV) build dist site .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# The build folder (build/, see pyproject.toml) is kept, so only changed files in core/ are compiled.
$(SETUP): pyproject.toml constraints.txt $(NATIVE_SOURCES)
	@PYTHON="$(PYTHON)" scripts/check_machine
	@test -e $(SETUP) || echo "setting up $(VENV) (a few minutes the first time)"
	@test ! -e $(SETUP) || echo "bringing $(VENV) up to date"
	@$(RUN) -m pip --version >/dev/null 2>&1 || "$(PYTHON)" -m venv $(VENV)
	@$(PIP_INSTALL) scikit-build-core nanobind cmake ninja
	@$(PIP_INSTALL) --no-build-isolation -e '.[dev]'
	@touch $@

$(PEERS): $(SETUP)
	@echo "adding the peers to $(VENV)"
	@$(PIP_INSTALL) --no-build-isolation -e '.[bench,cluster,peers]'
	@touch $@

$(DOCS): $(SETUP)
	@echo "adding what builds the documentation to $(VENV)"
	@$(PIP_INSTALL) --no-build-isolation -e '.[docs]'
	@touch $@

$(WHEEL): $(SETUP)
	@echo "adding what repairs wheels to $(VENV)"
	@$(PIP_INSTALL) --no-build-isolation -e '.[wheel]'
	@touch $@
