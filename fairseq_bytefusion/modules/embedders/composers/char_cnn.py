"""char-cnn: convolutions over the characters of a word, then highway layers."""

from typing import NamedTuple, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F

from ...highway import Highway
from .word_composer import WordComposer

STYLES = ("kim", "fairseq")
ACTIVATIONS = {"tanh": torch.tanh, "relu": F.relu}


class Preset(NamedTuple):
    """A published char-cnn: the width of a character's embedding, filters as ``(width,
    number)``, highway layers, and the filters' activation."""

    char_dim: int
    filters: Tuple[Tuple[int, int], ...]
    highway_layers: int
    activation: str


#: Kim et al. 2015, table 2; Peters et al. 2018, section 3.4, and its released options
PRESETS = {
    "kim-small": Preset(15, tuple((w, 25 * w) for w in range(1, 7)), 1, "tanh"),
    "kim-large": Preset(15, tuple((w, min(50 * w, 200)) for w in range(1, 8)), 2, "tanh"),
    "elmo": Preset(
        16,
        ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024)),
        2,
        "relu",
    ),
}


class CharCNN(WordComposer):
    """Filters of several widths -> maximum over the word -> highway -> D.

    A filter's windows lie inside the word, its begin and end included; a word shorter
    than the filter has one window, its rest zeros. Padding is in none::

        begin  c  a  t  end
        [ w = 4  ...  ]              windows of width 4: 2; of width 7: 1
              [ ...         ]

    Style ``fairseq`` computes what ``fairseq.modules.CharacterTokenEmbedder`` does, whose
    weights can then be copied: no begin and end, every word padded with zeros to
    ``max_chars`` symbols, which windows do read, and (``activation``) ReLU for tanh.

    Args:
        dictionary, embedding_dim, max_chars: see :class:`WordComposer`.
        char_dim (int): width of a character's embedding.
        filters (sequence of (int, int)): ``(width, number)``.
        style (str): ``kim`` or ``fairseq``.
        highway_layers (int)
        activation (str): of the filters, a key of ``ACTIVATIONS``.

    Raises:
        ValueError: no filters, or a width or number below 1; an unknown style or
            activation; with ``fairseq`` a filter wider than ``max_chars``.

    Source: Kim et al. 2015, *Character-Aware Neural Language Models*, sections 2.2, 2.3;
    ``elmo``: Peters et al. 2018.
    """

    def __init__(
        self,
        dictionary,
        embedding_dim,
        *,
        char_dim=15,
        filters=PRESETS["kim-large"].filters,
        max_chars=50,
        style="kim",
        highway_layers=2,
        activation="tanh",
    ):
        if style not in STYLES:
            raise ValueError(f"unknown style {style!r}, choose from {STYLES}")
        if activation not in ACTIVATIONS:
            raise ValueError(
                f"unknown activation {activation!r}, choose from {tuple(ACTIVATIONS)}"
            )
        check_filters(filters, max_chars if style == "fairseq" else None)
        super().__init__(
            dictionary,
            embedding_dim,
            char_dim,
            max_chars=max_chars,
            delimited=style == "kim",
        )
        self.style = style
        self.activation = ACTIVATIONS[activation]
        self.convolutions = nn.ModuleList(
            nn.Conv1d(char_dim, number, width) for width, number in filters
        )
        num_filters = sum(number for _, number in filters)
        self.highway = Highway(num_filters, highway_layers)
        self.projection = nn.Linear(num_filters, embedding_dim)
        nn.init.xavier_uniform_(self.projection.weight)
        nn.init.zeros_(self.projection.bias)

    @classmethod
    def default_char_dim(cls, options):
        """That of the preset in ``char_cnn_filters``, else of Kim et al. 2015."""
        return _preset(options).char_dim

    @staticmethod
    def default_highway_layers(options):
        """int: that of the preset in ``char_cnn_filters``, else two."""
        return _preset(options).highway_layers

    @staticmethod
    def default_activation(options):
        """str: ``relu`` in the style of fairseq, else that of the preset, or tanh."""
        return (
            "relu" if options.char_cnn_style == "fairseq" else _preset(options).activation
        )

    @classmethod
    def build(cls, options, dictionary, dim):
        """From ``char_embed_dim``, ``max_word_chars``, ``char_cnn_filters``,
        ``char_cnn_style``, ``char_cnn_highway_layers``, ``char_cnn_activation``."""
        return cls(
            dictionary,
            dim,
            char_dim=options.char_embed_dim,
            filters=parse_filters(options.char_cnn_filters),
            max_chars=options.max_word_chars,
            style=options.char_cnn_style,
            highway_layers=options.char_cnn_highway_layers,
            activation=options.char_cnn_activation,
        )

    def compose(self, symbols, lengths):
        """
        Args:
            symbols (Long[U, C])
            lengths (Long[U])

        Returns:
            Float[U, D]
        """
        if self.style == "kim":
            symbols, lengths = self.delimit(symbols, lengths)
        else:
            missing = self.max_chars - symbols.shape[1]
            symbols = F.pad(symbols, (0, missing), value=self.padding_idx)
            lengths = torch.full_like(lengths, self.max_chars)
        characters = self.characters(symbols).transpose(1, 2)
        found = [_filter_maxima(conv, characters, lengths) for conv in self.convolutions]
        # Activations are monotone: the maximum may be taken before.
        return self.projection(self.highway(self.activation(torch.cat(found, 1))))


def _preset(options):
    return PRESETS.get(options.char_cnn_filters, PRESETS["kim-large"])


def _filter_maxima(conv, characters, lengths):
    """Largest response of each filter within a word.

    Args:
        conv (Conv1d): F filters.
        characters (Float[U, E, C]): zeros behind a word.
        lengths (Long[U])

    Returns:
        Float[U, F]
    """
    width = conv.kernel_size[0]
    characters = F.pad(characters, (0, max(0, width - characters.shape[2])))
    responses = conv(characters)
    last = (lengths - width).clamp(min=0)
    columns = torch.arange(responses.shape[2], device=lengths.device)
    outside = (columns > last.unsqueeze(1)).unsqueeze(1)
    return responses.masked_fill(outside, float("-inf")).max(2).values


def check_filters(filters, widest=None):
    """Raise ValueError where ``filters`` (sequence of (int, int)) cannot be."""
    if not filters or min(min(pair) for pair in filters) < 1:
        raise ValueError("a filter's width and the number of such filters must be above 0")
    if widest is not None and max(width for width, _ in filters) > widest:
        raise ValueError(f"no filter may be wider than the longest word, {widest}")


def parse_filters(text):
    """A key of ``PRESETS`` or ``"1:50,2:100"`` to a list of (width, number).

    Raises:
        ValueError: neither.
    """
    if text in PRESETS:
        return list(PRESETS[text].filters)
    try:
        filters = [
            (int(width), int(number))
            for width, number in (pair.split(":") for pair in text.split(","))
        ]
    except ValueError as error:
        raise ValueError(
            f"{text!r} is neither of {', '.join(PRESETS)} nor a list of width:number "
            "such as 1:50,2:100"
        ) from error
    check_filters(filters)
    return filters
