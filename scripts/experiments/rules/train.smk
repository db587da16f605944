# One training, of any kind of experiment, and its averaged checkpoint.


def run_of(wildcards):
    return plan.run_at(
        wildcards.experiment, wildcards.setting, wildcards.system, wildcards.seed
    )


# The checkpoints are no output: Snakemake deletes those of a job that failed, and a
# training goes on from its last checkpoint.
rule train:
    input:
        lambda w: commands.train_inputs(run_of(w)),
    output:
        f"{WORK}/{RUN}/trained.json",
    params:
        command=lambda w: join(commands.train_step(run_of(w))),
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
