# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of local parts, calls in a job of one process, and settings of sparse tables."""

import threading

import numpy as np
import paddle
import paddle.distributed as dist
import pytest


def test_functions_of_local_parts_give_tensors_over_the_mesh():
    mesh = dist.ProcessMesh([0], dim_names=["x"])
    x = dist.shard_tensor(paddle.to_tensor([1.0, 2.0]), mesh, [dist.Shard(0)], stop_gradient=False)
    seen = []

    def add(a, b, scale=1):
        seen.append(getattr(a, "process_mesh", None))
        return a + b * scale

    rows, copies = [dist.Shard(0)], [dist.Replicate()]
    y = dist.local_map(add, [rows], [rows, rows], mesh)(x, x, scale=3)
    assert seen == [None] and y.process_mesh == mesh and y.placements == rows
    np.testing.assert_array_equal(y.numpy(), [4, 8])
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [4, 4])
    with pytest.raises(ValueError, match="reshard_inputs"):
        dist.local_map(add, [rows], [copies, rows], mesh)(x, x)
    y = dist.local_map(add, [rows], [copies, rows], mesh, reshard_inputs=True)(x, x)
    np.testing.assert_array_equal(y.numpy(), [2, 4])
    assert dist.local_map(add, [rows])(x, x).process_mesh == mesh
    with pytest.raises(ValueError, match="out_placements"):
        dist.local_map(add, [rows, rows], None, mesh)(x, x)
    with pytest.raises(ValueError, match="no Tensor argument has a mesh"):
        dist.local_map(add, [rows])(paddle.ones([2]), paddle.ones([2]))


def test_placed_tensors_are_leaves_and_parts_keep_their_history():
    mesh = dist.ProcessMesh([0], dim_names=["x"])
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    placed = dist.shard_tensor(x * 3, mesh, [dist.Shard(0)])
    assert placed.is_leaf and not placed.stop_gradient
    (placed * 2).sum().backward()
    np.testing.assert_array_equal(placed.grad.numpy(), [2, 2])
    assert x.grad is None
    (dist.reshard(x, mesh, [dist.Replicate()]) * 2).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [2, 2])


def test_calls_run_in_threads_of_the_process():
    rpc = dist.rpc
    rpc.init_rpc("worker", rank=0, world_size=1, master_endpoint="127.0.0.1:8931")
    try:
        me = rpc.get_current_worker_info()
        assert (me.name, me.rank, me.ip, me.port) == ("worker", 0, "127.0.0.1", 8931)
        assert rpc.get_all_worker_infos() == [me] and rpc.get_worker_info("worker") == me
        assert rpc.rpc_sync("worker", max, args=(3, 4)) == 4
        started = threading.Event()
        waiting = rpc.rpc_async("worker", started.wait, timeout=60)
        assert rpc.rpc_async("worker", dict, kwargs={"a": 1}).wait() == {"a": 1}
        started.set()
        assert waiting.wait()
        assert (rpc.rpc_sync("worker", paddle.add, (paddle.ones([2]), paddle.ones([2]))).numpy() == 2).all()
        with pytest.raises(ValueError, match="invalid literal"):
            rpc.rpc_sync("worker", int, args=("x",))
        with pytest.raises(ValueError, match="other"):
            rpc.rpc_sync("other", max, args=(3, 4))
        with pytest.raises(RuntimeError, match="already"):
            rpc.init_rpc("again")
    finally:
        rpc.shutdown()
    with pytest.raises(RuntimeError, match="init_rpc"):
        rpc.rpc_sync("worker", max, args=(3, 4))
    with pytest.raises(ValueError, match="rank has value 2"):
        rpc.init_rpc("worker", rank=2, world_size=2)


def test_settings_of_sparse_tables():
    assert dist.CountFilterEntry(10)._to_attr() == "count_filter_entry:10"
    assert dist.ProbabilityEntry(0.5)._to_attr() == "probability_entry:0.5"
    assert dist.ShowClickEntry("show", "click")._to_attr() == "show_click_entry:show:click"
    for wrong in (
        lambda: dist.CountFilterEntry(-1),
        lambda: dist.ProbabilityEntry(1),
        lambda: dist.ShowClickEntry(1, ""),
    ):
        with pytest.raises(ValueError, match="must be"):
            wrong()
