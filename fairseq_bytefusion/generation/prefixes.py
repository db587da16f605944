"""What translations are made to begin with."""

import torch

from .sentences import read_sentences_of_list


class Prefixes:
    """A beginning for each sentence, of its first part where it has several.

    Args:
        texts (list of str or None): empty where a translation may begin as it likes; None
            for all of them.
        sources (Sources)
        dictionary (TextDictionary): of translations.

    Raises:
        TypeError: ``texts`` is not a list of str.
        ValueError: more or fewer than sentences; one for an empty sentence.
    """

    def __init__(self, texts, sources, dictionary):
        self._pad = dictionary.pad()
        self._tokens = [torch.zeros(0, dtype=torch.long)] * len(sources.parts)
        if texts is None:
            return
        texts = read_sentences_of_list(texts)
        count = len(sources.of_line)
        if len(texts) != count:
            raise ValueError(
                f"{len(texts)} prefixes for {count} sentences: give one each, an empty one "
                "where there is none"
            )
        for number, (text, parts) in enumerate(zip(texts, sources.of_line)):
            if text and not sources.parts[parts[0]].text:
                raise ValueError(
                    f"sentence {number} is empty, so its translation is, but it has a "
                    "prefix: leave that empty"
                )
            ids = dictionary.encode_line(text, append_eos=False).long()
            self._tokens[parts[0]] = ids

    @property
    def are_there(self):
        """list of bool: which parts have one."""
        return [len(tokens) > 0 for tokens in self._tokens]

    def check(self, sources, generator):
        """Raise ValueError where a prefix is longer than its translation may be."""
        a, b = generator.max_len_a, generator.max_len_b
        for part, length, tokens in zip(sources.parts, sources.lengths, self._tokens):
            most = min(int(a * length + b), generator.max_len - 1)
            if len(tokens) > most:
                raise ValueError(
                    f"the prefix of sentence {part.line} has {len(tokens)} symbols, and "
                    f"its translation may have {most}: raise max_len_b"
                )

    def batch(self, numbers):
        """Long[B, P] of parts ``numbers`` (list of int), padded; None without any."""
        rows = [self._tokens[number] for number in numbers]
        if not any(map(len, rows)):
            return None
        return torch.nn.utils.rnn.pad_sequence(rows, True, self._pad)
