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
        self._dictionary = dictionary
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
        for text, parts in zip(texts, sources.of_line):
            # White space may have been cut off in front of the first.
            first = next((i for i in parts if sources.parts[i].text), None)
            if not text:
                continue
            if first is None:
                raise ValueError(
                    f"an empty sentence has the prefix {text!r:.80}, and an empty "
                    "translation: leave its prefix empty"
                )
            ids = dictionary.encode_line(text, append_eos=False).long()
            self._tokens[first] = ids

    @property
    def are_there(self):
        """list of bool: which parts have one."""
        return [len(tokens) > 0 for tokens in self._tokens]

    def check(self, sources, generator):
        """Raise ValueError where a prefix is longer than its translation may be."""
        a, b = generator.max_len_a, generator.max_len_b
        for length, tokens in zip(sources.lengths, self._tokens):
            most = min(int(a * length + b), generator.max_len - 1)
            if len(tokens) > most:
                text = self._dictionary.decode(tokens)
                raise ValueError(
                    f"the prefix {text!r:.80} has {len(tokens)} symbols, and its "
                    f"translation may have {most}: raise max_len_b (--max-len-b)"
                )

    def batch(self, numbers):
        """Long[B, P] of parts ``numbers`` (list of int), padded; None without any."""
        rows = [self._tokens[number] for number in numbers]
        if not any(map(len, rows)):
            return None
        return torch.nn.utils.rnn.pad_sequence(rows, True, self._dictionary.pad())
