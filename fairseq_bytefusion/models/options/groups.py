"""Groups of options: declared once, with what they belong to and what they must agree on.

A group is a dataclass of :func:`option` fields; the config of a model inherits its groups.
It may have three static methods: ``resolve(options)`` gives a value to those whose default
depends on others (None until then); ``resolve_as_before(saved)`` gives them, in a
checkpoint that has none, what the rule was before it changed; ``check_group(options,
dictionary)`` raises ValueError, naming the flag to change, for what cannot be built.
``dictionary`` is that of the side the options are of. Options are handed on as a flat
``argparse.Namespace``.
"""

from argparse import Namespace
from contextlib import nullcontext
from dataclasses import dataclass, field, fields
from typing import Callable, Tuple

from omegaconf import DictConfig, open_dict


@dataclass(frozen=True)
class Owner:
    """Which parts of a model read an option; without them it would do nothing.

    Args:
        names (tuple of str): any of these parts must be chosen.
        chosen (callable): options -> the parts that are, a set of str.
        complaint (callable): ``(given, names, options)`` -> what to say of an option that
            was given (str, flag and value) where none is.
    """

    names: Tuple[str, ...]
    chosen: Callable
    complaint: Callable


def option(default, help, owner=None):
    """A dataclass field: a flag, its help and its :class:`Owner`, if not all models."""
    return field(default=default, metadata={"help": help, "owner": owner})


def flag(name):
    """How the option ``name`` is given: ``--encoder-layers``."""
    return f"--{name.replace('_', '-')}"


def complete(config_class, given):
    """All options of a config, flat, those that depend on others resolved.

    Options that ``given`` lacks, from a checkpoint older than them, have their default.

    Args:
        config_class (type): a dataclass.
        given (FairseqDataclass, DictConfig or Namespace)

    Returns:
        argparse.Namespace
    """
    defaults = config_class()
    options = Namespace(
        **{name: getattr(given, name, getattr(defaults, name)) for name in _names(defaults)}
    )
    for group in _groups_with(config_class, "resolve"):
        group.resolve(options)
    return options


def resolve_as_before(config_class, saved):
    """Give what a checkpoint left to its default what that default was then.

    Today's checkpoints hold every option resolved, and stay as they are.

    Args:
        config_class (type): a dataclass.
        saved (DictConfig or Namespace): options of a checkpoint; changed in place.
    """
    with open_dict(saved) if isinstance(saved, DictConfig) else nullcontext():
        for group in _groups_with(config_class, "resolve_as_before"):
            group.resolve_as_before(saved)


def check(config_class, options, dictionary):
    """Refuse what cannot be built or would do nothing, naming the flag to change.

    Args:
        config_class (type): a dataclass whose groups are checked.
        options (Namespace): see :func:`complete`.
        dictionary (fairseq.data.Dictionary): of the side that the options are of.

    Raises:
        ValueError
    """
    _check_owners(config_class(), options)
    for group in _groups_with(config_class, "check_group"):
        group.check_group(options, dictionary)


def unlike(config_class, then, now):
    """Options by which two models differ.

    An option that nothing of the first model reads makes no difference.

    Args:
        config_class (type): a dataclass, whose options are compared.
        then, now (Namespace): see :func:`complete`, of either model.

    Returns:
        list of str: their names.
    """
    return [
        name
        for name, owner in (
            (f.name, f.metadata.get("owner")) for f in _fields(config_class)
        )
        if getattr(then, name) != getattr(now, name)
        and (owner is None or owner.chosen(then) & set(owner.names))
    ]


def check_positive(options, names):
    """Raise ValueError where an option of ``names`` is a whole number below 1."""
    for name in names:
        value = getattr(options, name)
        if isinstance(value, int) and not isinstance(value, bool) and value < 1:
            raise ValueError(f"{flag(name)} {value} must be at least 1")


def _fields(config):
    return [f for f in fields(config) if not f.name.startswith("_")]


def _names(defaults):
    return [f.name for f in _fields(defaults)]


def _groups_with(config_class, method):
    """The groups of a config, in the order they are inherited, that have ``method``."""
    return [group for group in config_class.__mro__ if method in vars(group)]


def _check_owners(defaults, options):
    for option_field in fields(defaults):
        owner = option_field.metadata.get("owner")
        name = option_field.name
        # One that is resolved to a number has none where nothing reads it.
        if owner is None or getattr(options, name) == getattr(defaults, name):
            continue
        if not owner.chosen(options) & set(owner.names):
            value = getattr(options, name)
            given = flag(name) if isinstance(value, bool) else f"{flag(name)} {value}"
            raise ValueError(owner.complaint(given, owner.names, options))
