# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sampling of graphs; the numbers are those of PaddlePaddle 3.3.1."""

import paddle
import pytest
from paddle import incubate

ROW = [3, 7, 0, 9, 1, 4, 2, 9, 3, 9, 1, 9, 7]
BEGINS = [0, 2, 4, 5, 6, 7, 9, 11, 11, 13, 13]


@pytest.fixture
def graph():
    return paddle.to_tensor(ROW), paddle.to_tensor(BEGINS), paddle.to_tensor([0, 8, 1, 2])


def test_one_hop_with_edges(graph):
    found = incubate.graph_khop_sampler(*graph, [5], sorted_eids=paddle.arange(13), return_eids=True)
    assert [t.tolist() for t in found] == [
        [[4], [5], [6], [5], [0], [6], [2]],
        [[0], [0], [1], [1], [2], [2], [3]],
        [0, 8, 1, 2, 3, 7, 9],
        [0, 1, 2, 3],
        [0, 1, 11, 12, 2, 3, 4],
    ]
    with pytest.raises(ValueError, match="sorted_eids"):
        incubate.graph_khop_sampler(*graph, [5], return_eids=True)


def test_two_hops_go_on_from_new_nodes(graph):
    source, target, nodes, first = incubate.graph_khop_sampler(*graph, [5, 5])
    assert nodes[:7].tolist() == [0, 8, 1, 2, 3, 7, 9] and first.tolist() == [0, 1, 2, 3]
    edges = set(zip(nodes[source.reshape([-1])].tolist(), nodes[target.reshape([-1])].tolist(), strict=True))
    # 3 has the neighbour 4; 7 and 9 have none.
    assert edges == {(3, 0), (7, 0), (9, 8), (7, 8), (0, 1), (9, 1), (1, 2), (4, 3)}


def test_older_names_of_sampling_and_renumbering(graph):
    neighbours, counts = incubate.graph_sample_neighbors(*graph, sample_size=2)
    assert counts.tolist() == [2, 2, 2, 1] and sorted(neighbours.tolist()) == [0, 1, 3, 7, 7, 9, 9]
    found = incubate.graph_reindex(
        paddle.to_tensor([0, 1, 2]), paddle.to_tensor([8, 9, 0, 4, 7, 6, 7]), paddle.to_tensor([2, 3, 2], dtype="int32")
    )
    assert [t.tolist() for t in found] == [[3, 4, 0, 5, 6, 7, 6], [0, 0, 1, 1, 1, 2, 2], [0, 1, 2, 8, 9, 4, 7, 6]]
