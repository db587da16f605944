"""Grad-CAM from finite differences, a number at a time."""


def grad_cam(states, score_of, step=1e-4):
    """Values of the rows of ``states`` (list of list of float, T of C), where
    ``score_of(states)`` is the score that they lead to."""

    def slope(t, c):
        moved = []
        for sign in (1, -1):
            rows = [list(row) for row in states]
            rows[t][c] += sign * step
            moved.append(score_of(rows))
        return (moved[0] - moved[1]) / (2 * step)

    times, channels = range(len(states)), range(len(states[0]))
    weights = [sum(slope(t, c) for t in times) / len(states) for c in channels]
    return [max(0.0, sum(weights[c] * states[t][c] for c in channels)) for t in times]
