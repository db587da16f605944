# Tables and reports, of any kind of experiment.

for experiment in grid.experiments.values():
    outputs = [f"{RESULTS}/{experiment.name}/{name}" for name in experiment.outputs]

    # Its own code counts as input: a mended report is made again from the same scores.
    rule:
        name:
            f"report_{experiment.name}"
        input:
            experiment.report_inputs(plan),
            sorted(Path(workflow.basedir, "report").glob("*.*")),
        output:
            outputs,
        params:
            experiment=experiment.name,
        run:
            folder = Path(output[0]).parent
            grid.experiments[params.experiment].write_results(plan, folder)

    # The name of an experiment is what one asks for: snakemake ... many_to_one
    rule:
        name:
            experiment.name
        input:
            outputs,


# What the experiments say about the papers' claims. The script alone does with what is there.
rule claims:
    input:
        rules.all.input,
        sorted(Path(workflow.basedir, "claims").glob("*.*")),
    output:
        f"{RESULTS}/README.md",
    shell:
        "python scripts/experiments/claims/page.py {RESULTS:q}"
