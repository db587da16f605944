"""Experiments with labels: their steps, plan, commands and tables."""

import csv
import json
import sys

import pytest

from scripts.experiments.grid.commands import join
from scripts.experiments.labels.commands import LabelCommands
from scripts.experiments.report.labels import write_report
from scripts.experiments.steps import misspell_labelled as step
from scripts.experiments.steps import plain_file

from .helpers import after, build, changed, grid_of

SLOTS = {
    "kind": "tagging",
    "dataset": "first",
    "files": "{split}.conll.gz",
    "systems": {"words": [1, 2], "bilstm": [1]},
    "epochs": 3,
    "metric": "span_f1",
    "train_flags": "--arch byte_tagger_tiny",
}
INTENT = {
    **SLOTS,
    "kind": "classification",
    "files": "{split}.tsv",
    "label_column": 3,
    "metric": "macro_f1",
    "misspelt": 0.5,
}
FROM_INTENT = {**SLOTS, "start": "intent", "systems": {"words": [2]}}


def grid(**changes):
    mapping = grid_of("smoke")
    known = {"slots": SLOTS, "intent": INTENT, "slots_from_intent": FROM_INTENT}
    for name, keys in {**known, **changes}.items():
        mapping = changed(mapping, f"experiments/{name}", keys)
    return mapping


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("lovely\tB-X\n\nhouses\tO\n", None, ["lovely", "houses"]),
        ("lovely B-X\r\n", None, ["lovely"]),
        ("lovely  houses\tlabel\n", 1, ["lovely", "houses"]),
        ("id of it\tlovely houses\tlabel", 2, ["lovely", "houses"]),
        ("one column\n", 2, []),
        ("", None, []),
    ],
)
def test_the_words_of_labelled_text(text, column, words):
    found = [text[slice(*word)] for word in step.word_spans(text, column)]
    assert found == words


def test_as_many_words_are_misspelt_as_were_asked_for_and_nothing_else_changes():
    text = "".join(f"{word}\tB-{word}\n" for word in ["houses", "are", "lovely"] * 50)
    noised, counts = step.misspell_labelled(text, 0.3, seed=1)
    assert counts == {"words": 150, "changeable": 100, "misspelt": 30}
    pairs = list(zip(text.split("\n"), noised.split("\n")))
    assert sum(a != b for a, b in pairs) == 30
    assert all(a.split("\t")[1:] == b.split("\t")[1:] for a, b in pairs)
    assert step.misspell_labelled(text, 0.3, 1) == (noised, counts)
    assert step.misspell_labelled(text, 0.3, 2)[0] != noised


def test_the_steps_write_what_they_say(tmp_path, monkeypatch, capsys):
    (tmp_path / "in.tsv").write_bytes(b"\xff houses\tA houses\r\n")
    for script, arguments in (
        (plain_file, ["in.tsv", "--out", "new/test.tsv"]),
        (step, ["new/test.tsv", "--text-column", "1", "--share", "1", "--out", "m.tsv"]),
    ):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["x", *arguments])
        script.main()
    assert "new/test.tsv: 19 bytes" in capsys.readouterr().out
    written = (tmp_path / "m.tsv").read_bytes()
    assert written.startswith(b"\xff ")
    assert written.endswith(b"\tA houses\r\n")
    assert json.loads((tmp_path / "m.json").read_text()) == {
        "words": 2, "changeable": 1, "misspelt": 1
    }  # fmt: skip


def test_data_and_commands():
    plan, _ = build(grid())
    commands, data = LabelCommands(plan), "runs/experiments/smoke/data/intent"
    steps = [join(c) for c in commands.data_steps(plan.grid.experiments["intent"])]
    raw = "runs/experiments/smoke/raw/first"
    assert steps[0].endswith(f"plain_file.py {raw}/train.tsv --out {data}/train.tsv")
    assert f"{data}/test.tsv --share 0.5 --text-column 1" in steps[3]
    assert steps[4].endswith(f"build_word_dict.py {data} --labels --min-count 2")
    run = plan.run_at("intent", "all", "bilstm", 1)
    command = commands.train(run)
    assert join(command).startswith(f"fairseq-train {data} ")
    assert after(command, "--task") == ["byte_classification"]
    assert (after(command, "--text-column"), after(command, "--label-column")) == (
        ["1"], ["3"]
    )  # fmt: skip
    assert after(command, "--encoder-type") == ["lstm"]
    assert after(command, "--best-checkpoint-metric") == ["macro_f1"]
    assert (after(command, "--max-epoch"), after(command, "--patience")) == (["3"], ["50"])
    assert "--max-update" not in command
    model = f"runs/experiments/smoke/{run.path}/average.pt"
    assert commands.evaluate(run, run.setting.tests[1]) == [
        "bytefusion", "evaluate", model, f"{data}/misspelt.tsv", "--json"
    ]  # fmt: skip
    tagging = commands.train(plan.run_at("slots", "all", "words", 2))
    assert after(tagging, "--task") == ["byte_tagging"]
    assert "--label-column" not in tagging


def test_encoders_of_another_experiment_are_frozen_and_trained_further():
    plan, _ = build(grid())
    commands = LabelCommands(plan)
    start = "runs/experiments/smoke/intent/all/words/seed2/average.pt"
    for setting, frozen in zip(plan.settings_of("slots_from_intent"), (True, False)):
        (run,) = plan.runs_of(setting)
        command = commands.train(run)
        assert after(command, "--encoder-from") == [start]
        assert ("--freeze-encoder" in command) == frozen
        assert "--finetune-from-model" not in command
        assert start in commands.train_inputs(run)


@pytest.mark.parametrize(
    ("name", "keys", "message"),
    [
        ("slots", {"files": "train.conll"}, "files must say where the split stands"),
        ("slots", {"systems": {"subword": [1]}}, "there is no system 'subword'; choose"),
        ("slots", {"systems": {"words": [1, 1]}}, "a list of different seeds"),
        ("slots", {"misspelt": 0}, "misspelt must lie above 0"),
        ("slots", {"updates": 5}, "epochs takes the place of updates"),
        ("slots", {"epochs": 0}, "epochs must be at least 1"),
        ("intent", {"text_column": 0}, "text_column must be at least 1"),
        ("slots_from_intent", {"start": "sweep"}, "start: sweep is no experiment"),
        ("slots_from_intent", {"systems": {"bilstm": [2]}}, "bilstm seed 2 has no model"),
    ],
)
def test_mistakes_are_named(name, keys, message):
    of = {"slots": SLOTS, "intent": INTENT, "slots_from_intent": FROM_INTENT}[name]
    with pytest.raises(ValueError) as error:
        build(grid(**{name: {**of, **keys}}))
    assert message in str(error.value)


def test_the_table_has_every_seed_their_mean_and_figures(tmp_path):
    mapping = changed(grid(), "work", str(tmp_path))
    plan, _ = build(mapping)
    commands, experiment = LabelCommands(plan), plan.grid.experiments["slots"]
    (setting,) = plan.settings_of("slots")
    for number, run in enumerate(plan.runs_of(setting)):
        folder = tmp_path / run.path
        folder.mkdir(parents=True)
        record = {"seconds": 9.6, "command": ["train"], "versions": {}, "data": {}}
        (folder / "trained.json").write_text(json.dumps(record))
        for test, less in zip(setting.tests, (0, 10)):
            scores = dict.fromkeys(("accuracy", "macro_f1"), 80 + number - less)
            path = commands.scores(run, test)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(scores, file)
    (tmp_path / "data/slots").mkdir(parents=True)
    counts = {"words": 200, "changeable": 50, "misspelt": 15}
    (tmp_path / "data/slots/misspelt.json").write_text(json.dumps(counts))
    write_report(plan, experiment, tmp_path / "out")
    with open(tmp_path / "out/table.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(r["system"], r["seed"], r["macro_f1"]) for r in rows] == [
        ("words", "1", "80.0"), ("words", "2", "81.0"), ("words", "mean", "80.5"),
        ("bilstm", "1", "82.0"),
    ]  # fmt: skip
    assert rows[2]["macro_f1, misspelt"] == "70.5"
    table = (tmp_path / "out/table.md").read_text()
    assert "15 of the 50 words of the test set that an operation can change, 7.5%" in table
    page = (tmp_path / "out/report.html").read_text()
    assert page.count("<svg") == 2
    assert "bytefusion evaluate" in page
