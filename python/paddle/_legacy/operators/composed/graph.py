# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators on graphs: messages along edges, neighbours, segments."""

from .... import _core

__all__ = [
    "graph_sample_neighbors",
    "reindex_graph",
    "segment_pool",
    "send_u_recv",
    "send_ue_recv",
    "send_uv",
    "weighted_sample_neighbors",
]


def _rows(out_size):
    """The number of rows of a result; 0 leaves it to the inputs."""
    if isinstance(out_size, _core.Tensor):
        return out_size
    size = out_size[0] if isinstance(out_size, list | tuple) else out_size
    return size or None


def send_u_recv(x, src_index, dst_index, reduce_op="SUM", out_size=(0,)):
    """Rows of the sources of edges, gathered at their destinations."""
    from .... import geometric

    return geometric.send_u_recv(x, src_index, dst_index, reduce_op.lower(), _rows(out_size))


def send_ue_recv(x, y, src_index, dst_index, message_op="ADD", reduce_op="SUM", out_size=(0,)):
    """Rows of the sources with those of the edges, gathered at the destinations."""
    from .... import geometric

    message, reduce = message_op.lower(), reduce_op.lower()
    return geometric.send_ue_recv(x, y, src_index, dst_index, message, reduce, _rows(out_size))


def send_uv(x, y, src_index, dst_index, message_op="ADD"):
    """Rows of the sources with those of the destinations, one for each edge."""
    from .... import geometric

    return geometric.send_uv(x, y, src_index, dst_index, message_op.lower())


def segment_pool(x, segment_ids, pooltype="SUM"):
    """Rows of equal id as one: their sum, mean, least or largest."""
    from .... import geometric

    kinds = {
        "SUM": geometric.segment_sum,
        "MEAN": geometric.segment_mean,
        "MIN": geometric.segment_min,
        "MAX": geometric.segment_max,
    }
    if pooltype not in kinds:
        raise ValueError(f"segment_pool: pooltype has value {pooltype!r}; it must be one of {list(kinds)}.")
    return kinds[pooltype](x, segment_ids)


def graph_sample_neighbors(row, colptr, x, eids, perm_buffer, sample_size, return_eids, flag_perm_buffer):
    """Some neighbours of nodes: (neighbours, their numbers, edges or None)."""
    from .... import geometric

    buffer = perm_buffer if flag_perm_buffer else None
    found = geometric.sample_neighbors(row, colptr, x, sample_size, eids, return_eids, buffer)
    return (*found, None)[:3]


def weighted_sample_neighbors(row, colptr, edge_weight, input_nodes, eids, sample_size, return_eids):
    """Some neighbours of nodes, drawn by weight: (neighbours, their numbers, edges or None)."""
    from .... import geometric

    found = geometric.weighted_sample_neighbors(row, colptr, edge_weight, input_nodes, sample_size, eids, return_eids)
    return (*found, None)[:3]


def reindex_graph(x, neighbors, count, hashtable_value=None, hashtable_index=None):
    """Edges between nodes that are numbered from zero: (sources, destinations, nodes)."""
    from .... import geometric

    return geometric.reindex_graph(x, neighbors, count, hashtable_value, hashtable_index)
