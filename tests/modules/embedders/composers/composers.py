"""Word composers of a few units, for tests."""

from functools import partial

import torch

from fairseq_bytefusion.modules.attention import MultiheadAttention
from fairseq_bytefusion.modules.embedders import EMBEDDERS
from fairseq_bytefusion.text import ByteDictionary

from ....helpers import SENTENCES

D = 6
DICTIONARY = ByteDictionary()
RAGGED = [*SENTENCES, "a \t b  a ", "y" * 500, "to be or not to be", "x" * 48 + "日"]
SIZES = {
    "char2subword": {"char_dim": 8, "heads": 2},
    "char-cnn": {"char_dim": 5, "filters": [(1, 2), (3, 4), (7, 5)]},
    "char-rnn": {"char_dim": 5, "hidden_dim": 4},
    "hit": {"attention": partial(MultiheadAttention, 8, 2), "char_dim": 8, "ffn_dim": 5},
}


def composer(name, dim=D, **options):
    torch.manual_seed(0)
    module = EMBEDDERS[name](DICTIONARY, dim, **{**SIZES[name], **options})
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
        module.characters.weight[1] = 0
    return module
