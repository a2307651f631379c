# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Several process meshes as one; the expected meshes are those of PaddlePaddle 3.3.1."""

import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed import ProcessMesh
from paddle.distributed.auto_parallel.process_mesh import compute_compatible_process_mesh, merge_process_meshes

GRID = ProcessMesh([[0, 1, 2], [3, 4, 5]], dim_names=["x", "y"])
COLUMNS = ProcessMesh([[0, 1], [2, 3], [4, 5]])
LINE, PART, BACK = ProcessMesh([0, 1, 2, 3, 4, 5]), ProcessMesh([0, 1, 2]), ProcessMesh([2, 1, 0])
OTHER, BOTH = ProcessMesh([6, 7]), ProcessMesh([1, 6])


@pytest.mark.parametrize(
    ("meshes", "expected"),
    [
        ([GRID, None], GRID),
        ([None, GRID], GRID),
        ([GRID, LINE], GRID),
        ([LINE, GRID], GRID),
        ([GRID, PART], GRID),
        ([PART, GRID], GRID),
        ([GRID, COLUMNS], GRID),
        ([COLUMNS, GRID], COLUMNS),
        ([PART, BACK], BACK),
        ([GRID, LINE, PART], GRID),
        ([PART, OTHER], None),
        ([GRID, PART, BOTH], None),
        ([None, None], None),
        ([], None),
        (None, None),
    ],
)
def test_the_mesh_with_the_processes_of_all(meshes, expected):
    assert compute_compatible_process_mesh(meshes) == expected


def test_processes_of_several_meshes_in_one_line():
    assert merge_process_meshes([BACK, OTHER, None]) == ProcessMesh([0, 1, 2, 6, 7])
    assert merge_process_meshes([GRID]) == LINE
    assert merge_process_meshes([None]) is None is merge_process_meshes([])


def test_a_placed_tensor_knows_that_it_is():
    mesh = ProcessMesh([0], dim_names=["x"])
    placed = dist.shard_tensor(paddle.ones([2, 2]), mesh, [dist.Shard(0)])
    assert placed.is_dist() and placed.num_shard == 1 and placed._local_shape == [2, 2]
    assert dist.dtensor_from_fn(paddle.ones, mesh, [dist.Replicate()], shape=[2]).is_dist()
    assert not dist.unshard_dtensor(placed).is_dist() and not paddle.ones([2]).is_dist()
