"""Which word of a translation comes from which word of its source."""

import torch

from ..text.symbol_words import NO_WORD
from ..text.words import block_starts, symbol_tables


def align_words(attention, words, count):
    """The source word that each target word attends to most.

    Args:
        attention (Float[T, W]): of each target symbol, what goes to each source word.
        words (list of int): the target word of each symbol, or ``NO_WORD``.
        count (int): V, of target words.

    Returns:
        tuple of (int, int): source word and target word, by the latter; none where the
        source has no word.
    """
    if attention.shape[1] == 0:
        return ()
    words = torch.tensor(words, dtype=torch.long)
    of_word = words.ne(NO_WORD)
    sums = attention.new_zeros(count, attention.shape[1])
    sums.index_add_(0, words[of_word], attention[of_word])
    return tuple((source, target) for target, source in enumerate(sums.argmax(1).tolist()))


class WordAttention:
    """Cross-attention of models, from symbols of a translation to words of its source.

    Heads of one layer are averaged, states of a word summed, models of an ensemble
    averaged. The layer is the last, as for fairseq's ``--print-alignment``.

    Args:
        models (list of FairseqModel)
        source (TextDictionary), target (TextDictionary)
        begin (int, optional): what the decoder begins with; by default ``</s>``.
    """

    def __init__(self, models, source, target, begin=None):
        self.models, self.source, self.target = models, source, target
        self._begin = target.eos() if begin is None else begin
        self._tables = symbol_tables(source)

    @torch.no_grad()
    def __call__(self, net_input, words, counts, written):
        """
        Args:
            net_input (dict): of a batch of B sources, without translations.
            words (list of list of int): the word of each symbol of each source, tag and
                ``</s>`` included, or ``NO_WORD``.
            counts (list of int): W, the words that each source has a column for.
            written (list of Long[T']): what was written for each, ``</s>`` the last.

        Returns:
            list of Float[T', W]

        Raises:
            ValueError: a state of an encoder is neither a symbol nor a word.
        """
        tokens = net_input["src_tokens"]
        previous = self._previous(written, tokens.device)
        sums = [torch.zeros(len(w), count) for w, count in zip(written, counts)]
        for model in self.models:
            found = model.encoder(tokens, src_lengths=net_input["src_lengths"])
            _, extra = model.decoder.extract_features(
                previous, found, alignment_layer=len(model.decoder.layers) - 1
            )
            attention = extra["attn"][0].float().cpu()
            hidden = found["encoder_padding_mask"][0].cpu()
            rows = zip(attention, ~hidden, tokens.cpu(), words, written)
            for total, (weights, real, source, of_symbol, own) in zip(sums, rows):
                columns = self.columns(source, of_symbol, int(real.sum()))
                known = columns.ne(NO_WORD)
                weights = weights[: len(own), real]
                total.index_add_(1, columns[known], weights[:, known])
        return [total / len(self.models) for total in sums]

    def _previous(self, written, device):
        """Long[B, T]: what the decoder reads."""
        rows = [torch.cat([row.new_tensor([self._begin]), row[:-1]]) for row in written]
        return torch.nn.utils.rnn.pad_sequence(rows, True, self.target.pad()).to(device)

    def columns(self, source, words, num_states):
        """The word of each state of a source.

        Args:
            source (Long[T]): padded on either side.
            words (list of int): as of a call.
            num_states (int): S.

        Returns:
            Long[S]

        Raises:
            ValueError: S is neither the number of symbols nor that of words.
        """
        words = torch.tensor(words, dtype=torch.long)
        if num_states == len(words):
            return words
        source = source[source.ne(self.source.pad())][None]
        starts = block_starts(
            source, torch.zeros_like(source, dtype=torch.bool), self._tables, max_word=None
        )[0]
        if num_states != int(starts.sum()):
            raise ValueError(
                "alignments need states of symbols or of words, and the encoder of this "
                "model makes others: drop --alignments"
            )
        # White space behind the last word is a state, and of no word.
        columns = torch.full((num_states,), NO_WORD)
        return columns.scatter_reduce(0, starts.cumsum(0) - 1, words, "amax")
