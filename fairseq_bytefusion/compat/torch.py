"""Workarounds for torch."""

import argparse


def allow_checkpoint_globals():
    """Let torch load what fairseq writes into a checkpoint.

    Symptom: ``Weights only load failed ... Unsupported global: argparse.Namespace``
    in generate, interactive and resumed training; and the numpy reconstruction
    functions, which ``--eval-bleu`` adds (it logs n-gram counts as arrays). torch
    >= 2.6, whose ``torch.load`` defaults to ``weights_only=True``; that protection
    stays on.
    """
    import numpy as np
    import torch

    if not hasattr(torch.serialization, "add_safe_globals"):  # torch < 2.4
        return
    multiarray = getattr(np, "_core", getattr(np, "core", None)).multiarray
    allowed = [argparse.Namespace, np.ndarray, np.dtype]
    allowed += [multiarray._reconstruct, multiarray.scalar]
    allowed += [type(np.dtype(t)) for t in (np.int32, np.int64, np.float32, np.float64)]
    torch.serialization.add_safe_globals(allowed)
