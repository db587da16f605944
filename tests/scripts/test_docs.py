"""What README.md, docs/ and the folders' README.md say is there: links, files, commands."""

import re
import shlex

import pytest
from fairseq import options

from fairseq_bytefusion import cli
from fairseq_bytefusion.modules.embedders import EMBEDDERS
from fairseq_bytefusion.modules.fusion import FUSIONS
from fairseq_bytefusion.text.units import UNITS

from ..helpers import REPO, USER_DIR

MARKED = [REPO / "README.md", *sorted((REPO / "docs").glob("*.md"))]
PAGES = [
    *MARKED,
    *sorted(p for d in ("data_prep", "scripts") for p in (REPO / d).rglob("README.md")),
]
CHAPTERS = [
    "char2subword",
    "data",
    "decoding",
    "develop",
    "experiments",
    "labels",
    "models",
    "pretraining",
    "results",
]
NEW = re.compile("NAME|VERB")  # a file that a walk-through adds
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(REPO)))


def parts(page):
    """The lines of a page as (prose, indented code); fenced output is in neither.

    Indented code follows an empty line: what is indented within a list does not.
    """
    prose, code, in_fence, may_begin = [], [], False, True
    for line in page.read_text("utf-8").split("\n"):
        if line.startswith("```"):
            in_fence = not in_fence
        elif not in_fence:
            is_code = may_begin and line.startswith("    ")
            (code if is_code else prose).append(line)
            may_begin = is_code or not line
    return prose, code


def commands(page, program):
    """Arguments of every command in a page's code whose program matches a pattern."""
    lines = "\n".join(parts(page)[1]).replace("\\\n", " ").split("\n")
    for line in lines:
        found = re.search(rf"(?:^|\| )\s*({program} .*)", line)
        if found:
            words = shlex.split(
                found[1].replace("$(bytefusion path)", str(USER_DIR)), comments=True
            )
            ends = [i for i, word in enumerate(words) if word in ("|", ">", "<")]
            yield words[: min(ends, default=None)]


def anchors(page):
    """The names that GitHub gives to a page's headings."""
    headings = [line for line in parts(page)[0] if re.match("#+ ", line)]
    texts = [re.sub(r"[^\w\- ]", "", h.lstrip("#").strip().lower()) for h in headings]
    return [text.replace(" ", "-") for text in texts]


def test_the_chapters():
    assert [page.stem for page in MARKED[1:]] == CHAPTERS
    readme = MARKED[0].read_text("utf-8")
    for name in CHAPTERS:
        assert f"[{name}](docs/{name}.md)" in readme


def test_readme_is_short():
    assert len(MARKED[0].read_text("utf-8").splitlines()) <= 250


@pytest.mark.parametrize("page", MARKED[1:], ids=lambda page: page.stem)
def test_a_chapter_is_readable_alone(page):
    title, empty, *rest = page.read_text("utf-8").split("\n")
    assert title.startswith("# ")
    assert empty == ""
    paragraph = "\n".join(rest).split("\n\n")[0]
    assert "(../README.md" in paragraph or "[README]" in paragraph
    assert len(re.findall(r"\]\(", paragraph)) >= 2


@every_page
def test_links(page):
    links = re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", "\n".join(parts(page)[0]))
    for link in (link for link in links if not link.startswith("http")):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
    names = anchors(page)
    assert len(set(names)) == len(names)


def test_marks_are_paired_and_unique():
    seen = []
    for page in MARKED:
        marks = re.findall(r"<!-- (/?)(\w+) -->", page.read_text("utf-8"))
        assert [slash for slash, _ in marks] == ["", "/"] * (len(marks) // 2), page
        begun, ended = marks[::2], marks[1::2]
        assert [name for _, name in begun] == [name for _, name in ended]
        seen += [name for _, name in begun]
    assert len(seen) == len(set(seen)) > 15


@every_page
def test_files_exist(page):
    prose, code = parts(page)
    folders = "data_prep|scripts|tests|results|docs|fairseq_bytefusion"
    named = re.findall(rf"\b(?:{folders})/[\w./-]*\w", "\n".join(prose + code))
    missing = {path for path in named if not (REPO / path).exists()}
    assert not {path for path in missing if not NEW.search(path)}


def test_places_in_the_package_exist():
    text = "\n".join(parts(REPO / "docs/develop.md")[0])
    places = re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`", text)
    assert len(places) > 10
    for place in (p for p in places if not NEW.search(p)):
        assert (USER_DIR / place).exists() or (REPO / place).exists(), place


def test_the_layout_names_every_folder_of_the_package():
    page = (REPO / "docs/develop.md").read_text("utf-8")
    layout = page.split("\n## The layout\n")[1].split("\nImports")[0]
    named = set(re.findall(r"\b(\w+)/", layout))
    assert {init.parent.name for init in USER_DIR.glob("*/__init__.py")} <= named
    folders = [*USER_DIR.rglob("*/"), *REPO.glob("*/"), *REPO.glob("[st]*/*/")]
    assert named <= {folder.name for folder in folders}


def test_every_benchmark_is_named():
    page = (REPO / "docs/develop.md").read_text("utf-8")
    named = re.findall(r"^\| `(\w+\.py)` \|", page, re.M)
    scripts = (REPO / "scripts/benchmarks").glob("bench_*.py")
    assert sorted(named) == sorted(path.name for path in scripts)


@every_page
def test_verbs_exist(page, capsys):
    prose, code = parts(page)
    spans = re.findall(r"`([^`]+)`", "\n".join(prose))
    for verb in set(re.findall(r"\bbytefusion ([a-z]+)", "\n".join(code + spans))):
        with pytest.raises(SystemExit) as stopped:
            cli.main([verb, "--help"])
        assert stopped.value.code == 0, verb
    capsys.readouterr()


def test_targets_of_make_exist():
    targets = re.findall(r"^([\w-]+):", (REPO / "Makefile").read_text("utf-8"), re.M)
    for page in PAGES:
        spans = re.findall(r"`([^`]+)`", page.read_text("utf-8"))
        named = re.findall(r"\bmake (?:\w+=\S+ )?([a-z-]+)", "\n".join(spans))
        assert set(named) <= set(targets), page


PARSERS = {
    "train": options.get_training_parser,
    "generate": options.get_generation_parser,
    "interactive": options.get_interactive_generation_parser,
}


@every_page
def test_commands_of_fairseq_can_be_parsed(page):
    for program, *args in commands(page, r"fairseq-\w+"):
        parser = PARSERS[program.removeprefix("fairseq-")]()
        parser.error = lambda message, args=args: pytest.fail(f"{message}: {args}")
        options.parse_args_and_arch(parser, args)


@every_page
def test_what_may_hold_a_space_is_quoted(page):
    code = "\n".join(parts(page)[1])
    assert not re.findall(r"^.*(?<![\"=])\$[({A-Z].*$", code, re.M)


def test_commands_are_found():
    programs = [command[0] for command in commands(MARKED[0], r"fairseq-\w+")]
    assert programs == [
        *("fairseq-train", "fairseq-generate", "fairseq-interactive"),
        "fairseq-train",
    ]


def known_flags():
    """Flags of fairseq with our tasks and models, and those our own programs declare."""
    flags = set()
    for arch, task in (
        ("byte_transformer", "byte_translation"),
        ("embedding_approximation", "embedding_approximation"),
        ("masked_characters", "masked_characters"),
        ("byte_tagger", "byte_tagging"),
        ("byte_classifier", "byte_classification"),
        ("char2subword_mlm", "masked_pieces"),
        ("bilm", "word_language_model"),
    ):
        of_translation = "label_smoothed_cross_entropy_with_lookahead"
        criterion = of_translation if task == "byte_translation" else task
        args = ["data", "--task", task, "--user-dir", str(USER_DIR)]
        training = ["--arch", arch, "--criterion", criterion, "--optimizer", "adam"]
        for make, more in ((PARSERS["train"], training), (PARSERS["interactive"], [])):
            parser = make()
            options.parse_args_and_arch(parser, [*args, *more])
            flags |= set(parser._option_string_actions)
    for folder in (USER_DIR, REPO / "data_prep", REPO / "scripts"):
        for path in folder.rglob("*.py"):
            flags |= set(re.findall(r'"(--[a-z][\w-]*)"', path.read_text("utf-8")))
    return flags


# Flags of Snakemake and torchrun, and those that prepare.py makes in a loop.
OTHER_FLAGS = {"--unlock", "--config", "--nproc-per-node", "--no-python"}
OTHER_FLAGS |= {"--flores", "--valid-pair"}


def test_flags_in_the_text_exist():
    known = known_flags() | OTHER_FLAGS
    for page in PAGES:
        spans = re.findall(r"`([^`]+)`", "\n".join(parts(page)[0]))
        named = re.findall(r"(?<![\w-])--[a-z][\w-]*", "\n".join(spans))
        assert set(named) <= known, page


@pytest.mark.parametrize(
    ("flag", "names"),
    [
        ("--encoder-embedder", EMBEDDERS),
        ("--encoder-fusion", ["none", *FUSIONS]),
        ("--source-unit", UNITS),
    ],
)
def test_readmes_table_names_every_part_of_a_model(flag, names):
    section = MARKED[0].read_text("utf-8").split("\n## Models\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1:3] for line in section.split("\n") if line.startswith("|")]
    shown, current = {}, ""
    for flags, value in rows:
        current = flags if flags.strip() else current
        for given in re.findall("--[a-z-]+", current):
            shown.setdefault(given, []).append(value.strip(" `"))
    assert sorted(shown[flag]) == sorted(names)
