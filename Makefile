# make quickstart   install, train on the sample data, translate, score
# make test         install, lint, run the test suite
# make install      the virtual environment alone
# make readme       put measured output into README.md and docs/
# PYTHON=python3.12, VENV=dir and CONSTRAINTS=file change what it is made of.

PYTHON ?= python3
VENV ?= .venv
CONSTRAINTS ?= constraints.txt

SHELL := /bin/bash
BIN := $(abspath $(VENV))/bin
INSTALLED := $(VENV)/.installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS)

.PHONY: quickstart test lint install readme clean
.SILENT:

quickstart: $(INSTALLED)
	PATH="$(BIN):$$PATH" scripts/quickstart.sh

test: lint
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist loadscope --durations 15

lint: $(INSTALLED)
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .

install: $(INSTALLED)

readme: $(INSTALLED)
	PATH="$(BIN):$$PATH" scripts/refresh_readme.sh

# fairseq's build needs torch, numpy and cython; without build isolation it finds
# them here instead of downloading each a second time. pip 24.1 and newer refuse
# the metadata of the official fairseq.
$(INSTALLED): setup.py pyproject.toml $(CONSTRAINTS)
	echo "==> $(VENV): creating the environment with $$($(PYTHON) --version)"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "pip<24.1"
	echo "==> $(VENV): installing torch"
	$(PIP) torch "numpy$$($(BIN)/python -c 'import sys; print("<1.24" if sys.version_info < (3, 11) else "<3")')" cython setuptools wheel
	echo "==> $(VENV): building fairseq and installing the rest (about 3 minutes)"
	$(PIP) --no-build-isolation --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) runs build dist *.egg-info
