# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sampled subgraphs with their nodes renumbered from 0."""

from .. import _core, tensor
from ._reduce import check_index


def _renumber(function, x, neighbors, counts):
    import numpy as np

    if any(_core.pir.is_symbolic(t) for t in (x, *neighbors, *counts)):
        return _renumber_when_run(x, neighbors, counts)
    check_index(function, "x", x)
    nodes = x.numpy().reshape(-1)
    lists, targets = [], []
    for one, count in zip(neighbors, counts, strict=True):
        check_index(function, "neighbors", one)
        check_index(function, "count", count)
        sizes = count.numpy().reshape(-1)
        kinds = len(sizes) // max(len(nodes), 1)
        if len(sizes) != kinds * len(nodes) or sizes.sum() != one.shape[0]:
            raise ValueError(
                f"{function}: count has {len(sizes)} elements with sum {sizes.sum()}, x has {len(nodes)} elements and "
                f"neighbors {one.shape[0]}; count must tell the number of neighbors of each element of x."
            )
        lists.append(one.numpy().reshape(-1))
        targets.append(np.repeat(np.tile(np.arange(len(nodes)), kinds), sizes))
    sources = np.concatenate(lists) if lists else nodes[:0]
    # Distinct ids in the order of their first occurrence; x itself stays whole at the front.
    ids, first, inverse = np.unique(np.concatenate([nodes, sources]), return_index=True, return_inverse=True)
    is_new = first >= len(nodes)
    number = np.where(is_new, 0, first)
    order = np.argsort(first[is_new], kind="stable")
    number[np.flatnonzero(is_new)[order]] = len(nodes) + np.arange(len(order))
    new_nodes = ids[is_new][order]
    made = (
        number[inverse.reshape(-1)[len(nodes) :]],
        np.concatenate(targets) if targets else number[:0],
        np.concatenate([nodes, new_nodes]),
    )
    return tuple(tensor.to_tensor(one.astype(nodes.dtype)) for one in made)


def _renumber_when_run(x, neighbors, counts):
    """The same in operators, for programs; x and count are as described."""
    starts, sources = x.shape[0], tensor.concat([n.reshape([-1]) for n in neighbors])
    ids, first, inverse = tensor.unique(tensor.concat([x, sources]), return_index=True, return_inverse=True)
    order = tensor.argsort(first)
    number = tensor.argsort(order)  # the position of each id among first occurrences
    targets = []
    for count in counts:
        rows = tensor.arange(count.shape[0], dtype="int64") % starts
        targets.append(tensor.repeat_interleave(rows, count))
    made = (tensor.gather(number, inverse)[starts:], tensor.concat(targets), tensor.gather(ids, order))
    return tuple(one.astype(x.dtype) for one in made)


def reindex_graph(x, neighbors, count, value_buffer=None, index_buffer=None, name=None):
    """Renumbers the nodes of a sampled graph: those of x first, then the others as they appear.

    Args:
        x: Distinct ids of the nodes whose neighbours were sampled, int32 or int64 of shape [N].
        neighbors: Ids of the neighbours, of shape [E].
        count: Number of neighbours of each node of x, int32 of shape [N]; of several kinds of edges one kind
            after the other, of shape [kinds * N].
        value_buffer, index_buffer: Work memory of other devices; unused.
        name: Unused.

    Returns:
        (new number of the start of each edge [E], new number of its end [E], the id behind each new number).

    Raises:
        ValueError: count does not describe neighbors.

    Example:
        >>> import paddle
        >>> x, near = paddle.to_tensor([0, 1]), paddle.to_tensor([8, 0, 8])
        >>> [t.tolist() for t in paddle.geometric.reindex_graph(x, near, paddle.to_tensor([1, 2], dtype="int32"))]
        [[2, 0, 2], [0, 1, 1], [0, 1, 8]]
    """
    return _renumber("reindex_graph", x, [neighbors], [count])


def reindex_heter_graph(x, neighbors, count, value_buffer=None, index_buffer=None, name=None):
    """`reindex_graph` of a graph with several kinds of edges that share their nodes.

    Args:
        x: Distinct ids of the nodes whose neighbours were sampled, int32 or int64 of shape [N].
        neighbors: For each kind of edge, ids of the neighbours.
        count: For each kind of edge, number of neighbours of each node of x, int32 of shape [N].
        value_buffer, index_buffer: Work memory of other devices; unused.
        name: Unused.

    Returns:
        (new number of the start of each edge, new number of its end, the id behind each new number); the
        edges of all kinds one after the other.

    Raises:
        ValueError: The lists differ in length, or count does not describe neighbors.
    """
    if len(neighbors) != len(count):
        raise ValueError(
            f"reindex_heter_graph: neighbors has {len(neighbors)} elements and count {len(count)}; "
            f"both need one per kind of edge."
        )
    return _renumber("reindex_heter_graph", x, neighbors, count)
