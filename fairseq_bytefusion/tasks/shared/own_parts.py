"""Tasks that no other criterion, and no other model, is for."""

from fairseq.criterions import CRITERION_REGISTRY
from fairseq.models import ARCH_MODEL_REGISTRY, MODEL_REGISTRY


class OwnCriterion:
    """For a task whose criterion has its ``NAME``."""

    def build_criterion(self, cfg):
        """As in fairseq.

        Raises:
            ValueError: a criterion of another task.
        """
        criterion = super().build_criterion(cfg)
        if not isinstance(criterion, CRITERION_REGISTRY[self.NAME]):
            raise ValueError(
                f"--task {self.NAME} learns with --criterion {self.NAME}: give that"
            )
        return criterion


class OwnParts(OwnCriterion):
    """For a task whose models are presets of ``--arch ARCH`` too."""

    def build_model(self, cfg, from_checkpoint=False):
        """As in fairseq.

        Raises:
            ValueError: a model of another task.
        """
        name = getattr(cfg, "_name", None)
        if name and ARCH_MODEL_REGISTRY.get(name) is not MODEL_REGISTRY[self.ARCH]:
            raise ValueError(
                f"--task {self.NAME} trains --arch {self.ARCH} or a preset of it (now "
                f"{name}): give that"
            )
        return super().build_model(cfg, from_checkpoint)
