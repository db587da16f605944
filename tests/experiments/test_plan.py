"""What a grid comes to: settings, data directories and command lines."""

from pathlib import Path

import pytest
import yaml
from fairseq import options as fairseq_options

from scripts.experiments.grid.commands import join

from .helpers import after, build, changed, grid_of

GRID = yaml.safe_load(Path(__file__).with_name("grid.yaml").read_text("utf-8"))
PLAN, COMMANDS = build(GRID)


def test_settings_of_each_experiment():
    names = {name: [s.name for s in PLAN.settings_of(name)] for name in GRID["experiments"]}
    few = [f"{lang}-{size}" for lang in ("it", "uk") for size in (1000, 2000, 3000, 4000)]
    assert names == {
        "many_to_one": ["all"],
        "transfer_zero_shot": ["es", "ru"],
        "transfer_few_shot": few,
        "cross_domain": ["tatoeba"],
    }
    with pytest.raises(ValueError, match="no experiment 'x'; choose from many_to_one"):
        PLAN.settings_of("x")


def test_runs_share_updates_and_seeds_and_the_baseline_comes_first():
    for setting in PLAN.settings.values():
        runs = PLAN.runs_of(setting, 1)
        assert runs[0].system == "byte_dense"
        updates = {after(COMMANDS.train(run), "--max-update")[0] for run in runs}
        assert len(updates) == 1
    assert {run.seed for run in PLAN.runs_of(PLAN.settings["many_to_one", "all"])} == {1, 2}


def test_few_shot_starts_from_the_zero_shot_model():
    run = PLAN.run_at("transfer_few_shot", "it-2000", "byte_ncf_dense", "1")
    command = COMMANDS.train(run)
    assert after(command, "--finetune-from-model") == [
        "runs/experiments/small/transfer_zero_shot/es/byte_ncf_dense/seed1/average.pt"
    ]
    assert command[1] == "runs/experiments/small/data/transfer_few_shot.it/2000"
    assert "--encoder-fusion ncf" in join(command)
    # The experiment's own flags come last, so that they win.
    assert join(command).index("--lr 4e-3") < join(command).index("--lr 1e-3")


def test_commands_name_languages_units_and_temperature():
    run = PLAN.run_at("many_to_one", "all", "subword", 1)
    command = COMMANDS.train(run)
    assert command[command.index("-s") + 1] == "de,fr,es,pt,nl,tr,ru"
    assert after(command, "--sampling-temperature") == ["5"]
    assert after(command, "--source-unit") == ["sentencepiece"]
    generate = COMMANDS.generate(run, run.setting.tests[-1])
    assert generate[generate.index("-s") + 1] == "ru"
    assert after(generate, "--target-unit") == ["sentencepiece"]
    one = COMMANDS.train(PLAN.run_at("cross_domain", "tatoeba", "byte_dense", 1))
    assert "--sampling-temperature" not in one
    assert "--source-unit" not in one


def test_models_of_another_experiment_are_tested_without_training():
    domains = {
        "models": "transfer_zero_shot/ru",
        "tests": ["tico19"],
        "systems": {"byte_dense": [1], "subword": [1]},
    }
    plan, commands = build(changed(GRID, "experiments/cross_domain", domains))
    (setting,) = plan.settings_of("cross_domain")
    assert [(t.name, t.averaged) for t in setting.tests] == [
        ("tico19", True), ("bible", False)
    ]  # fmt: skip
    run = plan.runs_of(setting)[0]
    first = "runs/experiments/small/transfer_zero_shot/ru/byte_dense/seed1"
    generate = commands.generate(run, setting.tests[0])
    assert after(generate, "--path") == [f"{first}/average.pt"]
    assert plan.spec_of(setting).updates == 1500
    # Its sentences are not in the training data of those models either.
    job = commands.pairs.jobs["transfer_zero_shot.ru", "ru"]
    assert ("tico19", "ru") in job.exclude


def test_a_sweep_trains_every_combination_on_the_data_of_another_experiment():
    sweep = {
        "like": "many_to_one/all",
        "systems": {"byte_dense": [1]},
        "values": {"lr": [0.001, "5e-3"], "dropout": [0]},
        "flags": "--clip-norm 2",
        "updates": 300,
        "save_every": 100,
    }
    plan, commands = build(changed(GRID, "experiments/sweep", sweep))
    settings = plan.settings_of("sweep")
    assert [s.name for s in settings] == ["lr_0.001-dropout_0", "lr_5e-3-dropout_0"]
    command = join(commands.train(plan.runs_of(settings[1])[0]))
    assert "/data/many_to_one " in command
    assert "--clip-norm 2 --lr 5e-3 --dropout 0" in command
    assert "--sampling-temperature 5" in command


def test_a_training_that_ends_early_keeps_its_best_checkpoint():
    plan, commands = build(changed(GRID, "experiments/transfer_few_shot/patience", 3))
    run = plan.run_at("transfer_few_shot", "it-2000", "byte_dense", 1)
    assert after(commands.train(run), "--patience") == ["3"]
    assert commands.average(run)[2].endswith("/checkpoints/checkpoint_best.pt")
    few = PLAN.run_at("transfer_few_shot", "it-2000", "byte_dense", 1)
    assert "--patience" not in COMMANDS.train(few)
    assert after(COMMANDS.average(few), "--last") == ["3"]


def test_approximations_give_each_term_a_weight():
    plan, commands = build(grid_of("smoke"))
    setting = plan.settings["embedding_approximation", "hybrid-noise_0.5"]
    (run,) = plan.runs_of(setting)
    command = join(commands.train(run))
    assert "--ce-weight 1 --cos-weight 1 --l2-weight 0 --nbr-weight 0" in command
    assert "--noise-prob 0.5 " in command
    teacher = "runs/experiments/smoke/composers/all/mixture_hybrid/seed1/average.pt"
    assert commands.train_inputs(run) == [teacher]
    learned = plan.run_at("composers", "all", "char2subword_learned", 1)
    start = f"runs/experiments/smoke/{run.path}/average.pt"
    assert after(commands.train(learned), "--char2subword-from") == [start]
    assert start in commands.train_inputs(learned)


def test_the_paper_profile_has_what_was_published():
    grid = build(grid_of("paper"))[0].grid
    zero, few, domains = (
        grid.experiments[name]
        for name in ("transfer_zero_shot", "transfer_few_shot", "cross_domain")
    )
    assert (zero.updates, few.updates, domains.updates) == (50000, 5000, 50000)
    assert few.sizes == [1000, 2000, 3000, 4000]
    many = grid.experiments["many_to_one"]
    assert (many.sampling_temperature, many.tests) == (1.5, ["flores101"])
    assert {e.max_bytes for e in (many, zero, domains)} == {800}
    assert {s: grid.flags_of(s)[-2:] for s in grid.system_flags} == {
        "byte_one_hot": ["--one-hot-output-scale", "sqrt-dim"],
        "byte_ncf_one_hot": ["--one-hot-output", "learned"],
        "byte_wsf_one_hot": ["--one-hot-output", "learned"],
    }


@pytest.mark.parametrize("profile", ["smoke", "small", "paper"])
def test_fairseq_knows_the_flags_of_every_training(profile):
    plan, commands = build(grid_of(profile))
    shapes = {}
    for setting in plan.settings.values():
        for run in plan.runs_of(setting):
            shapes[setting.experiment, run.system] = run
    for run in shapes.values():
        if run.setting.models is None:
            program, *args = map(str, commands.train(run))
            if program == "python":  # as a small BERT is trained
                continue
            parser = fairseq_options.get_training_parser()
            fairseq_options.parse_args_and_arch(parser, args)


def test_scores_average_what_was_not_trained_on():
    command = COMMANDS.score(PLAN.settings["cross_domain", "tatoeba"], 1)
    assert after(command, "--each") == ["bible,mlqe_pe,tico19,tatoeba"]
    assert after(command, "--average") == ["bible,mlqe_pe,tico19"]
    assert len(after(command, "--ref")) == 4


def test_references_are_scored_with_the_model_that_translates():
    run = PLAN.run_at("many_to_one", "all", "subword", 1)
    test = run.setting.tests[0]
    command = COMMANDS.score_references(run, test)
    assert command == [*COMMANDS.generate(run, test), "--score-reference"]
    assert COMMANDS.score_log(run, test).endswith("/seed1/references/de.log")
