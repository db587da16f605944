# Scores, tables and reports.


def score_inputs(wildcards):
    setting = plan.settings[wildcards.experiment, wildcards.setting]
    logs = [
        f"{commands.run_dir(run)}/{test.name}.log"
        for run in plan.runs_of(setting, int(wildcards.seed))
        for test in setting.tests
    ]
    references = [
        f"{commands.reference_dir(test.data)}/{test.source}.prepared"
        for test in setting.tests
    ]
    return logs + references


def score_command(wildcards):
    setting = plan.settings[wildcards.experiment, wildcards.setting]
    return join(commands.score(setting, int(wildcards.seed)))


rule score:
    input:
        score_inputs,
    output:
        f"{WORK}/{{experiment}}/{{setting}}/scores.seed{{seed}}.json",
    params:
        command=score_command,
    shell:
        "{params.command} > {output:q}.part && mv {output:q}.part {output:q}"


def report_inputs(wildcards):
    settings = plan.settings_of(wildcards.experiment)
    if wildcards.experiment == "transfer_few_shot":
        settings = settings + plan.settings_of("transfer_zero_shot")
    return [
        commands.scores(setting, seed)
        for setting in settings
        for seed in plan.seeds_of(wildcards.experiment)
    ]


# Its own code counts as input: a mended report is made again from the same scores.
rule report:
    input:
        report_inputs,
        sorted(Path(workflow.basedir, "report").glob("*.*")),
    output:
        expand(f"{RESULTS}/{{{{experiment}}}}/{{file}}", file=["table.md", "table.csv", "report.html"]),
    run:
        from scripts.experiments.report.page import write_report

        write_report(plan, commands, wildcards.experiment, Path(output[0]).parent)


# The name of an experiment is what one asks for: snakemake ... many_to_one
for name in grid.experiments:

    rule:
        name:
            name
        input:
            f"{RESULTS}/{name}/report.html",
