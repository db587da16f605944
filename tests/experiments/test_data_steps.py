"""The data directories of a grid: what is prepared, what is kept out, what is counted."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from .helpers import after, build, changed

GRID = yaml.safe_load(Path(__file__).with_name("grid.yaml").read_text("utf-8"))
PLAN, COMMANDS = build(GRID)


def test_vocabularies_come_from_the_training_side_alone():
    for (experiment, _), setting in PLAN.settings.items():
        if experiment == "transfer_few_shot":
            assert setting.vocabulary == ".".join(setting.start)
        else:
            assert setting.vocabulary == setting.data
    data = "runs/experiments/small/data"
    (command,) = COMMANDS.vocabulary("transfer_zero_shot.ru")
    assert command[2:7] == [f"{data}/transfer_zero_shot.ru", "-s", "ru", "-t", "en"]
    for related in ("transfer_zero_shot.uk", "transfer_few_shot.uk/2000"):
        copies = COMMANDS.vocabulary(related)
        there = f"{data}/transfer_zero_shot.ru/spm.ru.model"
        assert ["cp", there, f"{data}/{related}/spm.uk.model"] in copies
        assert len(copies) == 4


def test_every_test_set_is_excluded_from_every_training_set():
    tests = {
        "transfer_zero_shot.es": [f"nowhere/bible/test.{x}-en.{y}"
                                  for x in ("es", "ru", "it", "uk") for y in (x, "en")],
        "many_to_one": [f"nowhere/tatoeba/test.{x}-en.{y}"
                        for x in ("de", "fr", "es", "pt", "nl", "tr", "ru")
                        for y in (x, "en")],
        "cross_domain.tatoeba": [f"nowhere/{d}/test.ru-en.{y}"
                                 for d in ("tatoeba", "bible", "mlqe_pe", "tico19")
                                 for y in ("ru", "en")],
    }  # fmt: skip
    for data, expected in tests.items():
        for job in COMMANDS.pairs.pairs_in(data):
            command = COMMANDS.prepare(job, "OUT", False)
            assert sorted(after(command, "--exclude")) == sorted(set(expected))


def test_other_test_sets_take_the_place_of_the_own_one_or_stand_beside():
    for tests, names in (
        (["ntrex"], ["de", "ru"]),
        (["tatoeba", "ntrex"], ["de.tatoeba", "de.ntrex", "ru.tatoeba", "ru.ntrex"]),
    ):
        grid = changed(GRID, "experiments/many_to_one/sources", ["de", "ru"])
        plan, commands = build(changed(grid, "experiments/many_to_one/tests", tests))
        setting = plan.settings["many_to_one", "all"]
        assert [test.name for test in setting.tests] == names
        test = setting.tests[-1]
        assert test.data == "many_to_one.ntrex.ru"
        job = commands.pairs.jobs[test.data, "ru"]
        files = ["nowhere/ntrex/test.ru-en.ru", "nowhere/ntrex/test.ru-en.en"]
        assert after(commands.prepare(job, "OUT", False), "--test-pair") == files
        excluded = after(
            commands.prepare(commands.pairs.jobs["many_to_one", "de"], "OUT", False),
            "--exclude",
        )
        assert {*files, "nowhere/tatoeba/test.de-en.de"} < set(excluded)
        # The vocabulary is that of training.
        copies = commands.vocabulary(test.data)
        there = "runs/experiments/small/data/many_to_one/spm.de.model"
        assert copies[2][:2] == ["cp", there]


def test_a_system_with_a_list_of_words_gets_one_of_all_sources():
    systems = {"byte_dense": [1], "mixture_sum": [1]}
    _, commands = build(changed(GRID, "experiments/many_to_one/systems", systems))
    script = commands.vocabulary("many_to_one")[1]
    assert script[1] == "data_prep/build_word_dict.py"
    assert script[script.index("-s") + 1] == "de,fr,es,pt,nl,tr,ru"


def test_moses_tokens_are_undone_and_scored_against_the_untouched_text():
    plan, commands = build(changed(GRID, "moses", True))
    setting = plan.settings["cross_domain", "tatoeba"]
    command = commands.score(setting, 1)
    assert after(command, "--detokenize") == ["en"]
    assert all("/references/" in path for path in after(command, "--ref"))
    job = commands.pairs.jobs["cross_domain.bible", "ru"]
    assert "--moses" in commands.prepare(job, "OUT", True)
    assert "--moses" not in commands.prepare(job, "OUT", False)


def test_a_missing_folder_or_language_is_named(tmp_path):
    grid = changed(changed(GRID, "sample_pairs", 0), "data_root", str(tmp_path))
    plan, commands = build(grid)
    job = commands.pairs.jobs["transfer_zero_shot.es", "es"]
    with pytest.raises(
        FileNotFoundError, match="dataset bible: no such folder: .*data_root"
    ):
        commands.prepare(job, "OUT", False)
    (tmp_path / "bible").mkdir()
    (tmp_path / "bible" / "train.it.gz").write_bytes(b"")
    with pytest.raises(ValueError, match=r"no files of both es and en; .*train\.it\.gz"):
        commands.prepare(job, "OUT", False)


def test_a_language_with_the_first_lines_only_is_cut_to_them():
    plan, commands = build(changed(GRID, "datasets/bible/cut_to_shorter", True))
    job = commands.pairs.jobs["transfer_zero_shot.it", "it"]
    cut = "runs/experiments/small/cut/transfer_zero_shot.it/it"
    assert after(commands.prepare(job, "OUT", False), "--folder") == [cut]
    assert after(commands.cut(job), "--out") == [cut]
    # The other domains are tested with the whole test set as it is.
    test = commands.prepare(commands.pairs.jobs["cross_domain.bible", "ru"], "OUT", False)
    assert after(test, "--test-pair")[0] == "nowhere/bible/test.ru-en.ru"


def test_data_steps_are_in_the_order_of_their_making():
    setting = PLAN.settings["transfer_few_shot", "uk-1000"]
    steps = COMMANDS.data_steps(setting)
    scripts = [step[0] if step[0] == "cp" else step[1].split("/")[-1] for step in steps]
    assert scripts == [
        "prepare.py", "prepare.py", "few_shot.py", "build_vocab.py", *["cp"] * 8,
        "measure_units.py", "training_words.py",
    ]  # fmt: skip


def test_words_are_unseen_by_all_trainings_of_a_model():
    setting = PLAN.settings["transfer_few_shot", "uk-1000"]
    trained = [s.data for s in PLAN.trained_settings([setting])]
    assert trained == ["transfer_zero_shot.ru", "transfer_few_shot.uk/1000"]
    other = PLAN.settings["cross_domain", "tatoeba"]
    assert PLAN.trained_settings([other]) == [other]
    reused = replace(other, models=("transfer_few_shot", "uk-1000"))
    assert [s.data for s in PLAN.trained_settings([reused])] == trained


def test_words_of_moses_tokens_are_those_of_the_text():
    command = COMMANDS.training_words("many_to_one")
    assert after(command, "--out") == [
        "runs/experiments/small/data/many_to_one/words.en.txt"
    ]
    assert "--detokenize" not in command
    _, commands = build(changed(GRID, "moses", True))
    assert "--detokenize" in commands.training_words("many_to_one")
