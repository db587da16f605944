"""Validation losses of systems with different units."""

from ..steps.recording import read_json
from .logs import read_training


def bits_per_byte(commands, run):
    """Validation loss of a run, spread over the bytes of the target, so that units compare.

    Args:
        commands (PairCommands)
        run (Run)

    Returns:
        dict: updates -> float
    """
    folder = commands.model_dir(run)
    unit = read_json(f"{folder}/trained.json")["unit"]
    tokens = read_json(f"{commands.data_dir(run.setting.data)}/tokens.json")
    ratio = tokens["valid_target"][unit] / tokens["valid_target"]["byte"]
    validations = read_training(f"{folder}/train.log").validations
    return {updates: found.nll * ratio for updates, found in validations.items()}
