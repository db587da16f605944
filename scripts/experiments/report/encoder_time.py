"""How long the encoders of an experiment take for its test set."""

from data_prep.output import write_atomically

from ..grid.commands import join
from ..steps.recording import read_json


def write_encoder_time(plan, experiment, folder):
    """Write ``encoder.md``.

    Args:
        plan (Plan)
        experiment (Composers)
        folder (Path)
    """
    command, paths = experiment.encoder_time(plan)
    seconds = read_json(command[-1])
    rows = [f"| {path.split('/')[-3]} | {seconds[path]:.2f} |" for path in paths]
    lines = [
        "Encoding the clean test set: median of 5 interleaved rounds on one core, by",
        "",
        f"    {join(command)}",
        "",
        *("| system | encoder, s |", "| --- | --- |", *rows),
    ]
    write_atomically(str(folder / "encoder.md"), "\n".join([*lines, ""]).encode())
