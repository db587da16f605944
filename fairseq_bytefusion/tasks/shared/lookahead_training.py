"""Train heads that look ahead, with a model or behind one that is finished."""


class LookaheadTraining:
    """For a task of models with ``--lookahead-heads``."""

    _has_heads = False

    def build_model(self, cfg, from_checkpoint=False):
        """As in fairseq; ``--lookahead-only`` is for training alone."""
        model = super().build_model(cfg, from_checkpoint)
        self._has_heads = bool(getattr(cfg, "lookahead_heads", 0))
        if getattr(cfg, "lookahead_only", False) and not from_checkpoint:
            model.train_lookahead_only()
        return model

    def build_criterion(self, cfg):
        """As in fairseq.

        Raises:
            ValueError: the model has heads that the criterion would not train.
        """
        criterion = super().build_criterion(cfg)
        if self._has_heads and not getattr(criterion, "trains_lookahead", False):
            raise ValueError(
                "--lookahead-heads learn with --criterion "
                "label_smoothed_cross_entropy_with_lookahead alone: give that one"
            )
        return criterion

    def start_training(self, model, cfg):
        """Called before a training that does not go on from a checkpoint.

        Raises:
            ValueError: heads alone would be trained, behind a model of random weights.
        """
        super().start_training(model, cfg)
        if getattr(cfg, "lookahead_only", False):
            raise ValueError(
                "--lookahead-only trains heads behind a finished model: give that with "
                "--finetune-from-model"
            )
