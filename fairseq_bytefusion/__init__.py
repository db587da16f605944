"""Byte- and character-level machine translation for fairseq (``--user-dir``)."""

from . import compat

compat.check_versions()
compat.apply()

from . import criterions  # noqa: E402, F401
from .models import (  # noqa: E402, F401
    bilm,
    byte_classifier,
    byte_tagger,
    byte_transformer,
    char2subword_mlm,
    embedding_approximation,
    masked_characters,
)
from .tasks import (  # noqa: E402, F401
    byte_classification,
    byte_tagging,
    byte_translation,
    word_language_model,
)
from .tasks import embedding_approximation as _  # noqa: E402, F401
from .tasks import masked_characters as _  # noqa: E402, F401, F811
from .tasks import masked_pieces as _  # noqa: E402, F401, F811
from .text.lines import read_sentences  # noqa: E402

compat.read_interactive_lines_raw(read_sentences)
