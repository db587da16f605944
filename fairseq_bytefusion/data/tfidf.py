"""tf-idf of n-grams of words and of characters, as features of a sentence."""

import functools

import numpy as np
import torch

from ..text.text_dictionary import encode_utf8
from ..text.word_list import pack_words, unpack_words

# scikit-learn's own pattern would leave out words of one letter, and all punctuation.
_ANALYZERS = {
    "word": {"analyzer": "word", "token_pattern": r"[^ \t\r\v\f]+"},
    "char": {"analyzer": "char"},
}


class TfIdf:
    """The most frequent 1-, 2- and 3-grams of words and of characters, in small letters.

    The features of a sentence are two vectors of length 1, one behind the other: those of
    words and those of characters.

    Args:
        vectorizers (dict of str to TfidfVectorizer): ``word`` and ``char``.

    Source: Sengupta et al. 2021, section 3.2; scikit-learn's ``TfidfVectorizer``.
    """

    def __init__(self, vectorizers):
        self._vectorizers = vectorizers

    @classmethod
    def fit(cls, texts, most, name):
        """Of training data.

        Args:
            texts (list of str)
            most (int): features of words, and of characters.
            name (str): of the texts, for messages.

        Returns:
            TfIdf

        Raises:
            ValueError: no text at all; scikit-learn is not installed.
        """
        if not any(text.strip(" \t\r\v\f") for text in texts):
            raise ValueError(f"{name} holds no text of which --tfidf could be made")
        found = {}
        for kind in _ANALYZERS:
            terms = _most_frequent(kind, texts, most)
            found[kind] = _vectorizer(kind, vocabulary=terms).fit(texts)
        return cls(found)

    @classmethod
    def from_state(cls, state):
        """TfIdf: of what :meth:`state` gave.

        Raises:
            ValueError: scikit-learn is not installed.
        """
        found = {}
        for kind in _ANALYZERS:
            terms = unpack_words(state[f"{kind}_terms"])
            names = [term.decode("utf-8", "surrogateescape") for term in terms]
            found[kind] = _vectorizer(kind, vocabulary=names)
            found[kind].idf_ = state[f"{kind}_idf"].cpu().numpy()
        return cls(found)

    def state(self):
        """dict of str to Tensor: what a checkpoint keeps, the n-grams and their weights."""
        state = {}
        for kind, vectorizer in self._vectorizers.items():
            terms = vectorizer.get_feature_names_out()
            state[f"{kind}_terms"] = pack_words([encode_utf8(str(t)) for t in terms])
            state[f"{kind}_idf"] = torch.from_numpy(vectorizer.idf_.astype(np.float64))
        return state

    def __len__(self):
        return sum(len(v.get_feature_names_out()) for v in self._vectorizers.values())

    def is_that_of(self, state):
        """bool: whether ``state`` (dict) is its own, up to the last digits of weights."""
        return all(
            value.shape == state[name].shape and torch.allclose(value, state[name])
            for name, value in self.state().items()
        )

    def rows(self, texts):
        """A function from numbers of ``texts`` (list of str) to Float[B, F]."""
        from scipy.sparse import hstack

        parts = [vectorizer.transform(texts) for vectorizer in self._vectorizers.values()]
        # A function that worker processes can be handed.
        return functools.partial(_dense_rows, hstack(parts, "csr", np.float32))


def _most_frequent(kind, texts, most):
    """list of str: n-grams, the first ones of those that are as frequent: scikit-learn's
    own choice among these is another in every version of numpy."""
    counter = _vectorizer(kind, norm=None, use_idf=False)
    counts = np.asarray(counter.fit_transform(texts).sum(0)).ravel()
    terms = counter.get_feature_names_out()  # sorted
    return sorted(terms[np.argsort(-counts, kind="stable")[:most]].tolist())


def _dense_rows(matrix, numbers):
    return torch.from_numpy(matrix[numbers].toarray())


def _vectorizer(kind, **options):
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError as error:
        raise ValueError(
            "--tfidf needs the package scikit-learn: pip install scikit-learn"
        ) from error
    return TfidfVectorizer(ngram_range=(1, 3), **_ANALYZERS[kind], **options)
