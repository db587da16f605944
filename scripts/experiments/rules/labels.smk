# Labels: data directories, and what models make of the test sets.

from scripts.experiments.labels.commands import DONE, LabelCommands

label_commands = LabelCommands(plan)


def labelled_inputs(wildcards):
    if grid.sample_pairs:
        return [f"{grid.data_root}/sliced.done"]
    return list(label_commands.files(grid.experiments[wildcards.data]).values())


rule labelled:
    input:
        labelled_inputs,
    output:
        touch(f"{WORK}/data/{{data}}/{DONE}"),
    params:
        command=lambda w: " && ".join(
            map(join, label_commands.data_steps(grid.experiments[w.data]))
        ),
    shell:
        "{params.command}"


def label_test_of(wildcards):
    run = run_of(wildcards)
    return run, next(t for t in run.setting.tests if t.name == wildcards.test)


rule evaluate:
    input:
        lambda w: f"{commands.model_dir(run_of(w))}/average.pt",
    output:
        f"{WORK}/{RUN}/{{test}}.scores.json",
    params:
        command=lambda w: join(label_commands.evaluate(*label_test_of(w))),
    threads: grid.threads
    shell:
        "OMP_NUM_THREADS={threads} {params.command} > {output:q}.part"
        " && mv {output:q}.part {output:q}"
