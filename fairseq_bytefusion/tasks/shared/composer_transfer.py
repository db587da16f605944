"""Start a word composer from that of another model, whatever its task is."""

import logging
from argparse import Namespace

import torch
from fairseq.modules import SinusoidalPositionalEmbedding

from ...checkpoints.reading import open_checkpoint
from ...compat.fairseq_checkpoints import options_of
from ...compat.fairseq_restoring import is_for_training
from ...data.tables.teacher import read_teacher
from ...models.options import complete, resolve_as_before, unlike
from ...models.options.composer_model import ComposerModelOptions
from ...models.options.composers import composer_of
from ...models.options.groups import flag
from ...modules.embedders import Mixture
from ...text.pieces import spell, word_pieces
from ...text.text_dictionary import encode_utf8
from .starting import require_start

logger = logging.getLogger(__name__)

#: what a word composer has, whichever it is: where that is, it is
_MARK = "characters.weight"
#: models of a char2subword module alone, which is of bytes, that learned a table
_OF_TABLES = ("embedding_approximation", "char2subword_mlm")
_CHUNK = 1024  # words composed at a time
# At 0.9 a model learned to read its source in 700 updates, at 9.5 it did not.
_DROWNING = 4


def composer_start(cfg):
    """``(flag, path)`` of what a new composer starts from, each a str; None without.

    Args:
        cfg (DictConfig or Namespace): the options of a model.
    """
    for name in ("composer_from", "char2subword_from"):
        if getattr(cfg, name, None):
            return flag(name), getattr(cfg, name)
    return None


def start_word_embedder(model, cfg, task):
    """Copy what ``--composer-from`` or ``--char2subword-from`` learned into a new model.

    The table of a hybrid mixture gets the rows of the table that was learned, if one was: a
    known word that the teacher has as a whole word gets its row, any other the composed
    vector.

    Args:
        model (BaseFairseqModel): with a composer in its encoder; changed in place.
        cfg (DictConfig or Namespace): the options of ``model``.
        task (FairseqTask): gives ``source_dictionary`` and, for a mixture,
            ``source_words()``.

    Raises:
        OSError, RuntimeError: a checkpoint or, for a hybrid mixture, its teacher that
            cannot be read.
        ValueError: no composer, another one, or one of other symbols.
    """
    embedder = model.encoder.embed_tokens
    composer = embedder.composer
    checkpoint = start_composer(composer, cfg, task)
    if not checkpoint.arch.startswith(_OF_TABLES):
        return
    path = composer_start(cfg)[1]
    _warn_of_positions(path, model.encoder.embed_positions, composer)
    if isinstance(embedder, Mixture) and embedder.mode == "hybrid":
        options = checkpoint.task_options
        teacher = _teacher_of(path, options.get("pretrained") or options["data"])
        _fill_table(embedder, task.source_words(), task.source_dictionary, teacher)


def start_composer(composer, cfg, task):
    """Copy what was learned into a composer; what is not there to be taken is new, learns
    in any case, and is logged.

    Args:
        composer (WordComposer): changed in place.
        cfg (DictConfig or Namespace): the options of its model.
        task (FairseqTask): gives ``source_dictionary``.

    Returns:
        Checkpoint: where that came from.

    Raises:
        OSError, RuntimeError, ValueError: as of :func:`start_word_embedder`.
    """
    start, path = composer_start(cfg)
    require_start(start, path, "needed to resume as well")
    checkpoint = open_checkpoint(path)
    taken = _composer_of(checkpoint, start)
    if not composer.is_whole:
        taken = {n: v for n, v in taken.items() if n in composer.state_dict()}
    checkpoint.require_finite()
    _check_symbols(start, checkpoint, task)
    _check_options(start, checkpoint, taken, composer, cfg)
    _check_shapes(start, checkpoint, taken, composer)
    new = [name for name, _ in composer.named_parameters() if name not in taken]
    composer.load_state_dict(taken, strict=False)
    for name, parameter in composer.named_parameters():
        if name in new:
            parameter.requires_grad_(True)
    logger.info(
        "word composer: %d of its tensors are those of %s, new are: %s",
        *(len(taken), path, ", ".join(new) or "none"),
    )
    return checkpoint


def _composer_of(checkpoint, start):
    """dict of str to Tensor: the parameters of the checkpoint's word composer."""
    marks = [name for name in checkpoint.parameters if name.endswith(_MARK)]
    if not marks:
        wanted = "of --task embedding_approximation, masked_characters"
        if start == "--char2subword-from":
            wanted = "of --task embedding_approximation"
        raise ValueError(
            f"{start} {checkpoint.path} holds no word composer, but a model of --arch "
            f"{checkpoint.arch}: give a checkpoint {wanted} or of any model that has one"
        )
    prefix = min(marks, key=len)[: -len(_MARK)]
    return {
        name[len(prefix) :]: value
        for name, value in checkpoint.parameters.items()
        if name.startswith(prefix)
    }


def _check_symbols(start, checkpoint, task):
    dictionary, state = task.source_dictionary, checkpoint.task_state
    is_known = "source_vocabulary" in state
    if is_known and hasattr(task, "check_source"):
        try:
            task.check_source(state)
        except ValueError as error:
            raise ValueError(
                f"{start} {checkpoint.path} cannot be taken: {error}"
            ) from None
        return
    # Of a table there are bytes alone.
    then = state["source_vocabulary"]["unit"] if is_known else "byte"
    tags = dictionary.tags or state.get("source_tags")
    if {then, dictionary.unit} != {"byte"} or tags:
        raise ValueError(
            f"{start} {checkpoint.path} composes words of bytes: drop --source-unit and "
            "--source-tag"
        )


def _check_options(start, checkpoint, taken, composer, cfg):
    """Refuse a composer that was built with other options; flags are named."""
    now = _options(options_of({"cfg": {"model": cfg}}, "model"))
    then = _options(checkpoint.model_options)
    if composer_of(then) != composer_of(now):
        raise ValueError(
            f"{start} {checkpoint.path} has the word composer {composer_of(then)}: choose "
            f"that one (now {composer_of(now)})"
        )
    found = {
        name: (getattr(then, name), getattr(now, name))
        for name in unlike(ComposerModelOptions, then, now)
        if _matters(name, composer_of(now))
    }
    width = len(taken.get("projection.weight", ())) or composer.embedding_dim
    if width != composer.embedding_dim:
        _check_rows(start, checkpoint.path, width, composer, cfg)
        found["encoder_embed_dim"] = width, composer.embedding_dim
    if found:
        flags = [f"{flag(name)} {values[0]}" for name, values in found.items()]
        raise ValueError(
            f"{start} {checkpoint.path} has other sizes: give {' '.join(flags)} "
            f"(now {', '.join(str(values[1]) for values in found.values())})"
        )


def _options(given):
    """Namespace: those of a composer, resolved, among ``given`` (dict)."""
    # A module that learned a table has no choice of embedders.
    saved = Namespace(**{"encoder_embedder": "char2subword", **given})
    resolve_as_before(ComposerModelOptions, saved)
    return complete(ComposerModelOptions, saved)


def _matters(name, composer):
    """bool: whether an option changes what a composer makes of characters."""
    elsewhere = {"encoder_embedder", "mixture", "mixture_composer", "max_word_chars"}
    if composer != "hit":
        elsewhere.add("activation_fn")
    return name not in elsewhere and not is_for_training(name)


def _check_rows(start, path, width, composer, cfg):
    """Refuse a width that no flag decides, but a table."""
    is_given = getattr(cfg, "encoder_type", "transformer") != "pretrained"
    if not (is_given and hasattr(cfg, "encoder_embed_dim")):
        raise ValueError(
            f"{start} {path} composes words of {width} numbers, and the table that it is "
            f"to stand for has rows of {composer.embedding_dim}: give one that learned "
            "that table"
        )


def _check_shapes(start, checkpoint, taken, composer):
    own = {name: tuple(value.shape) for name, value in composer.state_dict().items()}
    then = {name: tuple(value.shape) for name, value in taken.items()}
    is_part = checkpoint.arch.startswith("masked_characters")
    for name in sorted({*then, *(() if is_part else own)}):
        if then.get(name) != own.get(name):
            raise ValueError(
                f"{start} {checkpoint.path} has another word composer: its {name} is "
                f"{then.get(name, 'absent')}, here {own.get(name, 'absent')}"
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
