"""What there is to say of models that learn words before a task."""

from .pretrained_size import count_parts

#: task -> the architecture that stands for its presets; None: no module of it has numbers
#: of its own, and the width of the composer is that of a table, which may be gone
WORD_TASKS = {
    "word_language_model": "bilm",
    "masked_characters": "masked_characters",
    "masked_pieces": "char2subword_mlm",
    "embedding_approximation": None,
}
_COMPOSER = ("composer.", "word composer")
_PARTS = {
    "word_language_model": (
        ("encoder.embed_tokens.", _COMPOSER[1]),
        ("encoder.", "layers"),
        ("output.", "softmax"),
    ),
    "masked_characters": (_COMPOSER, ("output.", "output")),
    "embedding_approximation": (_COMPOSER,),
}


def parts_of_word_model(task, parameters, model):
    """Parameters of the parts of a model of ``WORD_TASKS``.

    Args:
        task (str)
        parameters (dict of str to Tensor)
        model (FairseqModel): see :func:`~.stand_in.stand_in_model`; None where no
            architecture stands for it.

    Returns:
        dict of str to int
    """
    return count_parts(parameters, _PARTS.get(task) or _around_table(model))


def _around_table(model):
    """The parts of char2subword_mlm: whose names are those that transformers gives."""
    table = next(n for n, p in model.named_parameters() if p is model.table.weight)
    return (
        (table, "table"),
        _COMPOSER,
        (f"masked_lm.{model.masked_lm.base_model_prefix}.", "layers"),
        ("masked_lm.", "head"),
    )


def describe_word_model(options, task_options):
    """list of str: the composer, its layers if any, the text and its unit."""
    # No other composer is there to be named in options of char2subword alone.
    line = f"  composer {options.get('encoder_embedder', 'char2subword')}"
    if "lstm_layers" in options:
        number = options["lstm_layers"]
        line += f", layers lstm ({number}, direction {options['direction']})"
    read = task_options.get("source_lang")
    unit = f"  unit {task_options.get('source_unit', 'byte')}"
    return [line, unit + (f", {read}" if read else "")]
