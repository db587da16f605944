"""Start the word composer of a translation model from a trained approximation."""

import logging

import torch
from fairseq.modules import SinusoidalPositionalEmbedding

from ...checkpoints.reading import open_checkpoint
from ...data.tables.teacher import read_teacher
from ...modules.embedders import Mixture
from ...text.pieces import spell, word_pieces
from ...text.text_dictionary import encode_utf8
from .starting import require_start

logger = logging.getLogger(__name__)

_PREFIX = "composer."
_ARCHES = ("embedding_approximation", "char2subword_mlm")
_CHUNK = 1024  # words composed at a time
# At 0.9 a model learned to read its source in 700 updates, at 9.5 it did not.
_DROWNING = 4


def start_from_approximation(model, cfg, task):
    """Copy what ``--char2subword-from`` learned into a new model.

    The table of a hybrid mixture gets the rows of the table that was learned: a known
    word that the teacher has as a whole word gets its row, any other the composed vector.

    Args:
        model (ByteTransformerModel): its composer is a char2subword; changed in place.
        cfg (DictConfig or Namespace): the options of ``model``.
        task (ByteTranslationTask): gives ``source_dictionary`` and, for a mixture,
            ``source_words()``.

    Raises:
        OSError, RuntimeError: a checkpoint or, for a hybrid mixture, its teacher that
            cannot be read.
        ValueError: no approximation, one of other sizes, or a source that is not plain
            bytes.
    """
    path = cfg.char2subword_from
    require_start("--char2subword-from", path, "needed to resume as well")
    embedder = model.encoder.embed_tokens
    composer = embedder.composer
    checkpoint = start_composer(composer, cfg, task.source_dictionary)
    _warn_of_positions(path, model.encoder.embed_positions, composer)
    if isinstance(embedder, Mixture) and embedder.mode == "hybrid":
        options = checkpoint.task_options
        teacher = _teacher_of(path, options.get("pretrained") or options["data"])
        _fill_table(embedder, task.source_words(), task.source_dictionary, teacher)


def start_composer(composer, cfg, dictionary):
    """Copy what ``--char2subword-from`` learned into a composer.

    Args:
        composer (Char2Subword): changed in place.
        cfg (DictConfig or Namespace): the options of its model.
        dictionary (TextDictionary): of its symbols.

    Returns:
        Checkpoint: where that came from.

    Raises:
        OSError, RuntimeError, ValueError: as of :func:`start_from_approximation`.
    """
    path = cfg.char2subword_from
    require_start("--char2subword-from", path)
    checkpoint = open_checkpoint(path)
    if not checkpoint.arch.startswith(_ARCHES):
        checkpoint.require_arch(_ARCHES[0], flag="--char2subword-from")
    checkpoint.require_finite()
    learned = {
        name[len(_PREFIX) :]: value
        for name, value in checkpoint.parameters.items()
        if name.startswith(_PREFIX)
    }
    _check_unit(path, dictionary)
    _check_sizes(path, checkpoint.model_options, learned, composer, cfg)
    composer.load_state_dict(learned)
    return checkpoint


def _check_unit(path, dictionary):
    if dictionary.unit != "byte" or dictionary.tags:
        raise ValueError(
            f"--char2subword-from {path} composes words of bytes: drop --source-unit and "
            "--source-tag"
        )


def _check_sizes(path, options, learned, composer, cfg):
    sizes = ("char_embed_dim", "char2subword_layers", "char2subword_heads")
    wanted = {name: options[name] for name in sizes}
    wanted["encoder_embed_dim"] = width = len(learned["projection.weight"])
    is_given = getattr(cfg, "encoder_type", "transformer") != "pretrained"
    if width != composer.embedding_dim and not (
        is_given and hasattr(cfg, "encoder_embed_dim")
    ):
        raise ValueError(
            f"--char2subword-from {path} composes words of {width} numbers, and the table "
            f"that it is to stand for has rows of {composer.embedding_dim}: give one that "
            "learned that table"
        )
    found = {
        "char_embed_dim": composer.characters.embedding_dim,
        "char2subword_layers": len(composer.layers),
        "char2subword_heads": cfg.char2subword_heads,
        "encoder_embed_dim": composer.embedding_dim,
    }
    differing = [name for name in wanted if wanted[name] != found[name]]
    if differing:
        flags = [f"--{name.replace('_', '-')} {wanted[name]}" for name in differing]
        now = [str(found[name]) for name in differing]
        raise ValueError(
            f"--char2subword-from {path} has other sizes: give {' '.join(flags)} "
            f"(now {', '.join(now)})"
        )


def _warn_of_positions(path, positions, composer):
    """Words are not scaled, so that positions much larger than they are drown them."""
    words = composer.layer_norm.weight.norm().item()
    size = (composer.embedding_dim / 2) ** 0.5  # of sines and cosines
    if isinstance(positions, SinusoidalPositionalEmbedding) and size > _DROWNING * words:
        logger.warning(
            "words of %s have a norm of about %.1f, and sinusoidal positions one of %.1f, "
            "beside which they are hardly seen: --encoder-learned-pos begins with 1",
            *(path, words, size),
        )


def _teacher_of(path, teacher):
    try:
        return read_teacher(teacher)
    except OSError as error:
        raise FileNotFoundError(
            f"{error}; --mixture hybrid takes its rows from the table that {path} learned: "
            "put that back where it was"
        ) from error


@torch.no_grad()
def _fill_table(mixture, words, dictionary, teacher):
    row_of = {
        encode_utf8(piece.text): row
        for row, piece in enumerate(teacher.pieces)
        if piece.begins
    }
    table = mixture.table.weight
    table.copy_(_composed(mixture.composer, words, dictionary))
    known = [i for i, word in enumerate(words) if word in row_of]
    table[known] = teacher.table[[row_of[words[i]] for i in known]].to(table)
    logger.info(
        "word table: %d of %d rows from %s, the others composed",
        *(len(known), len(words), teacher.path),
    )


def _composed(composer, words, dictionary):
    """Float[U, D]: what ``words`` (list of bytes) are composed to."""
    pieces = word_pieces([word.decode("utf-8", "surrogateescape") for word in words])
    was_training = composer.training
    composer.eval()
    vectors = []
    for start in range(0, len(pieces), _CHUNK):
        chunk = pieces[start : start + _CHUNK]
        vectors.append(composer.compose(**spell(chunk, dictionary, composer.max_chars)))
    composer.train(was_training)
    return torch.cat(vectors)
