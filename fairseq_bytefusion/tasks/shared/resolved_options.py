"""Options whose default depends on others: a checkpoint keeps what they came to."""


def store_resolved(cfg, model):
    """Put what the model was built with where an option was left to its default.

    The rule behind a default may change; what a checkpoint means must not.

    Args:
        cfg (DictConfig or Namespace): the options as given, which checkpoints will hold;
            changed in place.
        model (FairseqModel): built of them; ``model.options`` has all, resolved.
    """
    for name, value in vars(model.options).items():
        if value is not None and getattr(cfg, name, value) is None:
            setattr(cfg, name, value)
