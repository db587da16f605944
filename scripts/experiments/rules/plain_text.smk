# Plain text: the folders of what is learned before any task.

import glob

from scripts.experiments.kinds.plain_text import DONE, SPLITS


def plain_text_inputs(wildcards):
    if grid.sample_pairs:
        return [f"{grid.data_root}/sliced.done"]
    experiment = grid.experiments[wildcards.data]
    patterns = [name for split in SPLITS for name in experiment.texts(grid, split)]
    # A pattern of no file is told by the step.
    return [path for pattern in patterns for path in sorted(glob.glob(pattern))]


rule plain_text:
    input:
        plain_text_inputs,
    output:
        touch(f"{WORK}/data/{{data}}/{DONE}"),
    params:
        command=lambda w: " && ".join(
            map(join, grid.experiments[w.data].data_steps(grid))
        ),
    shell:
        "{params.command}"
