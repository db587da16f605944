"""Modules that can be kept as they are while others learn."""


class Freezable:
    """For modules, before ``nn.Module``: what is frozen neither learns nor drops out."""

    _frozen = False

    def freeze(self):
        """Train no parameter, and drop nothing out."""
        self._frozen = True
        self.requires_grad_(False).eval()

    def train(self, mode=True):
        """As in torch; what is frozen stays as it is."""
        return super().train(mode and not self._frozen)
