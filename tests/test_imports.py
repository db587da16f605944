"""Imports point one way: what a room may know of, read from the code."""

import ast
import re
from pathlib import Path

import pytest

from .helpers import USER_DIR

PACKAGE = USER_DIR.name
#: room -> the rooms it may import from, besides itself; compat may be imported by all. The
#: reader of checkpoints is a room of its own: tasks and data start from checkpoints too. So
#: are the scores of labels: validation counts what they are made of.
ROOMS = {
    "compat": set(),
    "text": set(),
    "modules": {"text"},
    "checkpoints.reading": {"text"},
    "data": {"checkpoints.reading", "text"},
    "search": {"text"},
    "models": {"modules", "text"},
    "evaluation.labelling_scores": set(),
    "evaluation.spans": set(),
    "criterions": {"evaluation.labelling_scores", "evaluation.spans", "modules"},
    "tasks": {"checkpoints.reading", "data", "models", "modules", "search", "text"},
    "checkpoints": {"checkpoints.reading", "modules", "text"},
    "generation": {"checkpoints.reading", "data", "modules", "search", "tasks", "text"},
    "evaluation": {
        *("checkpoints.reading", "evaluation.labelling_scores", "evaluation.spans"),
        *("data", "generation", "modules", "tasks", "text"),
    },
    "export": set(),
    "cli": {"checkpoints", "evaluation", "export", "generation", "search", "text"},
}


def name_of(path):
    parts = [PACKAGE, *path.relative_to(USER_DIR).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(path): path for path in sorted(USER_DIR.rglob("*.py"))}


def imports_of(name):
    """Modules of the package that a file imports, those inside functions included."""
    path = FILES[name]
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = package.split(".")[: len(package.split(".")) - node.level + 1]
        module = ".".join([*base, *filter(None, [node.module])])
        for alias in node.names:
            inner = f"{module}.{alias.name}"
            found.add(inner if inner in FILES else module)
    return found


IMPORTS = {name: imports_of(name) for name in FILES}


def room_of(name):
    _, _, path = name.partition(".")
    return path if path in ROOMS else path.partition(".")[0] or None


def test_every_room_is_known():
    assert {room_of(name) for name in FILES} - {None} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_no_arrow_runs_back_up(room):
    allowed = {room, "compat", *ROOMS[room]}
    for name in FILES:
        if room_of(name) == room:
            wrong = {i for i in IMPORTS[name] if room_of(i) not in allowed}
            assert not wrong, f"{name} imports {sorted(wrong)}"


def test_rooms_are_in_order():
    """So that no two rooms can come to import each other."""
    done = set()
    while len(done) < len(ROOMS):
        ready = {room for room in ROOMS if room not in done and ROOMS[room] <= done}
        assert ready, f"a circle among {sorted(set(ROOMS) - done)}"
        done |= ready


def test_no_circle_of_files():
    seen, open_files = set(), []

    def visit(name):
        if name in open_files:
            raise AssertionError(" -> ".join([*open_files[open_files.index(name) :], name]))
        if name not in seen:
            open_files.append(name)
            for other in sorted(IMPORTS[name]):
                visit(other)
            open_files.pop()
            seen.add(name)

    for name in FILES:
        visit(name)


def test_the_package_is_imported_relatively():
    """So that every import of it is seen here."""
    pattern = re.compile(rf"^\s*(from|import) {PACKAGE}\b", re.MULTILINE)
    assert [n for n, path in FILES.items() if pattern.search(path.read_text("utf-8"))] == []


def test_files_of_the_package_are_read():
    assert len(FILES) > 80
    assert f"{PACKAGE}.text.words" in IMPORTS[f"{PACKAGE}.text.word_list"]
    assert Path(FILES[PACKAGE]).name == "__init__.py"
