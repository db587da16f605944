"""What several tests need: data directories, tiny models, fairseq's commands."""

import os
import socket
import subprocess
import sys
import sysconfig
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch
from fairseq.models import ARCH_CONFIG_REGISTRY

from fairseq_bytefusion.models.byte_transformer import ByteTransformerModel
from fairseq_bytefusion.models.options.byte_transformer import ByteTransformerConfig
from fairseq_bytefusion.text import ByteDictionary

from .in_process import run_module, run_script

REPO = Path(__file__).resolve().parents[1]
USER_DIR = REPO / "fairseq_bytefusion"

# Sentences in several scripts and shapes, an empty and a one-byte one among them.
SENTENCES = [
    "kal subah 7 baje alarm laga do",
    "Привет, мир",
    "",
    "a",
    "नमस्ते दुनिया",
    "   ",
    "世界你好没有空格",
    "👩‍👩‍👧‍👦 und e\u0301",
    "x" * 150,
]


def write_pair(folder, split, sources, targets, src="xx", tgt="en"):
    """Write ``split.src-tgt.{src,tgt}``; sentences are str or bytes."""
    for lang, lines in ((src, sources), (tgt, targets)):
        raw = [s.encode() if isinstance(s, str) else s for s in lines]
        path = Path(folder) / f"{split}.{src}-{tgt}.{lang}"
        path.write_bytes(b"".join(line + b"\n" for line in raw))


def model_args(arch="byte_transformer_tiny", **overrides):
    """A full config of ``arch``, as a namespace."""
    args = Namespace(**overrides)
    ARCH_CONFIG_REGISTRY[arch](args)
    defaults = ByteTransformerConfig()
    for name in ByteTransformerConfig.__dataclass_fields__:
        if not name.startswith("_") and not hasattr(args, name):
            setattr(args, name, getattr(defaults, name))
    args.max_source_positions = overrides.get("max_source_positions", 2048)
    args.max_target_positions = overrides.get("max_target_positions", 2048)
    return args


#: options of a language model, as a checkpoint keeps them
TINY_LANGUAGE_MODEL = {
    "encoder_embed_dim": 8,
    "lstm_dim": 12,
    "char_cnn_filters": "1:4,2:4",
    "max_word_chars": 9,
}


class DictionaryTask:
    """The part of a task that building a model needs."""

    def __init__(self, source=None, target=None):
        self.source_dictionary = source or ByteDictionary()
        self.target_dictionary = target or ByteDictionary()

    def source_words(self):
        return [b"a", b"kal", b"alarm", "दुनिया".encode(), b"x" * 150]

    def language_model(self, path):
        return TINY_LANGUAGE_MODEL


def build_model(arch="byte_transformer_tiny", seed=1, **overrides):
    """A ``byte_transformer`` with random weights, in eval mode."""
    torch.manual_seed(seed)
    args = model_args(arch, **overrides)
    return ByteTransformerModel.build_model(args, DictionaryTask()).eval()


def pad_batch(sentences, left=False, extra=0):
    """Long[B, T] of byte ids, padded on either side with ``extra`` columns more."""
    dictionary = ByteDictionary()
    rows = [dictionary.encode_line(s).long() for s in sentences]
    width = max(map(len, rows)) + extra
    batch = torch.full((len(rows), width), dictionary.pad())
    for i, row in enumerate(rows):
        if left:
            batch[i, width - len(row) :] = row
        else:
            batch[i, : len(row)] = row
    return batch


def run(*command, check=True, stdin=None, env=None, cwd=None, timeout=300):
    """Run a command; returns the finished process with bytes in stdout, stderr."""
    result = subprocess.run(
        [str(part) for part in command],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        timeout=timeout,
        check=False,
    )
    return checked(result) if check else result


def here(run_it, *command, check=True, **kwargs):
    """Run a command in this process by a function of ``in_process``; as :func:`run`."""
    result = run_it(*command, **kwargs)
    return checked(result) if check else result


def checked(result):
    """``result``, the CompletedProcess of a command that shall have gone well."""
    if result.returncode:
        output = result.stdout[-4000:] + result.stderr[-6000:]
        raise AssertionError(f"{result.args} failed:\n{output.decode('utf-8', 'replace')}")
    return result


def command(name, *args):
    """The command line of a command that was installed with the package."""
    return [Path(sysconfig.get_path("scripts")) / name, *args]


def fairseq(verb, *args, apart=False, **kwargs):
    """Run ``fairseq-VERB ARGS --user-dir ...`` on the CPU, as :func:`bytefusion` does."""
    args = (*args, "--user-dir", USER_DIR, "--cpu")
    if apart or "env" in kwargs:
        return run(*command(f"fairseq-{verb}", *args), **kwargs)
    return here(run_module, f"fairseq_cli.{verb}", *args, **kwargs)


def bytefusion(*args, apart=False, **kwargs):
    """Run ``bytefusion ARGS``; returns the finished process, as :func:`run`.

    ``apart``: in a process of its own, which it is in any case where it gets an
    environment of its own.
    """
    if apart or "env" in kwargs:
        return run(*command("bytefusion", *args), **kwargs)
    return here(run_module, "fairseq_bytefusion.cli", *args, **kwargs)


def script(path, *args, apart=False, **kwargs):
    """Run the script ``REPO/PATH ARGS``, as :func:`bytefusion` does."""
    if apart:
        return run(sys.executable, REPO / path, *args, **kwargs)
    return here(run_script, REPO / path, *args, **kwargs)


TRAIN_FLAGS = [
    *("--task", "byte_translation", "--arch", "byte_transformer_tiny"),
    *("--criterion", "label_smoothed_cross_entropy", "--label-smoothing", "0.1"),
    *("--optimizer", "adam", "--lr", "0.005", "--lr-scheduler", "inverse_sqrt"),
    *("--warmup-updates", "10", "--log-format", "simple", "--log-interval", "1"),
    *("--max-tokens", "400", "--num-workers", "0"),
]


def failing(verb, *args):
    """What a fairseq command that fails prints."""
    result = fairseq(verb, *args, check=False)
    assert result.returncode != 0
    return (result.stdout + result.stderr).decode("utf-8").strip()


def train(data, save_dir, *args, **kwargs):
    """Train a tiny model with ``fairseq-train``; later flags win."""
    return fairseq("train", data, "--save-dir", save_dir, *TRAIN_FLAGS, *args, **kwargs)


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def train_with_two_workers(data, save_dir, *flags, by=train):
    """As :func:`train`, or ``by`` another; returns the finished process of each worker."""
    method = f"tcp://127.0.0.1:{free_port()}"

    def worker(rank):
        return by(
            data, save_dir, *flags,
            "--distributed-world-size", "2", "--distributed-rank", rank,
            "--distributed-init-method", method, "--distributed-no-spawn",
            "--distributed-backend", "gloo", "--ddp-backend", "legacy_ddp", apart=True,
        )  # fmt: skip

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(worker, "01"))


APPROXIMATION_FLAGS = [
    *("--task", "embedding_approximation", "--arch", "embedding_approximation"),
    *("--criterion", "embedding_approximation", "--optimizer", "adam", "--lr", "0.003"),
    *("--lr-scheduler", "inverse_sqrt", "--warmup-updates", "10", "--batch-size", "5"),
    *("--char-embed-dim", "16", "--char2subword-layers", "1", "--num-neighbours", "3"),
    *("--log-format", "simple", "--num-workers", "0", "--no-epoch-checkpoints"),
]


def approximate(teacher, save_dir, *args, **kwargs):
    """Learn a table with ``fairseq-train`` and a tiny module; later flags win."""
    flags = (*APPROXIMATION_FLAGS, *args)
    return fairseq("train", teacher, "--save-dir", save_dir, *flags, **kwargs)


def model_language(data, save_dir, *args, **kwargs):
    """Train a tiny language model of the language ``xx``; later flags win."""
    flags = [
        *("--task", "word_language_model", "-s", "xx", "--arch", "bilm_tiny"),
        *("--criterion", "word_language_model", "--optimizer", "adam", "--lr", "0.01"),
        *("--max-tokens", "400", "--num-workers", "0", "--log-format", "simple"),
        "--no-epoch-checkpoints",
    ]
    return fairseq("train", data, "--save-dir", save_dir, *flags, *args, **kwargs)


def train_labels(kind, data, save_dir, *args, **kwargs):
    """Train a tiny tagger (``kind`` tagging) or classifier (classification)."""
    model = {"tagging": "byte_tagger", "classification": "byte_classifier"}[kind]
    flags = [
        *("--task", f"byte_{kind}", "--criterion", f"byte_{kind}", "--arch"),
        *(f"{model}_tiny", "--label-smoothing", "0", "--no-epoch-checkpoints"),
    ]
    return train(data, save_dir, *flags, *args, **kwargs)


def write_labels(folder, split, sentences):
    """Write ``split.conll`` and ``split.tsv``.

    Args:
        sentences (list of tuple): list of (word, label), and the label of the sentence.
    """
    words = "\n".join(
        "".join(f"{word}\t{label}\n" for word, label in tagged) for tagged, _ in sentences
    )
    lines = "".join(
        f"{' '.join(word for word, _ in tagged)}\t{label}\n" for tagged, label in sentences
    )
    (Path(folder) / f"{split}.conll").write_text(words, "utf-8")
    (Path(folder) / f"{split}.tsv").write_text(lines, "utf-8")
