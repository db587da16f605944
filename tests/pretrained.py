"""Trainings that stand on a small BERT, for tests of pre-trained encoders."""

from .helpers import APPROXIMATION_FLAGS, fairseq, train_labels
from .test_end_to_end import model_of

LAST = "checkpoint_last.pt"
CHAR2SUBWORD = ("--char-embed-dim", "16", "--char2subword-layers", "1")
MODES = {
    "pieces": (),
    "full": ("--encoder-embedder", "char2subword", *CHAR2SUBWORD),
    "hybrid": ("--encoder-embedder", "char2subword", *CHAR2SUBWORD),
}


def mask(data, bert, save_dir, *args, **kwargs):
    """Train char2subword on masked pieces; later flags win."""
    flags = [
        *APPROXIMATION_FLAGS,
        *("--task", "masked_pieces", "--arch", "char2subword_mlm", "-s", "xx"),
        *("--criterion", "masked_pieces", "--pretrained", bert),
    ]
    i = flags.index("--num-neighbours")
    flags = [*flags[:i], *flags[i + 2 :]]
    return fairseq("train", data, "--save-dir", save_dir, *flags, *args, **kwargs)


def tag(kind, mode, data, bert, save_dir, *args, **kwargs):
    """Train a labelling model on a pre-trained encoder; later flags win."""
    flags = ("--encoder-type", "pretrained", "--pretrained", bert, "--pretrained-input")
    flags = (*flags, mode, *MODES[mode], *args)
    return train_labels(kind, data, save_dir, *flags, **kwargs)


def printed(result):
    return (result.stdout + result.stderr).decode()


def part_of(path, prefix="composer."):
    """dict of str to Tensor: the parameters that begin with ``prefix``, without it."""
    return {n[len(prefix) :]: x for n, x in model_of(path).items() if n.startswith(prefix)}
