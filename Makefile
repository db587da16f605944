# make quickstart   install, train on the sample data, translate, score
# make test         install, lint, run the test suite
# make kill-tests   kill each kind of work at twenty random moments, and do it again
# make install      the virtual environment alone
# make readme       put measured output into README.md and docs/
# PYTHON=python3.12, VENV=dir and CONSTRAINTS=file change what it is made of.

PYTHON ?= python3
VENV ?= .venv
CONSTRAINTS ?= constraints.txt

SHELL := /bin/bash
INSTALLED := $(VENV)/.installed
# Quoted, and relative to this folder, whose name may hold spaces; make has no names with
# spaces, so that VENV may not.
PY := "$(VENV)/bin/python"
ON_PATH := PATH="$$(cd "$(VENV)/bin" && pwd):$$PATH"
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --constraint "$(CONSTRAINTS)"

.PHONY: quickstart test kill-tests lint install readme clean
.SILENT:

quickstart: $(INSTALLED)
	$(ON_PATH) $(PY) scripts/quickstart.py

test: lint
	OMP_NUM_THREADS=1 $(PY) -m pytest --numprocesses auto --dist loadscope --durations 15

kill-tests: $(INSTALLED)
	KILLS=20 OMP_NUM_THREADS=1 $(PY) -m pytest tests/kills

lint: $(INSTALLED)
	$(PY) -m ruff check --quiet .
	$(PY) -m ruff format --quiet --check .

install: $(INSTALLED)

readme: $(INSTALLED)
	$(ON_PATH) scripts/refresh_readme.sh

# The build of fairseq-fixed needs torch, numpy and cython; without build isolation it finds
# them here instead of downloading each a second time. The official fairseq, of older Pythons,
# must not find torch: it would compile files that its archive lacks. pip 24.1 and newer
# refuse its metadata.
ISOLATION = $$($(PY) -c 'import sys; print("--no-build-isolation" if sys.version_info >= (3, 11) else "")')
$(INSTALLED): setup.py pyproject.toml $(CONSTRAINTS)
	echo "==> $(VENV): creating the environment with $$("$(PYTHON)" --version)"
	"$(PYTHON)" -m venv "$(VENV)"
	$(PY) -m pip install --quiet --disable-pip-version-check "pip<24.1"
	echo "==> $(VENV): installing torch"
	$(PIP) torch "numpy$$($(PY) -c 'import sys; print("<1.24" if sys.version_info < (3, 11) else "<3")')" cython setuptools wheel
	echo "==> $(VENV): building fairseq and installing the rest (about 3 minutes)"
	$(PIP) $(ISOLATION) --editable ".[dev]"
	touch "$@"

clean:
	rm -rf "$(VENV)" runs build dist *.egg-info
