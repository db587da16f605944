"""How long a sentence a model with learned positions can take."""

from fairseq.modules import LearnedPositionalEmbedding


class LearnedPositions:
    """For a task: it knows how many positions its models have learned."""

    #: ``encoder``, ``decoder`` -> longest sequence of a model that has learned positions
    #: there
    learned_positions = {}

    def build_model(self, cfg, from_checkpoint=False):
        """As in fairseq; learned positions bound what can be encoded and scored."""
        model = super().build_model(cfg, from_checkpoint)
        for part in ("encoder", "decoder"):
            positions = getattr(getattr(model, part, None), "embed_positions", None)
            if isinstance(positions, LearnedPositionalEmbedding):
                limit = self.most_positions(part, positions.max_positions)
                self.learned_positions = {**self.learned_positions, part: limit}
        return model

    def most_positions(self, part, limit=None):
        """The most ids of a sentence.

        Args:
            part (str): ``encoder`` or ``decoder``, which takes it.
            limit (int, optional): from elsewhere.

        Returns:
            int: or None where there is no limit.
        """
        limits = [limit, self.learned_positions.get(part)]
        return min([n for n in limits if n is not None], default=None)
