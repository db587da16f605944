"""Which sentence each row of a beam search belongs to, without copying its states."""


class LazyReordering:
    """For encoders: re-ordering the output notes the new order and copies nothing.

    fairseq's beam search repeats the encoder's output for every hypothesis and
    re-orders it at every step. Here the dict keeps the states of each sentence once
    and gets an entry ``sentence_of_row`` (a list of one Long[N]): row n of the batch
    belongs to that row of the states.
    """

    def reorder_encoder_out(self, encoder_out, new_order):
        """Row i of the batch becomes its row ``new_order[i]`` (Long[N'])."""
        rows = sentence_of_row(encoder_out)
        rows = new_order if rows is None else rows.index_select(0, new_order)
        return {**encoder_out, "sentence_of_row": [rows]}


def sentence_of_row(encoder_out):
    """Long[N], or None where row n of the batch is row n of the states."""
    rows = encoder_out.get("sentence_of_row")
    return rows[0] if rows else None


def memory_of(encoder_out):
    """What a decoder looks at.

    Args:
        encoder_out (dict): an encoder's output.

    Returns:
        tuple: states Float[B, T, E] and where a query may look, Bool[B, 1, 1, T] or
        None for everywhere. A row of nothing but padding sees itself: its softmax
        stays finite.
    """
    memory = encoder_out["encoder_out"][0].transpose(0, 1)
    if not encoder_out["encoder_padding_mask"]:
        return memory, None
    padding_mask = encoder_out["encoder_padding_mask"][0]
    allowed = ~padding_mask | padding_mask.all(1, keepdim=True)
    return memory, allowed[:, None, None, :]
