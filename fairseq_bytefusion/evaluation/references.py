"""One reference of a test set, or several."""


def reference_sets(references):
    """The references of a test set as a list of them.

    Args:
        references (list of str, or list of list of str): one sentence a line; of several
            references, each such a list.

    Returns:
        list of list of str: one or several references, each a sentence a line.
    """
    is_one = not references or isinstance(references[0], str)
    return [references] if is_one else references
