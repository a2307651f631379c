# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Every number of every operator, given as a number and as a Tensor: called, captured, and differentiated.

The rows are those of the case table. Where only a run tells a number, a program either holds it or says by name which
argument has to be a number: NEEDS_NUMBERS lists those.
"""

import numpy as np
import paddle
import pytest

from tests.op_cases import all_cases
from tests.test_op_cases import bind, run, seeded

# The types of arguments that may be tensors, in the words of the registry.
KINDS = {"IntArray", "Scalar", "int[]", "int64[]"}
# In one program, these have to be numbers: they decide which axes a result has, or are no extents.
NEEDS_NUMBERS = {
    ("fft_c2c", "axes"),
    ("fft_c2r", "axes"),
    ("fft_r2c", "axes"),
    ("full", "value"),
    ("pow", "y"),
    ("scale", "bias"),
    ("slice", "axes"),
    ("slice", "decrease_axis"),
    ("slice_scatter", "axes"),
    ("slice_scatter", "strides"),
    ("strided_slice", "axes"),
    ("transpose", "perm"),
    ("unique", "axis"),
    ("unique_consecutive", "axis"),
}
# Arguments that every row leaves to their default, or gives as a tensor.
NEVER_A_NUMBER = {
    ("local_part", "grad_placements"),
    ("allclose", "atol"),
    ("allclose", "rtol"),
    ("bicubic_interp", "size_tensor"),
    ("bilinear_interp", "size_tensor"),
    ("conv2d_bias", "dilations"),
    ("conv2d_epilogue", "dilations"),
    ("conv3d_bias", "dilations"),
    ("conv3d_transpose", "dilations"),
    ("conv3d_transpose", "output_padding"),
    ("conv3d_transpose", "output_size"),
    ("depthwise_conv2d", "dilations"),
    ("depthwise_conv2d_bias", "dilations"),
    ("depthwise_conv2d_transpose", "dilations"),
    ("depthwise_conv2d_transpose", "output_padding"),
    ("depthwise_conv2d_transpose", "output_size"),
    ("depthwise_conv3d_bias", "dilations"),
    ("expand_as", "target_shape"),
    ("interp_antialias", "size_tensor"),
    ("linear_interp", "size_tensor"),
    ("lp_pool2d", "paddings"),
    ("nearest_interp", "size_tensor"),
    ("rms_norm", "normalized_shape"),
    ("rms_norm_grad", "normalized_shape"),
    ("trilinear_interp", "size_tensor"),
}


def is_number(value):
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(isinstance(v, int) for v in value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def rows():
    for case in all_cases():
        if case.op.endswith("_") or not case.program:
            continue
        given = case.args(seeded())
        for name, kind, _ in paddle._core.describe_op(case.op)["arguments"]:
            if kind in KINDS and is_number(given.get(name)):
                yield pytest.param(case, name, id=f"{case.name}-{name}")


ROWS = list(rows())


def flat(results):
    lists = [v if isinstance(v, list | tuple) else [v] for v in results]
    return [t for values in lists for t in values if isinstance(t, paddle.Tensor)]


def values(tensor):
    return (tensor.astype("float32") if tensor.dtype in (paddle.float16, paddle.bfloat16) else tensor).numpy()


def gradients(inputs, outs):
    """Of a weighted sum of what is differentiable."""
    parts = [o for o in outs if not o.stop_gradient and o.dtype in (paddle.float32, paddle.float64)]
    if not parts:
        return [None] * len(inputs)
    total = sum((o * (paddle.arange(o.size, dtype=o.dtype).reshape(o.shape) + 1)).sum() for o in parts)
    return paddle.grad(total, list(inputs.values()), allow_unused=True)


class Call:
    """A row with one argument taken out, as a function of its tensors and that argument."""

    def __init__(self, case, name):
        self.case, self.name = case, name
        tensors, _ = bind(case.args(seeded()), case.dtypes[0])
        self.number = tensors.pop(name)
        self.tensors = {k: v for k, v in tensors.items() if isinstance(v, paddle.Tensor)}
        self.rest = {k: v for k, v in tensors.items() if k not in self.tensors}

    def __call__(self, *given):
        *inputs, number = given
        return flat(run(self.case, dict(zip(self.tensors, inputs, strict=True)) | self.rest | {self.name: number}))

    def leaves(self):
        made = {k: t.detach() for k, t in self.tensors.items()}
        for t in made.values():
            t.stop_gradient = t.dtype not in (paddle.float32, paddle.float64)
        return made

    def results(self, function, number):
        paddle.seed(11)
        inputs = self.leaves()
        outs = function(*inputs.values(), number)
        return outs, gradients(inputs, outs)


def compare(got, expected):
    for one, other in zip(got, expected, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert one.shape == other.shape and one.dtype == other.dtype
            np.testing.assert_allclose(values(one), values(other), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("form", ["called", "program", "segments"])
@pytest.mark.parametrize("case, name", ROWS)
def test_a_number_given_as_a_tensor_is_that_number(case, name, form):
    call = Call(case, name)
    expected = call.results(call, call.number)
    number = paddle.to_tensor(np.asarray(call.number))
    if form == "called":
        function = call
    else:
        function = paddle.jit.to_static(lambda *given: call(*given), full_graph=form == "program")
    if form == "program" and (case.op, name) in NEEDS_NUMBERS:
        message = rf"{case.op}: (.* argument )?{name} is a Tensor of the program .*Give a number, or .*full_graph=False"
        with pytest.raises(NotImplementedError, match=message):
            call.results(function, number)
        return
    for _ in range(2):  # the second call finds the program of the first
        for got, wanted in zip(call.results(function, number), expected, strict=True):
            compare(got, wanted)


def test_the_table_covers_the_registry():
    """What no row gives as a number is listed, so that a new operator is either walked or noticed."""
    walked = {(p.values[0].op, p.values[1]) for p in ROWS}
    assert walked >= NEEDS_NUMBERS
    missing = set()
    for op in {c.op for c in all_cases() if not c.op.endswith("_") and c.program}:
        arguments = paddle._core.describe_op(op)["arguments"]
        missing |= {(op, name) for name, kind, _ in arguments if kind in KINDS and (op, name) not in walked}
    assert missing == NEVER_A_NUMBER
