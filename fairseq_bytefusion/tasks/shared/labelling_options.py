"""The options that labelling tasks have in common."""

from dataclasses import dataclass, field

from fairseq.dataclass import ChoiceEnum, FairseqDataclass
from omegaconf import II, MISSING

from ...text import UNITS


@dataclass
class LabellingConfig(FairseqDataclass):
    """Names and meanings are those of ``byte_translation`` where it has them."""

    data: str = field(default=MISSING, metadata={"help": "data directory"})
    source_unit: ChoiceEnum(list(UNITS)) = field(
        default="byte",
        metadata={
            "help": "what text is cut into; char reads DATA/dict.char.txt "
            "(data_prep/build_vocab.py --labels makes it)"
        },
    )
    left_pad_source: bool = field(default=False, metadata={"help": "pad on the left"})
    max_source_positions: int = field(
        default=2048,
        metadata={
            "help": "longest sentence in symbols (bytes), end of sentence included; longer "
            "ones are cut behind a word"
        },
    )
    num_batch_buckets: int = field(
        default=0, metadata={"help": "pad to so many different lengths"}
    )
    train_subset: str = II("dataset.train_subset")
    required_seq_len_multiple: int = II("dataset.required_seq_len_multiple")
