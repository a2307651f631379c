# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Collectives and placing operators in a job of one rank; tests/python/distributed has those of several."""

from tests.op_cases import Case


def _x(rng):
    return rng.standard_normal((4, 3))


def _values(op, *args, **tensors):
    """The whole of a result that is distributed."""
    import paddle

    return paddle.distributed.unshard_dtensor(op(*args, **tensors))


_MESH = {"mesh": [1], "ranks": [0], "names": "x", "placements": [0]}

CASES = [
    Case(
        op="mesh_all_reduce",
        args=lambda rng: {"x": _x(rng), "ranks": [0], "reduce": 0},
        ref=lambda x, ranks, reduce: x,
        modes=("eager", "strided"),
    ),
    Case(
        op="mesh_all_gather",
        args=lambda rng: {"x": _x(rng), "ranks": [0], "index": 0, "axis": 0, "extent": 4},
        ref=lambda x, ranks, index, axis, extent: x,
        modes=("eager", "strided"),
    ),
    Case(
        op="mesh_reduce_scatter",
        args=lambda rng: {"x": _x(rng), "ranks": [0], "index": 0, "axis": 1, "reduce": 0},
        ref=lambda x, ranks, index, axis, reduce: x,
        modes=("eager", "strided"),
    ),
    Case(
        op="mesh_all_to_all",
        args=lambda rng: {
            "x": _x(rng),
            "ranks": [0],
            "index": 0,
            "split_axis": 0,
            "concat_axis": 1,
            "extent": 3,
        },
        ref=lambda x, ranks, index, split_axis, concat_axis, extent: x,
        modes=("eager", "strided"),
    ),
    Case(
        op="mesh_broadcast",
        args=lambda rng: {"x": _x(rng), "ranks": [0], "root": 0},
        ref=lambda x, ranks, root: x,
        modes=("eager", "strided"),
    ),
    Case(
        op="reshard",
        args=lambda rng: {"x": _x(rng), **_MESH},
        ref=lambda x, **mesh: x,
        grad=("x",),
        call=_values,
        program=False,
        modes=("eager", "strided", "gradient"),
    ),
    Case(
        op="unshard",
        args=lambda rng: {"x": _x(rng)},
        ref=lambda x: x,
        grad=("x",),
        modes=("eager", "strided", "gradient"),
    ),
    Case(
        op="local_part",
        args=lambda rng: {"x": _x(rng)},
        ref=lambda x: x,
        grad=("x",),
        modes=("eager", "strided", "gradient"),
    ),
    Case(
        op="whole_of_parts",
        args=lambda rng: {"local": _x(rng), "shape": [4, 3], **_MESH},
        ref=lambda local, shape, **mesh: local,
        grad=("local",),
        call=_values,
        program=False,
        modes=("eager", "strided", "gradient"),
    ),
]
