"""Sentences as a model reads them: whole, cut, or in parts."""

from ..text.symbol_words import words_of_symbols
from .parts import Part, parts_of


class Sources:
    """Sentences to translate.

    Args:
        task (ByteTranslationTask)
        lines (list of str)
        split_long (bool): translate a sentence that is too long in parts; else it is cut,
            with a warning.

    Attributes:
        parts (list of Part): of all sentences, in order.
        of_line (list of list of int): the parts of each sentence.
        cut (list of bool): which sentences are cut.
        tokens (list of Long[T]), lengths (list of int): of each part, tag and ``</s>``
            included.
    """

    def __init__(self, task, lines, split_long=False):
        self._dictionary, limit = task.source_dictionary, task.most_of_line

        def fits(text):
            return len(self._dictionary.encode_line(text)) <= limit

        self.parts, self.of_line, self.cut = [], [], []
        for number, line in enumerate(lines):
            parts = parts_of(number, line, fits) if split_long else [Part(number, line)]
            start = len(self.parts)
            self.parts += parts
            self.of_line.append(list(range(start, len(self.parts))))
            self.cut.append(not all(fits(part.text) for part in parts))
        self.tokens, self.lengths = task.get_interactive_tokens_and_lengths(
            [part.text for part in self.parts], lambda text: text
        )

    def words(self, symbols):
        """The words of each sentence, a part at a time.

        Args:
            symbols (list of bytes): what each symbol of the dictionary stands for.

        Returns:
            tuple: for each part the word of each of its symbols, list of list of int, and
            how many its sentence has, list of int.
        """
        index, counts = [], []
        for numbers in self.of_line:
            read, ends = [], []
            for number in numbers:
                read.append(self.parts[number].space.encode("utf-8", "surrogateescape"))
                read += [symbols[i] for i in self.tokens[number].tolist()]
                ends.append(len(read))
            words, found = words_of_symbols(read)
            starts = [0, *ends[:-1]]
            index += [found[start + 1 : end] for start, end in zip(starts, ends)]
            counts += [len(words)] * len(numbers)
        return index, counts
