"""The HTML templates of reports."""

from pathlib import Path

import jinja2


def render(name, **values):
    """A page that needs nothing else.

    Args:
        name (str): of a template of this folder.
        **values: what it shows; text is escaped.

    Returns:
        str

    Raises:
        jinja2.UndefinedError: the template names a value that is not there.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name).render(values)
