"""Undo ``prepare.py --moses`` before scoring, with sacremoses."""


def detokenize(texts, language):
    """Join Moses tokens to plain text.

    Nothing is unescaped: ``prepare.py --moses`` escapes nothing.

    Args:
        texts (list of str): tokens separated by spaces.
        language (str): of the texts, such as ``en``.

    Returns:
        list of str
    """
    # Here, because few scores need it.
    from sacremoses import MosesDetokenizer

    moses = MosesDetokenizer(language)
    return [moses.detokenize(text.split(), unescape=False) for text in texts]
