# One training, its averaged checkpoint, its translations.


def run_of(wildcards):
    return plan.run_at(
        wildcards.experiment, wildcards.setting, wildcards.system, wildcards.seed
    )


def train_inputs(wildcards):
    run = run_of(wildcards)
    data = f"{WORK}/data/{run.setting.data}"
    needed = [f"{data}/vocabulary.done", f"{data}/tokens.json"]
    if run.setting.start is not None:
        first = plan.run_at("transfer_zero_shot", run.setting.start, run.system, run.seed)
        needed.append(f"{commands.run_dir(first)}/average.pt")
    return needed


def train_command(wildcards):
    """The wrapper and, after --, what it runs."""
    run = run_of(wildcards)
    data = commands.data_dir(run.setting.data)
    return join(
        [
            *("python", f"{STEPS}/train.py", "--run", commands.run_dir(run)),
            *("--data", data, "--tokens", f"{data}/tokens.json"),
            *("--unit", grid.systems[run.system].unit, "--max-tokens", grid.max_tokens),
            *("--", *commands.train(run)),
        ]
    )


# The checkpoints are no output: Snakemake deletes those of a job that failed, and a
# training goes on from its last checkpoint.
rule train:
    input:
        train_inputs,
    output:
        f"{WORK}/{RUN}/trained.json",
    params:
        command=train_command,
    threads: grid.threads
    resources:
        **grid.resources,
    shell:
        "OMP_NUM_THREADS={threads} {params.command}"


rule average:
    input:
        f"{WORK}/{RUN}/trained.json",
    output:
        f"{WORK}/{RUN}/average.pt",
    params:
        command=lambda w: join(commands.average(run_of(w))),
    shell:
        "{params.command}"


def test_of(wildcards):
    run = run_of(wildcards)
    return next(test for test in run.setting.tests if test.name == wildcards.test)


rule generate:
    input:
        f"{WORK}/{RUN}/average.pt",
        lambda w: f"{WORK}/data/{test_of(w).data}/vocabulary.done",
    output:
        f"{WORK}/{RUN}/{{test}}.log",
    params:
        command=lambda w: join(commands.generate(run_of(w), test_of(w))),
    threads: grid.threads
    shell:
        "OMP_NUM_THREADS={threads} python {STEPS}/generate.py --log {output:q}"
        " -- {params.command}"
