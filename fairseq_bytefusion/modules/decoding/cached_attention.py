"""The geometries of a search: new positions see what their cache holds.

``x`` is Float[S, g, D]: for each of S sentences g new positions, which are the newest
symbols of as many hypotheses. What they may look at is the cache's to say, in its ``bias``:
another store of the past, with other rules, needs no other geometry.
"""


class _Cached:
    """Attention of new positions, for one branch of one layer.

    Args:
        cache (SearchCache)
        layer (int): number of the layer.
        branch (int): number of the branch; each has a slot of its own in the cache.
    """

    def __init__(self, cache, layer, branch=0):
        self._cache, self._slot = cache, (layer, branch)
        self._of_branches = {}

    def of_branch(self, index):
        """The same for branch ``index`` of the layer's attention."""
        if index not in self._of_branches:
            self._of_branches[index] = type(self)(self._cache, self._slot[0], index)
        return self._of_branches[index]

    def _output(self, branch, attended):
        """What the kernel returned, after the branch's output projection."""
        x, weights = attended
        return branch.out_proj(x.transpose(1, 2).flatten(2)), weights


class CachedPast(_Cached):
    """Self-attention: keys and values of what was written before, and of itself."""

    _projection = None  # bias [3D] and weight [D, 3D]

    def attend(self, branch, query, memory, need_weights=False):
        """Attention of the newest positions; weights are those that the kernel has."""
        if self._projection is None:
            self._projection = branch.joint_projection()
        bias, weight = self._projection
        x = query @ weight + bias
        q, k, v = x.unflatten(-1, (3, branch.num_heads, branch.head_dim)).unbind(2)
        keys, values = self._cache.write(self._slot, k, v)
        if branch.gathers_past and self._cache.gathers:
            return self._output(branch, self._gathered(branch, q, keys, values))
        return self._output(
            branch,
            branch.attend_cached(q.transpose(1, 2), keys, values, self._cache.bias),
        )

    def _gathered(self, branch, q, keys, values):
        """Every hypothesis as a sentence of its own, with what it descends from alone.

        Args:
            branch (Branch)
            q (Float[S, g, H, d])
            keys (Float[S * H, d, n]), values (Float[S * H, n, d]): of all nodes.

        Returns:
            tuple: Float[S, H, g, d] and None.
        """
        places, shape = self._cache.ancestors, q.shape
        keys = _of_each(keys, places[:, :, None, None], shape, 4)
        values = _of_each(values, places[:, :, None, :, None], shape, 3)
        x, _ = branch.attend_cached(q.flatten(0, 1).unsqueeze(2), keys, values)
        return x.view(shape).transpose(1, 2), None

    def neighbours(self, x, before, after):
        """The newest states behind those of their hypotheses; there are none ``after``.

        Returns:
            Float[S * g, before + 1, D]: as :meth:`~..attention.geometry.Full.neighbours`.
        """
        return self._cache.recall(self._slot, x, before).flatten(0, 1)


class CachedMemory(_Cached):
    """Cross-attention: keys and values of the encoder's states, made once."""

    def attend(self, branch, query, memory, need_weights=False):
        """Attention to the encoder's states, which the cache has."""
        q = branch.split_heads(branch.q_proj(query))
        keys, values = self._cache.memory_of(branch, self._slot)
        return self._output(
            branch, branch.attend_cached(q, keys, values, self._cache.memory_bias)
        )


def _of_each(nodes, places, shape, dim):
    """What is at the ``places`` of each hypothesis: Float[S * g * H, ..., m, ...].

    Args:
        nodes (Float[S * H, ., .])
        places (Long[S, g, 1, ., .]): along dimension ``dim`` of five.
        shape (tuple of int): S, g, H, d.
    """
    sentences, beam, heads, _ = shape
    nodes = nodes.unflatten(0, (sentences, 1, heads)).expand(-1, beam, -1, -1, -1)
    wanted = list(nodes.shape)
    wanted[dim] = places.shape[dim]
    return nodes.gather(dim, places.expand(wanted)).flatten(0, 2)
