"""The options of ``byte_translation``."""

from dataclasses import dataclass, field
from typing import Optional

from fairseq.dataclass import ChoiceEnum
from fairseq.tasks.translation import TranslationConfig

from ...search.draft_length import AUTO
from ...search.drafts import DRAFTS
from ...text import UNITS

_UNIT_HELP = (
    "what %s text is cut into; char reads DATA/dict.char.LANG.txt, sentencepiece "
    "DATA/spm.LANG.model (data_prep/build_vocab.py makes them)"
)


@dataclass
class ByteTranslationConfig(TranslationConfig):
    """fairseq's translation options, with defaults fit for bytes."""

    source_unit: ChoiceEnum(list(UNITS)) = field(
        default="byte", metadata={"help": _UNIT_HELP % "source"}
    )
    target_unit: ChoiceEnum(list(UNITS)) = field(
        default="byte", metadata={"help": _UNIT_HELP % "target"}
    )
    sampling_temperature: float = field(
        default=1.0,
        metadata={
            "help": "several pairs (-s de,fr or -t de,fr): an epoch has n_i ** (1/T) of "
            "each pair, scaled so that it has as many sentences as all pairs together; 1 "
            "takes every sentence once"
        },
    )
    source_tag: bool = field(
        default=False,
        metadata={
            "help": "begin every source with a symbol of its language; a checkpoint "
            "remembers them, so that the flag is for training alone"
        },
    )
    target_tag: bool = field(
        default=False,
        metadata={
            "help": "let the decoder begin with a symbol of the target language, which "
            "several targets (-t de,fr) need; a checkpoint remembers them, so that the "
            "flag is for training alone"
        },
    )
    left_pad_source: bool = field(
        default=False, metadata={"help": "pad the source on the left"}
    )
    max_source_positions: int = field(
        default=2048,
        metadata={"help": "longest source in symbols (bytes), end of sentence included"},
    )
    max_target_positions: int = field(
        default=2048,
        metadata={"help": "longest target in symbols (bytes), end of sentence included"},
    )
    allow_invalid_utf8: bool = field(
        default=False,
        metadata={
            "help": "search over all byte sequences, as fairseq does; by default only "
            "valid UTF-8 without newlines can come out. Of another target unit than the "
            "byte nothing else ever does"
        },
    )
    draft: ChoiceEnum(["none", *DRAFTS]) = field(
        default="none",
        metadata={
            "help": "with --beam 1: check several symbols in one call of the model; "
            "translations are those of none. ngram: counts of --draft-file; heads: the "
            "model's own --lookahead-heads; both: these, and then the counts"
        },
    )
    draft_file: Optional[str] = field(
        default=None,
        metadata={"help": "what bytefusion draft wrote, for --draft ngram and both"},
    )
    draft_length: str = field(
        default=AUTO,
        metadata={"help": "how many symbols are drafted: a number, or auto, by their luck"},
    )
