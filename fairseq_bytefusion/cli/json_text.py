"""What verbs print as JSON."""

import json


def json_text(value, indent=None):
    """str: JSON of ``value``, in which bytes that are not UTF-8 are U+FFFD."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
