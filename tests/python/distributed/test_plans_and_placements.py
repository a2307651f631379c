# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans of `parallelize`, descriptions of placements, and marks for calls, on a mesh of one process."""

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed import Replicate, Shard

X = np.arange(24, dtype="float32").reshape(2, 4, 3)
WHOLE = [Replicate(), Replicate()]


@pytest.fixture
def mesh():
    return dist.ProcessMesh([[0]], dim_names=["dp", "mp"])


class Inner(paddle.nn.Layer):
    """Keeps what it sees."""

    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(3, 3)

    def forward(self, x):
        self.seen = x
        return x * 2


class Outer(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        return self.inner(x)


def run(plan, mesh, x=X, part="mp_config"):
    model, _ = dist.parallelize(Outer(), None, mesh, {part: {"parallelize_plan": {"inner": plan}}})
    out = model(paddle.to_tensor(x))
    return model.inner.seen, out


TURNED = X.transpose(1, 0, 2)


@pytest.mark.parametrize(
    ("plan", "seen", "out", "placements"),
    [
        (dist.ColWiseParallel(gather_output=True), X, X, WHOLE),
        (dist.SequenceParallelBegin(), X, TURNED, [Replicate(), Shard(0)]),
        (dist.SequenceParallelBegin(need_transpose=False), X, X, [Replicate(), Shard(0)]),
        (dist.SequenceParallelEnable(), TURNED, X, WHOLE),
        (dist.SequenceParallelDisable(), TURNED, X, [Replicate(), Shard(0)]),
        (dist.SequenceParallelDisable(need_transpose=False), X, X, [Replicate(), Shard(0)]),
        ([dist.SequenceParallelBegin(), dist.SequenceParallelEnd()], TURNED, TURNED.transpose(1, 0, 2), None),
    ],
)
def test_plans_turn_and_place_activations(plan, seen, out, placements, mesh):
    got_seen, got = run(plan, mesh)
    np.testing.assert_array_equal(got_seen.numpy(), seen)
    np.testing.assert_array_equal(got.numpy(), out.reshape(got.shape) * 2 if isinstance(plan, list) else out * 2)
    if placements is not None:
        assert got.placements == placements


def test_inputs_are_joined_or_split(mesh):
    seen, out = run(dist.SequenceParallelEnd(), mesh)
    np.testing.assert_array_equal(seen.numpy(), TURNED)
    assert seen.placements == WHOLE and list(out.shape) == [4, 2, 3]
    seen, _ = run(dist.RowWiseParallel(is_input_parallel=False), mesh)
    assert seen.placements == [Replicate(), Shard(2)]


def test_inputs_and_outputs_are_prepared(mesh):
    seen, out = run(dist.PrepareLayerInput(lambda process_mesh: lambda layer, args: (args[0] + 1,)), mesh)
    np.testing.assert_array_equal(seen.numpy(), X + 1)
    seen, out = run(dist.PrepareLayerOutput(lambda process_mesh: lambda layer, args, out: out + 1), mesh)
    np.testing.assert_array_equal(out.numpy(), X * 2 + 1)
    with pytest.raises(AssertionError, match="fn"):
        dist.PrepareLayerInput()


@pytest.mark.parametrize(
    ("pattern", "plan", "weight", "bias"),
    [
        ("inner.linear", dist.ColWiseParallel(), Shard(1), Shard(0)),
        ("*.linear", dist.RowWiseParallel(), Shard(0), Replicate()),
        ("inner.linear.weight", dist.ColWiseParallel(), Shard(1), Replicate()),
    ],
)
def test_parameters_are_placed(pattern, plan, weight, bias, mesh):
    model = Outer()
    dist.parallelize(model, None, mesh, {"mp_config": {"parallelize_plan": {pattern: plan}}})
    assert model.inner.linear.weight.placements == [Replicate(), weight]
    assert model.inner.linear.bias.placements == [Replicate(), bias]


def test_stages_need_an_axis(mesh):
    assert [point.name for point in dist.SplitPoint] == ["BEGINNING", "END"] and dist.SplitPoint.END.value == 1
    with pytest.raises(AssertionError, match="pp"):
        dist.parallelize(Outer(), None, mesh, {"pp_config": {"split_spec": {"inner": dist.SplitPoint.END}}})
    staged = dist.ProcessMesh([[0]], dim_names=["pp", "mp"])
    model, _ = dist.parallelize(
        Outer(), None, staged, {"pp_config": {"split_spec": {"inner": dist.SplitPoint.BEGINNING}}}
    )
    assert model.inner.linear.weight.placements == WHOLE


def test_sequences_are_split_for_attention():
    mesh = dist.ProcessMesh([[0]], dim_names=["dp", "sep"])
    tokens = X[0]
    for backend in ("p2p", "all2all"):
        seen, _ = run(dist.PrepareContextParallel(backend), mesh, tokens, "cp_config")
        assert seen.placements == [Replicate(), Shard(1)]
        hook = getattr(dist.PrepareContextParallel(backend), f"{backend}_split_input_pre_hook")(mesh)
        assert hook(None, (paddle.to_tensor(tokens), 3))[1] == 3
        with pytest.raises(AssertionError, match="batch"):
            run(dist.PrepareContextParallel(backend), mesh, X)
    heads = X[..., None].repeat(2, 3)
    seen, out = run(dist.ContextParallel("all2all"), mesh, heads)
    assert seen.placements == [Replicate(), Shard(2)] and out.placements == [Replicate(), Shard(1)]
    np.testing.assert_array_equal(out.numpy(), heads * 2)
    seen, _ = run(dist.ContextParallel(), mesh, heads)
    assert seen.placements == [Replicate(), Shard(1)]
    query = paddle.to_tensor(heads)
    args, kwargs = dist.ContextParallel().p2p_reshard_pre_hook(mesh)(None, (query,), {"value": query, "n": 1})
    assert args[0].placements == kwargs["value"].placements == [Replicate(), Shard(1)] and kwargs["n"] == 1
    assert dist.ContextParallel().all2all_reshard_pre_hook(mesh)(None, (query,))[0].placements[1] == Shard(2)
    assert dist.ContextParallel().all2all_reshard_post_hook(mesh)(None, (), query).placements[1] == Shard(1)
    with pytest.raises(AssertionError, match="backend"):
        dist.PrepareContextParallel("zz")


def test_hooks_of_plans_are_functions_of_a_layer(mesh):
    x = paddle.to_tensor(X)
    assert dist.ColWiseParallel().gather_output_hook(mesh)(None, None, x).placements == WHOLE
    assert dist.RowWiseParallel().split_input_hook(mesh)(None, (x,))[0].placements[1] == Shard(2)
    assert list(dist.SequenceParallelBegin().sequence_parallel_begin(mesh)(None, None, x).shape) == [4, 2, 3]
    assert list(dist.SequenceParallelEnd().sequence_parallel_end(mesh)(None, x).shape) == [4, 2, 3]
    enable, disable = dist.SequenceParallelEnable(), dist.SequenceParallelDisable(False)
    assert enable.sequence_parallel_begin(mesh)(None, x).placements[1] == Shard(0)
    assert enable.sequence_parallel_end(mesh)(None, None, x).placements == WHOLE
    assert disable.sequence_parallel_begin(mesh)(None, None, x).placements[1] == Shard(0)
    assert disable.sequence_parallel_end(mesh)(None, x).placements == WHOLE


# -- descriptions --------------------------------------------------------------------------------
def test_axes_of_tensors_on_axes_of_meshes():
    mesh = dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["x", "y"])
    attr = dist.DistAttr(mesh, ["x", None])
    assert (attr.dims_mapping, attr.multi_dims_mapping, attr.sharding_specs) == ([0, -1], [[0], []], ["x", None])
    assert (attr.batch_dim, attr.chunk_id, attr.dynamic_dims) == (0, 0, [False, False])
    assert attr.process_mesh == mesh and attr.verify() and attr.verify(paddle.ones([2, 2]))
    assert not attr.verify(paddle.ones([2]))
    written = attr.serialize_to_string()
    assert written == (
        b"\n\x12\x08\x02\x08\x02\x10\x00\x10\x01\x10\x02\x10\x03\x1a\x01x\x1a\x01y\x12\x02\x08\x00\x12\x00\x18\x00 \x00 \x00(\x00"
    )
    other = dist.DistAttr(mesh, [None, None])
    assert other != attr
    other.parse_from_string(written)
    assert other == attr and other.process_mesh.dim_names == ["x", "y"]
    assert attr.annotated == {"dims_mapping": True, "process_mesh": True}
    attr.mark_annotated("batch_dim")
    attr.mark_annotated("zz")
    assert attr.is_annotated("batch_dim") and not attr.is_annotated("zz")
    attr.clear_annotated()
    assert attr.annotated == {}
    attr.dims_mapping, attr.batch_dim, attr.chunk_id, attr.dynamic_dims = [0, 1], -1, 2, [True, False]
    assert attr.multi_dims_mapping == [[0], [1]] and attr.verify()
    other.parse_from_string(attr.serialize_to_string())
    assert (other.batch_dim, other.chunk_id, other.dynamic_dims) == (-1, 2, [True, False])
    attr.dims_mapping = [0, 0]
    assert not attr.verify()
    attr.reset()
    assert attr.dims_mapping == [-1, -1] and attr.chunk_id == 2 and attr.process_mesh is None and not attr.verify()


def test_descriptions_that_do_not_fit_are_refused():
    mesh = dist.ProcessMesh([0], dim_names=["x"])
    for arguments, message in (((mesh, ["q"]), "'q'"), ((3, ["x"]), "mesh"), ((mesh, "x"), "list")):
        with pytest.raises(ValueError, match=message):
            dist.DistAttr(*arguments)


def test_members_of_reductions_and_splits():
    assert isinstance(dist.ReduceType.name, property) and dist.ReduceType.kRedMax.name == "kRedMax"
    assert dist.ReduceType.value.fget(dist.ReduceType.kRedMax) == 1 == dist.ReduceType(1).value
    assert dist.Shard(0).get_co_shard_order() == 0 and dist.Shard(0, shard_order=1).get_co_shard_order() == 1
    assert dist.Shard(0, split_factor=2).get_split_factor() == 2
    assert dist.Strategy.full_graph and dist.Strategy().full_graph


# -- calls ---------------------------------------------------------------------------------------
def test_calls_are_placed():
    mesh = dist.ProcessMesh([0], dim_names=["x"])
    one = paddle.ones([2])
    out = dist.shard_op(paddle.add, mesh, [["x"], None], [[None]])(one, one)
    assert out.tolist() == [2.0, 2.0] and out.placements == [Replicate()]
    out = dist.auto_parallel.shard_op(paddle.add, mesh, out_shard_specs=[["x"]])(one, y=one)
    assert out.placements == [Shard(0)]
    with pytest.raises(ValueError, match="specs"):
        dist.shard_op(paddle.add, mesh, [["x"]])(one, one)


def test_values_are_computed_again():
    calls = []

    def square(x):
        calls.append(1)
        return x * x

    x = paddle.to_tensor([3.0], stop_gradient=False)
    dist.auto_parallel.recompute(square)(x).backward()
    assert x.grad.item() == 6.0 and len(calls) == 2
    dist.auto_parallel.parallel_manual_seed(5)
    first = paddle.rand([2])
    paddle.seed(5)
    assert paddle.rand([2]).tolist() == first.tolist()


def test_parameters_are_split_over_an_axis():
    mesh = dist.ProcessMesh([[0]], dim_names=["dp", "mp"])
    net = paddle.nn.Linear(2, 3)
    assert dist.fsdp.fully_shard(net, mesh=mesh, ignored_params=[net.bias]) is net
    assert net.weight.placements == [Shard(0), Replicate()] and getattr(net.bias, "placements", None) is None
    dist.fsdp.fully_shard(net, mesh=mesh, shard_placement_fn=lambda p: Shard(p.ndim - 1))
    assert net.weight.placements[0] == Shard(1) and net.bias.placements[0] == Shard(0)
    net(paddle.ones([1, 2])).sum().backward()
    assert net.weight.grad.tolist() == [[1.0] * 3] * 2
    with pytest.raises(NotImplementedError, match="mp_policy"):
        dist.fsdp.fully_shard(net, mesh=mesh, mp_policy=object())
    with pytest.raises(NotImplementedError):
        dist.fsdp.fully_shard(net, mesh=mesh, reshard_after_forward=False)


def test_meshes_are_indexed_by_name_and_checked():
    mesh = dist.ProcessMesh([[0, 1, 2], [3, 4, 5]], ["a", "b"])
    assert [(mesh[k].process_ids, mesh[k].dim_names) for k in "ab"] == [([0, 3], ["a"]), ([0, 1, 2], ["b"])]
    for wrong in ([[0, 1], [0, 3]],), ([[0, 1], [2, 3]], ["a"]), ([[0, -1]],):
        with pytest.raises(AssertionError, match="ProcessMesh"):
            dist.ProcessMesh(*wrong)
