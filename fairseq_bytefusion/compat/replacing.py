"""How a workaround takes the place of a function of a library."""

import functools


def replacing(owner, name):
    """A decorator: what it decorates takes the place of ``owner.name``, the first time.

    Args:
        owner (module or class)
        name (str): of a function or a static method; what is decorated gets it first,
            before the arguments of a call.
    """

    def decorate(function):
        original = getattr(owner, name)
        if hasattr(original, "__wrapped__"):
            return original

        @functools.wraps(original)
        def replacement(*args, **kwargs):
            return function(original, *args, **kwargs)

        is_static = isinstance(vars(owner)[name], staticmethod)
        setattr(owner, name, staticmethod(replacement) if is_static else replacement)
        return replacement

    return decorate
