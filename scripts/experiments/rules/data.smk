# Data directories, their vocabularies, and how long sentences are in each unit.


def checked(function, *args):
    """What is wrong with the data as one sentence, not a traceback."""
    try:
        return function(*args)
    except (ValueError, OSError) as error:
        raise WorkflowError(str(error)) from None


def dataset_files(job):
    """Files of a dataset that a job reads, or the mark that they are made."""
    if grid.sample_pairs:
        return [f"{grid.data_root}/sliced.done"]
    return checked(commands.inputs_of, job)


def prepare_inputs(wildcards):
    job = plan.jobs[wildcards.data, wildcards.source]
    files = dataset_files(job)
    if grid.datasets[job.dataset].cut_to_shorter and "train" in job.splits:
        files.append(f"{WORK}/cut/{job.data}/{job.source}.cut")
    return files


def prepare_command(wildcards):
    job = plan.jobs[wildcards.data, wildcards.source]
    out = commands.data_dir(job.data)
    return join(checked(commands.prepare, job, out, grid.moses))


def reference_job(wildcards):
    """The test set alone."""
    job = plan.jobs[wildcards.data, wildcards.source]
    return replace(job, splits=("test",), exclude=())


def reference_command(wildcards):
    job = reference_job(wildcards)
    out = commands.reference_dir(job.data)
    return join(checked(commands.prepare, job, out, False))


def vocabulary_command(wildcards):
    """Train the vocabularies of a setting, or copy them to where they are used."""
    for setting in plan.settings.values():
        if wildcards.data == setting.vocabulary:
            return join(commands.vocabulary(first_of(setting.vocabulary)))
    setting, source = user_of(wildcards.data)
    there = commands.data_dir(setting.vocabulary)
    here = commands.data_dir(wildcards.data)
    trained = first_of(setting.vocabulary).sources[0]
    names = [(f"{trained}", source), (setting.target, setting.target)]
    return " && ".join(
        join(["cp", f"{there}/{kind.format(old)}", f"{here}/{kind.format(new)}"])
        for old, new in names
        for kind in ("spm.{}.model", "dict.char.{}.txt")
    )


def first_of(vocabulary):
    """The setting that trains a vocabulary, not one that is fine-tuned with it."""
    return next(s for s in plan.settings.values() if s.data == vocabulary)


def user_of(data):
    """A setting that reads a data directory, and the source language there."""
    for setting in plan.settings.values():
        if setting.data == data:
            return setting, setting.sources[0]
        for test in setting.tests:
            if test.data == data:
                return setting, test.source
    raise WorkflowError(f"no setting reads {data}")


def vocabulary_inputs(wildcards):
    needed = [filled(wildcards.data)]
    setting, _ = user_of(wildcards.data)
    if setting.vocabulary != wildcards.data:
        needed.append([f"{WORK}/data/{setting.vocabulary}/vocabulary.done"])
    return sum(needed, [])


def filled(data):
    """Marks of a data directory whose text is there."""
    if data in plan.samples:
        _, source = plan.samples[data]
        return [f"{WORK}/data/few.{source}/sampled.done"]
    return [f"{WORK}/data/{data}/{job.source}.prepared" for job in plan.pairs_in(data)]


rule slices:
    output:
        touch(f"{grid.data_root}/sliced.done"),
    params:
        pairs=grid.sample_pairs,
        out=grid.data_root,
    shell:
        f"python {STEPS}/slice_sample.py data_prep/sample"
        " --pairs {params.pairs} --out {params.out}"


def cut_job(wildcards):
    return plan.jobs[wildcards.data, wildcards.source]


rule cut:
    input:
        lambda w: dataset_files(cut_job(w)),
    output:
        touch(f"{WORK}/cut/{{data}}/{{source}}.cut"),
    params:
        command=lambda w: join(commands.cut(cut_job(w))),
    shell:
        "{params.command}"


rule prepare:
    input:
        prepare_inputs,
    output:
        touch(f"{WORK}/data/{{data}}/{{source}}.prepared"),
    params:
        command=prepare_command,
    shell:
        "{params.command}"


rule reference:
    """The untouched references of tokenised test sets."""
    input:
        lambda w: dataset_files(reference_job(w)),
    output:
        touch(f"{WORK}/references/{{data}}/{{source}}.prepared"),
    params:
        command=reference_command,
    shell:
        "{params.command}"


def sample_command(wildcards):
    spec = grid.experiments["transfer_few_shot"]
    target = grid.experiments["transfer_zero_shot"].target
    return join(
        [
            *("python", "data_prep/few_shot.py"),
            commands.data_dir(f"transfer.{wildcards.source}"),
            *("-s", wildcards.source, "-t", target, "--sizes", *spec.sizes),
            *("--out", commands.data_dir(f"few.{wildcards.source}")),
        ]
    )


rule few_shot:
    input:
        f"{WORK}/data/transfer.{{source}}/{{source}}.prepared",
    output:
        touch(f"{WORK}/data/few.{{source}}/sampled.done"),
    params:
        command=sample_command,
    shell:
        "{params.command}"


rule vocabulary:
    input:
        vocabulary_inputs,
    output:
        touch(f"{WORK}/data/{{data}}/vocabulary.done"),
    params:
        command=vocabulary_command,
    shell:
        "{params.command}"


def measure_command(wildcards):
    setting = first_of(wildcards.data)
    return join(
        [
            *("python", f"{STEPS}/measure_units.py", commands.data_dir(wildcards.data)),
            *("-s", ",".join(setting.sources), "-t", setting.target),
            *("--temperature", setting.temperature or 1),
        ]
    )


rule measure:
    input:
        f"{WORK}/data/{{data}}/vocabulary.done",
    output:
        f"{WORK}/data/{{data}}/tokens.json",
    params:
        command=measure_command,
    shell:
        "{params.command} --out {output}"
