"""Workarounds for fairseq, but for its checkpoints."""

import contextlib
import importlib.util
import itertools
import logging
import os
import sys

from .replacing import replacing

logger = logging.getLogger(__name__)


def quiet_fairseq_import():
    """Keep ``import fairseq`` from configuring everybody's logging.

    Symptom: ``INFO:fairseq.tasks.text_to_speech:Please install tensorboardX`` on
    stderr at every import outside the fairseq commands, and from then on what other
    libraries log at level DEBUG. fairseq 0.12.
    """
    logging.basicConfig(level=logging.WARNING)  # nothing, where somebody did so already
    logging.getLogger("fairseq.tasks.text_to_speech").setLevel(logging.WARNING)


def keep_last_batch():
    """Keep the sentences that fairseq silently leaves out of its batches.

    Symptom: ``fairseq-generate`` translates 8 of 14 sentences, and training on
    four says ``The dataset is empty``: a last batch that is no multiple of
    ``--required-batch-size-multiple`` (8 by default) is dropped. fairseq-fixed
    0.12.3.1 (fairseq's main branch).
    """
    import numpy as np
    from fairseq.data import data_utils

    @replacing(data_utils, "batch_by_size")
    def batch_by_size(original, indices, *args, **kwargs):
        if not isinstance(indices, np.ndarray):
            indices = np.fromiter(indices, dtype=np.int64)
        if not len(indices):
            return []
        batches = list(original(indices, *args, **kwargs))
        kept = sum(map(len, batches))
        return batches if kept == len(indices) else [*batches, indices[kept:]]


def keep_paths_with_colons():
    """Let a file or a folder that exists win over several joined by colons.

    Symptom: ``Model file not found: run`` for ``--path run:1/checkpoint_best.pt``, and a
    data directory with a colon in its name is read as two. Any version.
    """
    from fairseq import utils

    @replacing(utils, "split_paths")
    def split_paths(original, paths, separator=os.pathsep):
        if separator != os.pathsep or "://" in paths:
            return original(paths, separator)
        parts, found = paths.split(separator), []
        while parts:
            joined = [separator.join(parts[:n]) for n in range(len(parts), 0, -1)]
            found.append(next(filter(os.path.exists, joined), parts[0]))
            parts = parts[found[-1].count(separator) + 1 :]
        return found


def keep_diverse_groups_within_batch():
    """Let ``--diverse-beam-groups`` translate more than one batch.

    Symptom: ``IndexError: index 32 is out of bounds for dimension 0 with size 32`` from
    the second batch on: it looks up a sentence of the batch by its number in the test
    set. fairseq-fixed 0.12.3.1 (fairseq's main branch).
    """
    from fairseq.search import DiverseBeamSearch

    @replacing(DiverseBeamSearch, "step")
    def step(
        original,
        self,
        step,
        lprobs,
        scores,
        prev_output_tokens=None,
        original_batch_idxs=None,
    ):
        rows = original_batch_idxs
        if rows is not None:
            if step == 0:
                self.batch_ids = rows
            rows = rows[:, None].eq(self.batch_ids).int().argmax(1)
        return original(self, step, lprobs, scores, prev_output_tokens, rows)


def keep_bf16_in_generation():
    """Let ``--bf16`` count in ``fairseq-generate`` and ``fairseq-interactive``.

    Symptom: none, they compute in 32 bits; ``--fp16`` alone is looked at. Any version.
    """
    from fairseq.models import BaseFairseqModel

    @replacing(BaseFairseqModel, "prepare_for_inference_")
    def prepare_for_inference_(original, self, cfg):
        original(self, cfg)
        common = getattr(cfg, "common", None)
        if getattr(common, "bf16", False) and not getattr(common, "fp16", False):
            self.bfloat16()


def read_interactive_lines_raw(read_sentences):
    """Let ``fairseq-interactive`` read what the other commands read.

    Symptom: with ``--input FILE`` a byte that is not UTF-8 aborts it and a lone
    carriage return starts a new sentence; white space around a line is lost, a
    byte-order mark is not. Any version.

    Args:
        read_sentences (callable): a file to its lines, see ``text.lines``. It is handed
            in: what it is made of imports fairseq, and this package comes before that.
    """

    def buffered_read(path, buffer_size):
        """Lists of at most ``buffer_size`` lines of a file, or of stdin for ``-``."""
        with contextlib.ExitStack() as stack:
            stream = sys.stdin if path == "-" else stack.enter_context(open(path, "rb"))
            sentences = read_sentences(stream)
            while buffer := list(itertools.islice(sentences, buffer_size)):
                yield buffer

    for name in ("fairseq_cli.interactive", "__main__"):
        module = sys.modules.get(name)
        path = getattr(module, "__file__", None) or ""
        if os.path.basename(path) == "interactive.py" and hasattr(module, "buffered_read"):
            module.buffered_read = buffered_read


def train_in_half_precision():
    """Let ``--fp16`` and ``--bf16`` train on a CPU, and ``--bf16`` on a GPU.

    Symptom: ``Torch not compiled with CUDA enabled`` for ``--fp16 --cpu``, ``'NoneType'
    object has no attribute 'xla_device'`` for ``--bf16`` on anything. fairseq 0.12 asks
    for the number of the GPU to lay gradients end to end, moves a norm there, and takes
    ``--bf16`` to mean ``--tpu``.

    Raises:
        ValueError: from the parser, where torch cannot train with ``--fp16``.
    """
    from fairseq import options

    @replacing(options, "parse_args_and_arch")
    def parse_args_and_arch(original, *args, **kwargs):
        parsed = original(*args, **kwargs)
        args = parsed[0] if isinstance(parsed, tuple) else parsed
        if hasattr(args, "fp16_no_flatten_grads"):
            _choose_device(args, is_tpu=importlib.util.find_spec("torch_xla") is not None)
        return parsed


def _choose_device(args, is_tpu):
    import torch

    args.tpu = args.tpu and is_tpu
    if args.tpu or (torch.cuda.is_available() and not args.cpu):
        return
    if args.amp:
        logger.warning("--amp does nothing without a GPU; --bf16 does")
    if args.fp16 and not can_halve(torch):
        raise ValueError(
            f"torch {torch.__version__} cannot train with --fp16 without a GPU: give "
            "--bf16, or drop that flag"
        )
    args.fp16_no_flatten_grads = args.fp16_no_flatten_grads or args.fp16 or args.bf16
    if args.fp16 and not torch.cuda.is_available():
        # fairseq puts the norm of an update that overflows on the GPU.
        torch.Tensor.cuda = lambda self, *args, **kwargs: self


def can_halve(torch):
    """Whether a CPU has what a Transformer layer does, in 16 bits (torch 2.0 does not)."""
    x = torch.ones(2, 2, dtype=torch.half, requires_grad=True)
    try:
        torch.nn.functional.layer_norm((x @ x).softmax(-1), (2,)).sum().backward()
    except RuntimeError:
        return False
    return True
