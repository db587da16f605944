# Translation: what models make of the test sets, and its scores.


def test_of(wildcards):
    run = run_of(wildcards)
    return next(test for test in run.setting.tests if test.name == wildcards.test)


rule generate:
    input:
        lambda w: f"{commands.model_dir(run_of(w))}/average.pt",
        lambda w: f"{WORK}/data/{test_of(w).data}/vocabulary.done",
        lambda w: f"{WORK}/data/{run_of(w).setting.data}/tokens.json",
    output:
        f"{WORK}/{RUN}/{{test}}.log",
    params:
        command=lambda w: join(pair_commands.generate_step(run_of(w), test_of(w))),
    threads: grid.threads
    shell:
        "OMP_NUM_THREADS={threads} {params.command}"


# Of another name than a translation's log, so that no rule is ambiguous.
rule score_references:
    input:
        lambda w: f"{commands.model_dir(run_of(w))}/average.pt",
        lambda w: f"{WORK}/data/{test_of(w).data}/vocabulary.done",
    output:
        f"{WORK}/{RUN}/references/{{test}}.log",
    params:
        command=lambda w: join(pair_commands.score_references(run_of(w), test_of(w))),
    threads: grid.threads
    shell:
        "OMP_NUM_THREADS={threads} python {STEPS}/generate.py --log {output:q}"
        " -- {params.command}"


def score_inputs(wildcards):
    setting = plan.settings[wildcards.experiment, wildcards.setting]
    logs = [
        pair_commands.log(run, test)
        for run in plan.runs_of(setting, int(wildcards.seed))
        for test in setting.tests
    ]
    references = [
        f"{pair_commands.reference_dir(test.data)}/{test.source}.prepared"
        for test in setting.tests
    ]
    return logs + references


def score_command(wildcards):
    setting = plan.settings[wildcards.experiment, wildcards.setting]
    return join(pair_commands.score(setting, int(wildcards.seed)))


rule score:
    input:
        score_inputs,
    output:
        f"{WORK}/{{experiment}}/{{setting}}/scores.seed{{seed}}.json",
    params:
        command=score_command,
    shell:
        "{params.command} > {output:q}.part && mv {output:q}.part {output:q}"
