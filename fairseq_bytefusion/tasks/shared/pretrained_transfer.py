"""Start from an encoder of Hugging Face; a checkpoint keeps its configuration."""

import logging

from ...data.hugging_face import read_layers, read_parts
from ...models.embedding_approximation import start_at_scale
from ...modules.embedders.composers import Char2Subword
from ...modules.pretrained import PretrainedParts
from ...modules.pretrained.input_embedder import NUM_ENDS
from ...text.text_dictionary import encode_utf8
from .composer_transfer import composer_start

logger = logging.getLogger(__name__)


class SavedPretrained:
    """For a task: the configuration and the tokenizer of a pre-trained encoder, which its
    checkpoints keep."""

    #: PretrainedParts: those of the checkpoint that is being loaded, or else of the
    #: directory; None of other models
    pretrained = None

    def read_pretrained(self, path):
        """Take over configuration and tokenizer of a directory (str).

        Raises:
            OSError, ValueError: see :func:`~...data.hugging_face.read_parts`.
        """
        self.pretrained = PretrainedParts(**read_parts(path))

    def state_dict(self):
        """As in fairseq, and what is pre-trained."""
        state = super().state_dict()
        if self.pretrained is not None:
            state["pretrained"] = self.pretrained.state()
        return state

    def load_state_dict(self, state):
        """Called by fairseq before it builds the model of a checkpoint."""
        super().load_state_dict(state)
        if "pretrained" in state:
            self.pretrained = PretrainedParts(**state["pretrained"])

    def check_restored(self, state):
        """Called before a training goes on.

        Raises:
            ValueError: with another configuration or tokenizer.
        """
        check = getattr(super(), "check_restored", None)
        if check is not None:
            check(state)
        then = state.get("pretrained")
        own = self.pretrained
        if then and own is not None and not own.is_like(PretrainedParts(**then)):
            raise ValueError(
                "its pre-trained encoder has another configuration or tokenizer than the "
                "directory of --pretrained: give that of then"
            )


class PretrainedTransfer(SavedPretrained):
    """For a labelling task: ``--encoder-type pretrained``."""

    _embedder = None

    def build_model(self, cfg, from_checkpoint=False):
        """As in fairseq; the encoder may be a pre-trained one.

        Raises:
            OSError, ValueError: see :func:`~...data.hugging_face.read_parts`.
        """
        is_pretrained = getattr(cfg, "encoder_type", None) == "pretrained"
        path = getattr(cfg, "pretrained", None)
        if is_pretrained and path and not from_checkpoint:
            self.read_pretrained(path)
        model = super().build_model(cfg, from_checkpoint)
        self._embedder = model.encoder.embed_tokens if is_pretrained else None
        return model

    def start_training(self, model, cfg):
        """Called before a training that does not go on from a checkpoint of its own.

        Args:
            model (LabellingModel): changed in place.
            cfg (DictConfig or Namespace): its options.

        Raises:
            OSError, ValueError: see :func:`~...data.hugging_face.read_layers`.
        """
        if getattr(cfg, "encoder_type", None) == "pretrained":
            table = model.encoder.load_layers(read_layers(cfg.pretrained))
            logger.info("encoder: its layers are those of %s", cfg.pretrained)
            composer = model.encoder.embed_tokens.composer
            if isinstance(composer, Char2Subword) and composer_start(cfg) is None:
                start_at_scale(composer, table)
        super().start_training(model, cfg)

    @property
    def shortening(self):
        """dict: how sentences are cut that are too long for a pre-trained encoder, see
        :class:`~...data.encoded_texts.EncodedTexts`; empty for other models."""
        if self._embedder is None or self._embedder.positions is None:
            return {}
        most = self._embedder.positions - NUM_ENDS
        kind = "pieces" if self._embedder.mode == "pieces" else "words"
        return {"shorten": self._embedder.shorten, "too_long": f"more than {most} {kind}"}

    def sizes_of_words(self, words):
        """What limits how many words a sentence may have.

        Args:
            words (list of str)

        Returns:
            tuple: a list of tuples of int, for each word the symbols with the space before
            it and, for a pre-trained encoder, its positions; and a tuple of the most of
            each that a sentence may have.
        """
        dictionary = self.source_dictionary
        raw = [encode_utf8(word) for word in words]
        sizes = [(len(dictionary.symbol_ids(b" " + word)),) for word in raw]
        most = (self.source_side.limit - 1,)
        embedder = self._embedder
        if embedder is not None and embedder.positions is not None:
            sizes = [(*s, embedder.num_vectors(word)) for s, word in zip(sizes, raw)]
            most = (*most, embedder.positions - NUM_ENDS)
        return sizes, most
