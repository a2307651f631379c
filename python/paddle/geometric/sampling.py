# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Random neighbours in a graph whose edges are in compressed sparse columns."""

from .. import _paths, tensor
from ._reduce import check_index


def _graph(function, row, colptr, input_nodes):
    """The three vectors in NumPy, checked: colptr may be read at every input node, row at what it says."""
    arrays = []
    for name, one in (("row", row), ("colptr", colptr), ("input_nodes", input_nodes)):
        arrays.append(check_index(function, name, one).numpy())
    rows, pointers, nodes = arrays
    if len(pointers) == 0 or (pointers[1:] < pointers[:-1]).any() or pointers[-1] > len(rows):
        raise ValueError(f"{function}: colptr must ascend from 0 to at most {len(rows)}, the length of row.")
    if len(nodes) and nodes.max() >= len(pointers) - 1:
        raise IndexError(f"{function}: input_nodes holds {nodes.max()}; the graph has {len(pointers) - 1} nodes.")
    return rows, pointers, nodes


def _sample(function, row, colptr, input_nodes, sample_size, eids, return_eids, edge_weight=None):
    import numpy as np

    if return_eids and eids is None:
        raise ValueError(f"{function}: return_eids is True; eids must be given then.")
    rows, pointers, nodes = _graph(function, row, colptr, input_nodes)
    for name, one in (("eids", eids), ("edge_weight", edge_weight)):
        if one is not None and int(one.size) < len(rows):
            raise ValueError(f"{function}: {name} has {int(one.size)} elements; it needs one for each of {len(rows)}.")
    start = pointers[nodes].astype(np.int64)
    degree = pointers[nodes + 1] - start
    owner = np.repeat(np.arange(len(nodes)), degree)
    rank = np.arange(len(owner)) - np.repeat(np.cumsum(degree) - degree, degree)
    edges = np.repeat(start, degree) + rank
    taken = degree
    if sample_size >= 0 and (degree > sample_size).any():
        # The k smallest of exponential keys of rate w are a sample without replacement with chances
        # proportional to w (Efraimidis and Spirakis, 2006).
        keys = -np.log1p(-tensor.rand([len(edges)], dtype="float64").numpy())
        if edge_weight is not None:
            with np.errstate(divide="ignore"):
                keys = keys / edge_weight.numpy().reshape(-1)[edges].astype(np.float64)
        order = np.lexsort((keys, owner))
        edges = edges[np.sort(order[rank < sample_size])]
        taken = np.minimum(degree, sample_size)
    made = [tensor.to_tensor(rows[edges]), tensor.to_tensor(taken.astype(np.int32))]
    if return_eids:
        made.append(tensor.to_tensor(eids.numpy().reshape(-1)[edges]))
    return tuple(made)


def sample_neighbors(
    row, colptr, input_nodes, sample_size=-1, eids=None, return_eids=False, perm_buffer=None, name=None
):
    """Random neighbours of nodes, without repetition and with equal chances.

    Args:
        row: Start of each edge, sorted by its end, int32 or int64 of shape [E].
        colptr: Position in row where the edges to each node begin, of shape [N + 1].
        input_nodes: Nodes whose neighbours are drawn, of shape [M].
        sample_size: Neighbours for each node at most; all if negative.
        eids: Ids of the edges, of shape [E].
        return_eids: Return the ids of the drawn edges too.
        perm_buffer: Work memory of other devices; unused.
        name: Unused.

    Returns:
        (neighbours one node after the other, int32 number of them for each node), and the ids of the
        edges when return_eids is True.

    Raises:
        ValueError: colptr does not ascend, or return_eids without eids.
        IndexError: input_nodes holds a node that is not in the graph.
    """
    return _sample("sample_neighbors", row, colptr, input_nodes, sample_size, eids, return_eids)


def weighted_sample_neighbors(
    row, colptr, edge_weight, input_nodes, sample_size=-1, eids=None, return_eids=False, name=None
):
    """`sample_neighbors` with chances proportional to the weights of the edges.

    Args:
        row: Start of each edge, sorted by its end, int32 or int64 of shape [E].
        colptr: Position in row where the edges to each node begin, of shape [N + 1].
        edge_weight: Weights, not negative, of shape [E].
        input_nodes: Nodes whose neighbours are drawn, of shape [M].
        sample_size: Neighbours for each node at most; all if negative.
        eids: Ids of the edges, of shape [E].
        return_eids: Return the ids of the drawn edges too.
        name: Unused.

    Returns:
        (neighbours one node after the other, int32 number of them for each node), and the ids of the
        edges when return_eids is True.

    Raises:
        ValueError: colptr does not ascend, or return_eids without eids.
        IndexError: input_nodes holds a node that is not in the graph.
    """
    return _sample("weighted_sample_neighbors", row, colptr, input_nodes, sample_size, eids, return_eids, edge_weight)


_paths.attach(__name__)
