"""How what commands printed gets into README.md and docs/, without running the commands."""

import os
import re
import shutil
import sys

import pytest

from ..helpers import REPO, run

sys.path.insert(0, str(REPO / "scripts"))

import update_readme  # noqa: E402

SCORE = "<!-- score -->\nold\n<!-- /score -->\n"


@pytest.fixture
def repo(tmp_path, monkeypatch):
    """A repository of two pages, without a mark."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("# R\n", "utf-8")
    (tmp_path / "docs/models.md").write_text("# M\n", "utf-8")
    monkeypatch.setattr(update_readme, "REPO", tmp_path)
    return tmp_path


def update(repo, monkeypatch, name, filename, content):
    (repo / filename).write_text(content, "utf-8")
    monkeypatch.setattr(sys, "argv", ["update_readme.py", name, str(repo / filename)])
    update_readme.main()


@pytest.mark.parametrize("page", ["README.md", "docs/models.md"])
@pytest.mark.parametrize(
    ("filename", "content", "shown"),
    [
        ("score.md", "| a |\n\n", "| a |\n"),
        ("score.txt", "5 ` \\1 ♥\n", "\n```\n5 ` \\1 ♥\n```\n\n"),
        ("score.txt", "", "\n```\n\n```\n\n"),
    ],
)
def test_a_mark_is_found_in_any_page(repo, monkeypatch, page, filename, content, shown):
    others = {p: p.read_text("utf-8") for p in repo.rglob("*.md") if p != repo / page}
    (repo / page).write_text(f"before\n{SCORE}after\n", "utf-8")
    update(repo, monkeypatch, "score", filename, content)
    text = (repo / page).read_text("utf-8")
    assert text == f"before\n<!-- score -->\n{shown}<!-- /score -->\nafter\n"
    assert {path: path.read_text("utf-8") for path in others} == others


@pytest.mark.parametrize(
    ("readme", "models", "message"),
    [
        ("", "", "0 and 0 times in none"),
        (SCORE, SCORE, "2 and 2 times in .*README.md, .*models.md"),
        (SCORE + SCORE, "", "2 and 2 times in .*README.md"),
        ("<!-- score -->\n", "", "1 and 0 times in .*README.md"),
        ("", "<!-- /score -->\n", "0 and 1 times in .*models.md"),
        ("<!-- score -->\n", "<!-- /score -->\n", "1 and 1 times in .*README.md, .*models"),
        ("", "<!-- /score -->\n<!-- score -->\n", "models.md: .* stands before .*: swap"),
        ("<!-- scores -->\n<!-- /scores -->\n", "", "0 and 0 times in none"),
    ],
)
def test_marks_that_do_not_stand_there_once(repo, monkeypatch, readme, models, message):
    (repo / "README.md").write_text(readme, "utf-8")
    (repo / "docs/models.md").write_text(models, "utf-8")
    with pytest.raises(SystemExit, match=message):
        update(repo, monkeypatch, "score", "score.txt", "new\n")
    assert (repo / "README.md").read_text("utf-8") == readme
    assert (repo / "docs/models.md").read_text("utf-8") == models


# Each writes its name and arguments down and prints what the real command would.
STUBS = {
    "fairseq-interactive": "cat >/dev/null; printf 'S-0\\ta\\nW-0\\t1\\nH-0\\t-1\\tb\\n'",
    "fairseq-train": "",
    "bytefusion": 'if [[ $1 == path ]]; then echo plugin; else echo "known: $*"; fi',
    "python": f'if [[ $1 == - ]]; then cat; else exec "{sys.executable}" "$@"; fi',
}


@pytest.fixture(scope="module")
def refreshed(tmp_path_factory):
    """What `make readme` makes of the pages, with stubs for all that takes long.

    Returns the folder and the commands that were run.
    """
    tmp_path = tmp_path_factory.mktemp("repo")
    shutil.copytree(REPO / "docs", tmp_path / "docs")
    shutil.copytree(REPO / "results", tmp_path / "results")
    shutil.copy(REPO / "README.md", tmp_path)
    for name in ("update_readme.py", "refresh_readme.sh"):
        (tmp_path / "scripts").mkdir(exist_ok=True)
        shutil.copy(REPO / "scripts" / name, tmp_path / "scripts")
    (tmp_path / "run").mkdir()
    (tmp_path / "run/result.txt").write_text("BLEU = 99\n", "utf-8")
    (tmp_path / "bin").mkdir()
    for name, body in STUBS.items():
        stub = tmp_path / "bin" / name
        stub.write_text(f'#!/bin/bash\necho "{name} $*" >>"$LOG"\n{body}\n', "utf-8")
        stub.chmod(0o755)
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    env = {"PATH": path, "LOG": str(tmp_path / "log"), "RUN": str(tmp_path / "run")}
    run("bash", tmp_path / "scripts/refresh_readme.sh", env=env)
    return tmp_path, (tmp_path / "log").read_text("utf-8").splitlines()


def shown(folder):
    """What stands between the marks of the pages, by their names."""
    pages = update_readme.read_pages(folder).values()
    mark = r"<!-- (\w+) -->\n(.*?)<!-- /\1 -->"
    return {name: text for page in pages for name, text in re.findall(mark, page, re.S)}


def test_every_mark_is_refreshed(refreshed):
    folder, commands = refreshed
    updates = [c.split()[2] for c in commands if c.startswith("python scripts/update")]
    # These have not been run to their end: they have no table yet.
    waiting = ["cross_domain", "embeddingless", "word_table"]
    assert sorted([*updates, *waiting]) == sorted(shown(folder))


def test_code_blocks_of_the_pages_are_run(refreshed):
    folder, commands = refreshed
    after = shown(folder)
    assert after["quickstart"] == "\n```\nBLEU = 99\n```\n\n"
    assert after["interactive"] == "\n```\nS-0\ta\nH-0\t-1\tb\n```\n\n"
    snippet = after["python"].strip("`\n").split("\n")
    assert snippet[0] == "from fairseq_bytefusion.generation import ByteTranslator"
    assert snippet[-1] == "    print(translation.score, translation.text)"
    (train,) = [c for c in commands if c.startswith("fairseq-train")]
    assert train.startswith("fairseq-train data_prep/sample_table/")
    assert train.endswith("--save-dir checkpoints/approximation")
    assert "known: neighbours checkpoints/approximation/" in after["neighbours"]
    assert after["neighbours"].count("known:") == 1


def test_tables_on_the_pages_are_those_of_results(refreshed):
    folder, _ = refreshed
    before, after = shown(REPO), shown(folder)
    printed = {"quickstart", "interactive", "python", "neighbours"}
    for name in before.keys() - printed:
        assert before[name] == after[name], f"{name}: run make readme"
    headline = after["headline_many_to_one"]
    assert "| byte_msc_dense | 1 |" in headline
    assert not re.search(r"^\| byte_msc_dense \| (2|mean) \|", headline, re.M)
    assert "chrF2" not in after["headline_many_to_one"]


def test_nothing_but_marked_text_changes(refreshed):
    folder, _ = refreshed
    for path, text in update_readme.read_pages(folder).items():
        original = (REPO / path.relative_to(folder)).read_text("utf-8")
        mark = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- /\2 -->)", re.S)
        assert mark.sub(r"\1\3", text) == mark.sub(r"\1\3", original)
