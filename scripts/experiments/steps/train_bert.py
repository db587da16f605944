#!/usr/bin/env python3
"""Train a small BERT on text and write it as Hugging Face has it, with its head.

    python scripts/experiments/steps/train_bert.py train.en more.en --out bert

A WordPiece vocabulary by ``tokenizers``, masked language modelling by ``transformers``: 15%
of the pieces, masked anew whenever a sentence is read. Sentences of more pieces than
positions are cut. Needs the extra ``huggingface``.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from data_prep.output import run_script  # noqa: E402
from fairseq_bytefusion.compat.transformers import (  # noqa: E402
    import_transformers,
    quiet_transformers,
)
from fairseq_bytefusion.text.files import open_text  # noqa: E402
from fairseq_bytefusion.text.lines import raw_lines  # noqa: E402

SPECIAL = {
    f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")
}
MASK_SHARE = 0.15
MOST_NORM = 1.0
SORTED_TOGETHER = 50  # batches


def read_texts(paths):
    """list of str: the lines of files (list of str) that hold a word."""
    texts = []
    for path in paths:
        with open_text(path) as file:
            lines = [line.decode("utf-8", "replace") for line in raw_lines(file)]
        texts += [line for line in lines if line.strip()]
    if not texts:
        raise ValueError(f"{' and '.join(paths)}: there is no text to learn from")
    return texts


def train_tokenizer(transformers, texts, size, keep_case, positions):
    """A WordPiece tokenizer of ``size`` (int) pieces for texts (list of str)."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers
    from tokenizers.processors import TemplateProcessing
    from tokenizers.trainers import WordPieceTrainer

    tokenizer = Tokenizer(models.WordPiece(unk_token=SPECIAL["unk_token"]))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=not keep_case)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = WordPieceTrainer(
        vocab_size=size, special_tokens=list(SPECIAL.values()), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    ends = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=positions, **SPECIAL
    )


def batches(rows, size, seed):
    """Batches of ``size`` rows (list of list of int) of like length, without end; every row
    once an epoch, in an order that ``seed`` draws."""
    rng = random.Random(seed)
    while True:
        order = rng.sample(range(len(rows)), len(rows))
        found = []
        for start in range(0, len(order), SORTED_TOGETHER * size):
            chunk = order[start : start + SORTED_TOGETHER * size]
            chunk.sort(key=lambda i: len(rows[i]))
            found += [chunk[i : i + size] for i in range(0, len(chunk), size)]
        rng.shuffle(found)
        for chosen in found:
            yield [rows[i] for i in chosen]


def train(transformers, model, tokenizer, rows, options):
    """Train ``model``; prints the loss now and then."""
    collate = transformers.DataCollatorForLanguageModeling(
        tokenizer, mlm_probability=MASK_SHARE
    )
    optimizer = torch.optim.AdamW(model.parameters(), options.lr, weight_decay=0.01)
    schedule = transformers.get_linear_schedule_with_warmup(
        optimizer, options.updates // 10, options.updates
    )
    total, count = 0.0, 0
    model.train()
    for update, batch in enumerate(batches(rows, options.batch_size, options.seed), 1):
        batch = collate([{"input_ids": row} for row in batch])
        if not batch["labels"].ge(0).any():  # nothing was masked
            batch["labels"][:, 1] = batch["input_ids"][:, 1]
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), MOST_NORM)
        optimizer.step()
        schedule.step()
        total, count = total + float(loss.detach()), count + 1
        if update % options.log_interval == 0 or update == options.updates:
            print(f"update {update}: loss {total / count:.3f}", flush=True)
            total, count = 0.0, 0
        if update == options.updates:
            return


def save(transformers, model, tokenizer, out):
    """Write a directory that appears whole or not at all."""
    out.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        with quiet_transformers(transformers):
            model.save_pretrained(folder)
            tokenizer.save_pretrained(folder)
        folder.chmod(0o755)
        for path in folder.iterdir():  # which transformers makes its owner's alone
            path.chmod(0o644)
        os.rename(folder, out)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("texts", nargs="+", metavar="FILE", help="a sentence a line")
    parser.add_argument("--out", type=Path, required=True, help="a new directory")
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--keep-case", action="store_true", help="do not lower case")
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--positions", type=int, default=128)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--updates", type=int, default=10000)
    parser.add_argument("--batch-size", type=int, default=64, help="sentences")
    parser.add_argument("--lr", type=float, default=5e-4)
    parser.add_argument("--log-interval", type=int, default=100, help="updates")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    options = parse_args()
    if options.out.exists():
        raise ValueError(f"--out {options.out} is there already: give another")
    if options.dim % options.heads:
        raise ValueError(
            f"--dim {options.dim} is not a multiple of --heads {options.heads}: change one"
        )
    transformers = import_transformers("training a BERT")
    texts = read_texts(options.texts)
    tokenizer = train_tokenizer(
        transformers, texts, options.vocab_size, options.keep_case, options.positions
    )
    rows = tokenizer(texts, truncation=True, max_length=options.positions)["input_ids"]
    num_full = sum(len(row) == options.positions for row in rows)
    torch.manual_seed(options.seed)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=options.dim,
        num_hidden_layers=options.layers,
        num_attention_heads=options.heads,
        intermediate_size=4 * options.dim,
        max_position_embeddings=options.positions,
        hidden_dropout_prob=options.dropout,
        attention_probs_dropout_prob=options.dropout,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = transformers.BertForMaskedLM(config)
    print(
        f"{len(texts)} sentences, {sum(map(len, rows)) / len(rows):.1f} pieces each "
        f"({num_full} fill all positions, and may be cut), "
        f"{len(tokenizer)} pieces, {model.num_parameters():,} parameters"
    )
    if options.updates:
        train(transformers, model, tokenizer, rows, options)
    save(transformers, model, tokenizer, options.out)
    print(options.out)


if __name__ == "__main__":
    run_script(main)
