# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The operator table on distributed tensors: every row on meshes of 2 and 3 simulated ranks, with placements of its inputs,
against the same call on plain tensors; and gradients on 2 ranks.

Placements of one or two inputs are all tried, of more inputs each alone and all alike. `make test-op OP=name` runs the rows
of one operator.
"""

import itertools

import numpy as np
import paddle
import paddle.distributed as dist
import pytest

from tests.test_op_cases import CASES, bind, ids, run, seeded

# Values of these are whatever memory held.
UNDEFINED = {"empty", "empty_like"}
# Calls of the layer's own, on parts.
PLACING = {"reshard", "unshard", "local_part", "whole_of_parts"}
ROWS = [c for c in CASES if c.op not in PLACING and not c.op.startswith("mesh_")]


def options(tensor):
    """Placements that are tried of a tensor; None: it stays plain."""
    found = [None, dist.Replicate(), *(dist.Shard(d) for d in range(tensor.ndim))]
    return [*found, dist.Partial()] if tensor.dtype in (paddle.float32, paddle.float64) else found


def slots(arguments):
    """Where the tensors are: (name, position in a list or None)."""
    for name, value in arguments.items():
        if isinstance(value, paddle.Tensor):
            yield name, None
        elif isinstance(value, list | tuple):
            yield from ((name, i) for i, v in enumerate(value) if isinstance(v, paddle.Tensor))


def choices(arguments):
    """For each call the placement of each tensor."""
    tensors = [arguments[n] if i is None else arguments[n][i] for n, i in slots(arguments)]
    own = [options(t) for t in tensors]
    if len(own) <= 2:
        return [c for c in itertools.product(*own) if any(p is not None for p in c)]
    alone = [
        tuple(p if k == j else None for k in range(len(own))) for j in range(len(own)) for p in own[j] if p is not None
    ]
    together = [
        tuple(p if p is None or p in mine else dist.Replicate() for mine in own)
        for p in (dist.Replicate(), dist.Shard(0), dist.Shard(1), dist.Partial())
    ]
    return alone + together


def placed(arguments, mesh, choice, leaves=()):
    """The arguments with tensors of their own, distributed as a choice says."""
    made = {k: list(v) if isinstance(v, list | tuple) else v for k, v in arguments.items()}
    for (name, i), placement in zip(slots(arguments), choice, strict=True):
        source = arguments[name] if i is None else arguments[name][i]
        tensor = source.clone().detach() if placement is None else dist.shard_tensor(source, mesh, [placement])
        tensor.stop_gradient = name not in leaves
        if i is None:
            made[name] = tensor
        else:
            made[name][i] = tensor
    return made


def array(tensor):
    if tensor is None:
        return None
    whole = dist.unshard_dtensor(tensor.detach()) if tensor.is_dist() else tensor
    return whole.astype("float32").numpy() if tensor.dtype in (paddle.bfloat16, paddle.float16) else whole.numpy()


def same(got, want, what, rtol=2e-5):
    assert (got is None) == (want is None), what
    if want is None:
        return
    assert got.shape == want.shape, f"{what}: shape {got.shape} is not {want.shape}"
    if want.dtype.kind in "biu":
        np.testing.assert_array_equal(got, want, err_msg=what)
        return
    finite = want[np.isfinite(want)]
    scale = float(np.abs(finite).max(initial=1.0))
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * scale, err_msg=what)


def results(case, arguments):
    paddle.seed(11)
    outs = run(case, arguments)
    flat = [o for out in outs for o in (out if isinstance(out, list | tuple) else [out])]
    return [o for o in flat if o is None or isinstance(o, paddle.Tensor)]


def check_values(case, size):
    dtype = "float32" if "float32" in case.dtypes else case.dtypes[0]
    arguments, _ = bind(case.args(seeded()), dtype)
    mesh = dist.ProcessMesh(list(range(size)), dim_names=["x"])
    none = tuple(None for _ in slots(arguments))
    expected = [array(t) for t in results(case, placed(arguments, mesh, none))]
    for choice in choices(arguments):
        outs = results(case, placed(arguments, mesh, choice))
        for k, (out, want) in enumerate(zip(outs, expected, strict=True)):
            if case.op in UNDEFINED:
                assert list(out.shape) == list(want.shape)
            else:
                rtol = 1e-2 if dtype in ("float16", "bfloat16") or "16" in case.id or "sixteen" in case.id else 2e-5
                same(array(out), want, f"{case.name} with {choice}, result {k}", rtol)


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("case", ROWS, ids=ids)
def test_values_on_a_mesh_are_those_of_one_rank(case, size):
    dist.simulate(size, check_values, case, size)


def gradients(case, arguments, leaves):
    outs = [o for o in results(case, arguments) if o is not None and not o.stop_gradient]
    total = None
    for out in outs:
        weights = np.linspace(0.5, 1.5, int(np.prod(out.shape))).reshape(out.shape).astype("float32")
        term = (out.astype("float32") * paddle.to_tensor(weights)).sum()
        total = term if total is None else total + term
    if total is not None:
        total.backward()
    found = []
    for name in leaves:
        value = arguments[name]
        found += [t.grad for t in (value if isinstance(value, list) else [value])]
    return [None if g is None else array(g) for g in found]


def check_gradients(case):
    arguments, _ = bind(case.args(seeded()), "float32")
    leaves = [n for n in case.grad if n in arguments]
    mesh = dist.ProcessMesh([0, 1], dim_names=["x"])
    none = tuple(None for _ in slots(arguments))
    expected = gradients(case, placed(arguments, mesh, none, leaves), leaves)
    for choice in choices(arguments):
        made = placed(arguments, mesh, choice, leaves)
        for k, (got, want) in enumerate(zip(gradients(case, made, leaves), expected, strict=True)):
            same(got, want, f"{case.name} with {choice}, gradient {k}")


@pytest.mark.parametrize(
    "case", [c for c in ROWS if c.grad and "float32" in c.dtypes and "gradient" in c.modes], ids=ids
)
def test_gradients_on_a_mesh_are_those_of_one_rank(case):
    dist.simulate(2, check_gradients, case)


F = paddle.nn.functional
OPS = paddle._core.ops
S0, S1, S2, R, P = dist.Shard(0), dist.Shard(1), dist.Shard(2), dist.Replicate(), dist.Partial()
POSITIONS = paddle.to_tensor([3, 0, 2, 1, 1])
IMAGE, FILTERS = [5, 4, 6, 6], [6, 4, 3, 3]


def depthwise(x, filters):
    return F.conv2d(x, filters, groups=4)


# A call, its tensors as (shape, placement), and the placements of its results: nothing is sent.
FITTING = {
    "conv2d of samples": (F.conv2d, [(IMAGE, S0), (FILTERS, R)], [S0]),
    "conv2d to channels": (F.conv2d, [(IMAGE, R), (FILTERS, S0)], [S1]),
    "conv2d of channels": (F.conv2d, [(IMAGE, S1), (FILTERS, S1)], [P]),
    "conv2d of Partial": (F.conv2d, [(IMAGE, P), (FILTERS, R)], [P]),
    "conv2d of groups": (depthwise, [(IMAGE, S1), ([8, 1, 3, 3], S0)], [S1]),
    "conv2d_transpose": (F.conv2d_transpose, [(IMAGE, R), ([4, 6, 3, 3], S1)], [S1]),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2), [(IMAGE, S1)], [S1]),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2), [(IMAGE, S0)], [S0]),
    "batch_norm of samples": (
        lambda x, m, v: F.batch_norm(x, m, v),
        [(IMAGE, S0), ([4], R), ([4], R)],
        [S0],
    ),
    "interpolate": (lambda x: F.interpolate(x, size=[3, 9], mode="bilinear"), [(IMAGE, S1)], [S1]),
    "group_norm": (lambda x: F.group_norm(x, 2), [(IMAGE, S0)], [S0]),
    "unfold": (lambda x: F.unfold(x, 2), [(IMAGE, S1)], [S1]),
    "cumsum": (lambda x: paddle.cumsum(x, 1), [([5, 3], S0)], [S0]),
    "cumsum of Partial": (lambda x: paddle.cumsum(x, 1), [([5, 3], P)], [P]),
    "topk": (lambda x: paddle.topk(x, 2, axis=0), [([4, 5], S1)], [S1, S1]),
    "sort": (lambda x: paddle.sort(x, 1), [([5, 4], S0)], [S0]),
    "argmax": (lambda x: paddle.argmax(x, 0), [([4, 5], S1)], [S0]),
    "median": (lambda x: paddle.median(x, axis=1), [([5, 4], S0)], [S0]),
    "gather of rows": (lambda x: paddle.gather(x, POSITIONS, 1), [([5, 4], S0)], [S0]),
    "index_select": (lambda x: paddle.index_select(x, POSITIONS, 0), [([4, 5], S1)], [S1]),
    "take_along_axis": (
        lambda x: paddle.take_along_axis(x, paddle.argsort(x, 1), 1),
        [([5, 4], S0)],
        [S0],
    ),
    "one_hot": (lambda x: F.one_hot(x.astype("int64"), 7), [([5], S0)], [S0]),
    "tril of rows": (paddle.tril, [([5, 4], S0)], [S0]),
    "triu of columns": (paddle.triu, [([4, 5], S1)], [S1]),
    "pad": (lambda x: F.pad(x, [1, 1, 2, 0], mode="reflect"), [(IMAGE, S1)], [S1]),
    "strided_slice": (lambda x: x[:, ::2], [([5, 4], S0)], [S0]),
    "cholesky": (lambda x: paddle.linalg.cholesky(x @ x.mT + paddle.eye(3)), [([5, 3, 3], S0)], [S0]),
    "svd": (lambda x: paddle.linalg.svd(x), [([5, 3, 2], S0)], [S0, S0, S0]),
    "solve": (lambda a, b: OPS.solve(a + paddle.eye(2), b), [([5, 2, 2], S0), ([5, 2, 3], S0)], [S0]),
    "fft": (lambda x: paddle.fft.fft(x, axis=0), [([4, 5], S1)], [S1]),
    "bernoulli": (lambda x: paddle.bernoulli(x * 0.5), [([5, 3], S0)], [S0]),
    "multinomial": (lambda x: paddle.multinomial(x, 2), [([5, 3], S0)], [S0]),
    "histogram": (lambda x: paddle.histogram(x, 4, 0, 2), [([5, 3], S0)], [P]),
    "shape": (paddle.shape, [([5, 3], S0)], [R]),
    "repeat_interleave": (lambda x: paddle.repeat_interleave(x, 2, 1), [([5, 3], S0)], [S0]),
    "roll": (lambda x: paddle.roll(x, 1, 0), [([3, 5], S1)], [S1]),
    "flip": (lambda x: paddle.flip(x, [0]), [([3, 5], S1)], [S1]),
    "tile": (lambda x: paddle.tile(x, [2, 1]), [([3, 5], S1)], [S1]),
    "unbind": (lambda x: paddle.unbind(x, 0), [([2, 5], S1)], [S0, S0]),
}


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("name", FITTING)
def test_placements_that_fit_send_nothing(name, size):
    call, inputs, expected = FITTING[name]
    if size == 3 and name in ("conv2d of groups", "unfold"):  # equal parts alone fit
        return

    def rank():
        mesh = dist.ProcessMesh(list(range(size)), dim_names=["x"])
        rng = np.random.default_rng(3)
        given = [paddle.to_tensor(rng.uniform(0.1, 1, shape).astype("float32")) for shape, _ in inputs]
        tensors = [dist.shard_tensor(t, mesh, [p]) for t, (_, p) in zip(given, inputs, strict=True)]
        before = paddle._core.bytes_sent()
        outs = call(*tensors)
        outs = outs if isinstance(outs, list | tuple) else [outs]
        return [o.placements[0] for o in outs], paddle._core.bytes_sent() - before

    assert dist.simulate(size, rank) == [(expected, 0)] * size


def test_batch_norm_in_training_sends_sums_of_channels_and_not_its_input():
    def rank():
        mesh = dist.ProcessMesh([0, 1], dim_names=["x"])
        whole = paddle.to_tensor(np.random.default_rng(3).normal(size=[6, 3, 16, 16]).astype("float32"))
        x = dist.shard_tensor(whole, mesh, [S0])
        layers = [paddle.nn.BatchNorm2D(3) for _ in range(2)]
        before = paddle._core.bytes_sent()
        out = layers[0](x)
        sent = paddle._core.bytes_sent() - before
        assert out.placements == [S0]
        same(array(out), layers[1](whole).detach().numpy(), "out")
        same(array(layers[0]._mean), layers[1]._mean.numpy(), "mean")
        same(array(layers[0]._variance), layers[1]._variance.numpy(), "variance")
        return sent

    assert max(dist.simulate(2, rank)) < 500  # the input has 18 432 bytes
