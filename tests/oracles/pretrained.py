"""What goes into a pre-trained encoder, one sentence and one word at a time."""

import torch


def vectors_of(words, mode, tokenizer, table, composer, dictionary):
    """The vectors of a sentence, and where each word has its (first) one.

    Args:
        words (list of str)
        mode (str): ``pieces``, ``full`` or ``hybrid``.
        tokenizer: of transformers; it lowers case.
        table (Float[V, D])
        composer (WordComposer)
        dictionary (ByteDictionary)

    Returns:
        tuple: Float[P, D] and list of int, that of ``[SEP]`` last.
    """
    vectors, first = [table[tokenizer.cls_token_id]], []
    for word in words:
        first.append(len(vectors))
        rows = tokenizer(word, add_special_tokens=False)["input_ids"]
        is_piece = len(rows) == 1 and rows[0] != tokenizer.unk_token_id
        if mode == "pieces" or (mode == "hybrid" and is_piece):
            vectors += [table[row] for row in rows or [tokenizer.unk_token_id]]
        else:
            symbols = dictionary.encode_line(word.lower(), append_eos=False).long()
            symbols = symbols[: composer.max_chars]
            length = torch.tensor([len(symbols)])
            vectors.append(composer.compose(symbols.unsqueeze(0), length)[0])
    first.append(len(vectors))
    vectors.append(table[tokenizer.sep_token_id])
    return torch.stack(vectors), first
