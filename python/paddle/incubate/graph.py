# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Message passing under the names from before `paddle.geometric`."""

from .. import tensor
from ..geometric import reindex_graph, sample_neighbors, send_u_recv


def graph_send_recv(x, src_index, dst_index, pool_type="sum", out_size=None, name=None):
    """`paddle.geometric.send_u_recv`."""
    return send_u_recv(x, src_index, dst_index, pool_type, out_size)


def graph_reindex(x, neighbors, count, value_buffer=None, index_buffer=None, flag_buffer_hashtable=False, name=None):
    """`paddle.geometric.reindex_graph`.

    Args:
        x: Distinct ids of nodes.
        neighbors: Their neighbours, one node after another.
        count: Numbers of neighbours.
        value_buffer: Kept for GPUs.
        index_buffer: Kept for GPUs.
        flag_buffer_hashtable: Kept for GPUs.
        name: Unused.
    """
    return reindex_graph(x, neighbors, count, value_buffer, index_buffer)


def graph_sample_neighbors(
    row,
    colptr,
    input_nodes,
    eids=None,
    perm_buffer=None,
    sample_size=-1,
    return_eids=False,
    flag_perm_buffer=False,
    name=None,
):
    """`paddle.geometric.sample_neighbors`.

    Args:
        row: The neighbours of all nodes, one node after another.
        colptr: Where those of each node begin.
        input_nodes: The nodes whose neighbours are wanted.
        eids: Ids of the edges.
        perm_buffer: Kept for GPUs.
        sample_size: Number of neighbours of a node; -1: all.
        return_eids: Whether ids of the edges are given too.
        flag_perm_buffer: Kept for GPUs.
        name: Unused.
    """
    return sample_neighbors(row, colptr, input_nodes, sample_size, eids, return_eids)


def graph_khop_sampler(row, colptr, input_nodes, sample_sizes, sorted_eids=None, return_eids=False, name=None):
    """Random neighbours of nodes, neighbours of these, and so on, as one renumbered graph.

    Args:
        row: The neighbours of all nodes, one node after another.
        colptr: Where those of each node begin.
        input_nodes: The nodes to begin with.
        sample_sizes: Numbers of neighbours of a node, hop by hop; -1: all.
        sorted_eids: Ids of the edges.
        return_eids: Whether ids of the edges are given too.
        name: Unused.

    Returns:
        New numbers of the sources and of the targets of the edges, of shape [E, 1]; the nodes by new number; the new
        numbers of `input_nodes`; with `return_eids` the ids of the edges.

    Raises:
        ValueError: `return_eids` without `sorted_eids`.
    """
    if return_eids and sorted_eids is None:
        raise ValueError("graph_khop_sampler: return_eids is True and sorted_eids is None; pass the ids of the edges.")
    nodes, known = input_nodes.reshape([-1]), {int(n) for n in input_nodes.reshape([-1]).tolist()}
    sources, counts, starts, edges = [], [], [], []
    for size in sample_sizes:
        made = sample_neighbors(row, colptr, nodes, size, sorted_eids, return_eids)
        sources.append(made[0])
        counts.append(made[1])
        starts.append(nodes)
        if return_eids:
            edges.append(made[2])
        fresh = list(dict.fromkeys(n for n in made[0].tolist() if n not in known))
        known.update(fresh)
        nodes = tensor.to_tensor(fresh, dtype=input_nodes.dtype)
    begins = tensor.concat(starts)
    source, target, order = reindex_graph(begins, tensor.concat(sources), tensor.concat(counts))
    first = tensor.arange(input_nodes.size, dtype=input_nodes.dtype)
    graph = (source.reshape([-1, 1]), target.reshape([-1, 1]), order, first)
    return (*graph, tensor.concat(edges)) if return_eids else graph
