# Translation: data directories, their vocabularies, how long sentences are in each unit.

from scripts.experiments.pairs.commands import PairCommands
from scripts.experiments.pairs.plan import Pairs

pairs, pair_commands = plan.part(Pairs), PairCommands(plan)


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
    return checked(pair_commands.inputs_of, job)


def prepare_inputs(wildcards):
    job = pairs.jobs[wildcards.data, wildcards.source]
    files = dataset_files(job)
    if pair_commands.is_cut(job):
        files.append(f"{WORK}/cut/{job.data}/{job.source}.cut")
    if job.misspelt:
        files.append(pair_commands.misspelt_file(job))
    return files


def prepare_command(wildcards):
    job = pairs.jobs[wildcards.data, wildcards.source]
    out = pair_commands.data_dir(job.data)
    return join(checked(pair_commands.prepare, job, out, grid.moses))


def reference_job(wildcards):
    """The test set alone, as it came."""
    job = pairs.jobs[wildcards.data, wildcards.source]
    return replace(job, splits=("test",), exclude=(), misspelt=0)


def reference_command(wildcards):
    job = reference_job(wildcards)
    out = pair_commands.reference_dir(job.data)
    return join(checked(pair_commands.prepare, job, out, False))


def vocabulary_command(wildcards):
    return " && ".join(map(join, pair_commands.vocabulary(wildcards.data)))


def vocabulary_inputs(wildcards):
    needed = [filled(wildcards.data)]
    setting, _ = pairs.user_of(wildcards.data)
    if setting.vocabulary != wildcards.data:
        needed.append([f"{WORK}/data/{setting.vocabulary}/vocabulary.done"])
    return sum(needed, [])


def filled(data):
    """Marks of a data directory whose text is there."""
    if data in pairs.samples:
        return [f"{WORK}/data/{pairs.samples[data].folder}/sampled.done"]
    return [f"{WORK}/data/{data}/{job.source}.prepared" for job in pairs.pairs_in(data)]


rule slices:
    output:
        touch(f"{grid.data_root}/sliced.done"),
    params:
        pairs=grid.sample_pairs,
        out=grid.data_root,
    shell:
        f"python {STEPS}/slice_sample.py data_prep/sample"
        " --pairs {params.pairs} --out {params.out:q}"


def job_of(wildcards):
    return pairs.jobs[wildcards.data, wildcards.source]


rule cut:
    input:
        lambda w: dataset_files(job_of(w)),
    output:
        touch(f"{WORK}/cut/{{data}}/{{source}}.cut"),
    params:
        command=lambda w: join(pair_commands.cut(job_of(w))),
    shell:
        "{params.command}"


rule misspell:
    input:
        lambda w: dataset_files(job_of(w)),
    output:
        f"{WORK}/misspelt/{{data}}/{{source}}.txt",
    params:
        command=lambda w: join(pair_commands.misspell(job_of(w))),
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


def sample_inputs(wildcards):
    sample = pairs.sample_in(wildcards.folder)
    return f"{WORK}/data/{sample.data}/{sample.source}.prepared"


rule sample:
    input:
        sample_inputs,
    output:
        touch(f"{WORK}/data/{{folder}}/sampled.done"),
    params:
        command=lambda w: join(pair_commands.sample(pairs.sample_in(w.folder))),
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


rule measure:
    input:
        f"{WORK}/data/{{data}}/vocabulary.done",
    output:
        f"{WORK}/data/{{data}}/tokens.json",
    params:
        command=lambda w: join(pair_commands.measure(w.data)),
    shell:
        "{params.command}"


rule training_words:
    input:
        f"{WORK}/data/{{data}}/vocabulary.done",
    output:
        f"{WORK}/data/{{data}}/words.{{target}}.txt",
    params:
        command=lambda w: join(pair_commands.training_words(w.data)),
    shell:
        "{params.command}"
