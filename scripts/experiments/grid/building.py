"""Objects from the mappings of a YAML file, their keys checked by name and type."""

import dataclasses
import shlex

_QUOTE = "YAML reads no, on, yes and numbers otherwise, so put it in quotes"
_NO_SCALAR = (dict, list, type(None))


def known(what, name, valid, where):
    """Raise ValueError, listing what is ``valid``, where it lacks ``name``."""
    if name not in valid:
        choices = ", ".join(map(str, valid))
        raise ValueError(f"{where}: there is no {what} {name!r}; choose from {choices}")


def mapping(config, key):
    """``config[key]``, a mapping of names that is not empty.

    Raises:
        ValueError
    """
    value = config.get(key)
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{key}: must be a mapping of names; it is {value!r}")
    return value


def build(kind, keys, where):
    """An instance of a dataclass from a mapping.

    Args:
        kind (type): a dataclass; its fields are the keys.
        keys (dict)
        where (str): for messages.

    Raises:
        ValueError: a key that is not known, missing, or of another type.
    """
    if not isinstance(keys, dict):
        raise ValueError(f"{where}: must be a mapping of keys; it is {keys!r}")
    fields = {f.name: f for f in dataclasses.fields(kind) if f.init}
    for key, value in keys.items():
        known("key", key, fields, where)
        wanted = getattr(fields[key].type, "__origin__", fields[key].type)
        wanted = (int, float) if wanted is float else wanted
        is_bool = isinstance(value, bool) and wanted is not bool
        if wanted is not object and (not isinstance(value, wanted) or is_bool):
            name = getattr(wanted, "__name__", "number")
            is_misread = wanted is str and not isinstance(value, _NO_SCALAR)
            hint = f": {_QUOTE}" if is_misread else ""
            raise ValueError(
                f"{where}: {key} must be of type {name}; it is {value!r}{hint}"
            )
        _check_elements(value, fields[key].type, f"{where}: {key}")
    for name, f in fields.items():
        if f.metadata.get("required") and name not in keys:
            raise ValueError(f"{where}: the key {name} is missing")
    return kind(**keys)


def _check_elements(value, wanted, where):
    """Refuse in a list or mapping what is no text or no number, such as YAML's ``no``."""
    types = getattr(wanted, "__args__", ())
    columns = zip(*value.items()) if isinstance(value, dict) else [value]
    for kind, column in zip(types, columns):
        for element in column:
            if kind is str and not isinstance(element, str):
                raise ValueError(f"{where}: {element!r} is no text: {_QUOTE}")
            if kind is int:
                check_whole(element, where)


def check_whole(element, where):
    """Raise ValueError where ``element`` is no whole number."""
    if isinstance(element, bool) or not isinstance(element, int):
        raise ValueError(
            f"{where}: {element!r} is no whole number: YAML reads no, on and yes as "
            "booleans and what is in quotes as text"
        )


def check_at_least_one(spec, where, *keys):
    """Raise ValueError where one of the ``keys`` of ``spec`` is below 1."""
    for key in keys:
        if getattr(spec, key) < 1:
            raise ValueError(f"{where}: {key} must be at least 1, not {getattr(spec, key)}")


def check_quotes(where, flags):
    """Raise ValueError where a quote in ``flags`` (str) is not closed."""
    try:
        shlex.split(flags)
    except ValueError as error:
        raise ValueError(f"{where}: {error} in {flags!r}") from None
