"""What a model asks of any embedder."""


class Embedder:
    """The contract of embedders; those that differ set what differs.

    Beside it an embedder has ``embedding_dim``, ``padding_idx``, a classmethod
    ``build(options, dictionary, dim)`` and
    ``forward(tokens: Long[B, T]) -> (states: Float[B, S, D], padding_mask: Bool[B, S])``
    with zero states where the mask is True. One that composes words of their symbols has
    ``composer``, the :class:`~.composers.WordComposer` in it.
    """

    #: S counts words, padded on the right; else S = T, one state a symbol
    composes_words = False
    #: ``build`` also takes ``words`` (list of bytes), those of ``DATA/dict.word.LANG.txt``
    needs_words = False
    #: ``build`` also takes ``language_model`` (LanguageModelEncoder), that of a checkpoint
    needs_language_model = False
    #: whether it has a table ``weight`` that input and output may share
    has_table = False
    #: whether dropout on its (position-coded) states makes sense
    dropout_on_states = True
    #: whether dropout on the states that become logits makes sense, in a decoder
    dropout_on_output = True

    @classmethod
    def build_for_decoder(cls, options, dictionary, dim):
        """As ``build``, with what the options say of a decoder's output."""
        return cls.build(options, dictionary, dim)

    def build_output_projection(self):
        """The module that turns a decoder's states Float[..., D] into logits
        Float[..., V]; None for an ordinary one."""
        return
