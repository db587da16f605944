"""Word alignments from attention, one number after the other."""


def alignment(attention, target_symbols, source_states):
    """Pairs of a source word and the target word that attends to it most.

    Args:
        attention (list of list of list of float): of each head, a row a target symbol, a
            column a state of the source.
        target_symbols (list of int or None): the word of each symbol.
        source_states (list of int or None): the word of each state.

    Returns:
        list of (int, int)
    """
    links = []
    for target in sorted({word for word in target_symbols if word is not None}):
        best, most = None, -1.0
        for source in sorted({word for word in source_states if word is not None}):
            total = 0.0
            for head in attention:
                for row, of_symbol in zip(head, target_symbols):
                    for value, of_state in zip(row, source_states):
                        if of_symbol == target and of_state == source:
                            total += value / len(attention)
            if total > most:
                best, most = source, total
        if best is not None:
            links.append((best, target))
    return links
