# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The operator table in two more modes: under automatic mixed precision, and saved, loaded and run.

`make test-op OP=name` runs the rows of one operator.
"""

import numpy as np
import paddle
import pytest

from tests.test_op_cases import CASES, bind, compare, ids, in_every_dtype, run, seeded, tensors_of

PLAIN = [c for c in CASES if not c.op.endswith("_") and c.program]


def is_random(case):
    """Does it draw? The cases of fractional pools give the number that the operator may draw."""
    return paddle._core.describe_op(case.op)["random"] and not case.op.startswith("fractional_max_pool")


def float32_row(case):
    is_gradient = case.op.endswith("_grad")  # gradient rules run with AMP off
    alone = case.call is None  # other operators of a call have classes of their own
    return case.ref is not None and "float32" in case.dtypes and not is_random(case) and not is_gradient and alone


def with_floats_as(tensors, dtype):
    def cast(value):
        if isinstance(value, list):
            return [cast(v) for v in value]
        is_single = isinstance(value, paddle.Tensor) and value.dtype in (paddle.float32, paddle.bfloat16)
        return value.astype(dtype) if is_single else value

    return {name: cast(value) for name, value in tensors.items()}


def assert_same(outs, expected, rtol=0.0):
    for out, want in zip(outs, expected, strict=True):
        assert (out is None) == (want is None)
        if out is None:
            continue
        assert out.dtype == want.dtype
        if rtol:
            finite = values(want)[np.isfinite(values(want))]
            scale = np.abs(finite).max(initial=1.0)
            np.testing.assert_allclose(values(out), values(want), rtol=rtol, atol=rtol * scale)
        else:
            np.testing.assert_array_equal(values(out), values(want))


def values(t):
    return t.astype("float32").numpy() if t.dtype in (paddle.bfloat16, paddle.float16) else t.numpy()


@pytest.mark.parametrize("case", [c for c in PLAIN if float32_row(c)], ids=ids)
def test_amp_casts_to_what_the_class_says(case):
    tensors, _ = bind(case.args(seeded()), "float32")
    amp = paddle._core.describe_op(case.op)["amp"]
    low = amp == "low"
    with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
        outs = run(case, tensors)
    single = run(case, tensors)
    if amp == "parts":  # the classes of its parts decide, the last of which adds in float32
        assert [out.dtype for out in outs] == [near.dtype for near in single]
    else:
        assert_same(outs, run(case, with_floats_as(tensors, "bfloat16")) if low else single)
    for out, near in zip(outs, single, strict=True):
        if amp == "parts":
            assert (values(out) != values(near)).any() or case.id == "no channels"  # products in 16 bits
        if amp == "parts" or (low and out is not None and out.dtype == paddle.bfloat16):
            scale = float(np.abs(values(near)).max(initial=1.0))
            np.testing.assert_allclose(values(out), values(near), rtol=0.05, atol=0.05 * scale)


class Call(paddle.nn.Layer):
    """One operator call: tensors and lists of tensors are inputs, the rest are constants."""

    def __init__(self, case, tensors):
        super().__init__()
        self.case, self.given = case, tensors

    def inputs(self):
        return tensors_of(self.given.values())

    def forward(self, *flat):
        flat, arguments = iter(flat), {}
        for name, value in self.given.items():
            if isinstance(value, paddle.Tensor):
                value = next(flat)
            elif isinstance(value, list) and value and isinstance(value[0], paddle.Tensor):
                value = [next(flat) for _ in value]
            arguments[name] = value
        return [out for out in run(self.case, arguments) if out is not None]


def rounds_when_saved(case, dtype):
    """PaddlePaddle's form keeps an attribute that is a fraction as float32, which float64 results show."""
    kinds = {kind for _, kind, _ in paddle._core.describe_op(case.op)["arguments"]}
    return dtype == "float64" and bool(kinds & {"float", "float[]", "Scalar"})


SAVED = [c for c in PLAIN if c.ref is not None and not is_random(c)]


@pytest.mark.parametrize("case,dtype", in_every_dtype(SAVED))
def test_a_saved_program_gives_the_same_values(case, dtype, tmp_path):
    tensors, given = bind(case.args(seeded()), dtype)
    layer = Call(case, tensors)
    layer.eval()
    inputs = layer.inputs()
    spec = [paddle.static.InputSpec(t.shape, t.dtype, f"x{i}") for i, t in enumerate(inputs)]
    paddle.jit.save(layer, str(tmp_path / "program"), input_spec=spec)
    outs = paddle.jit.load(str(tmp_path / "program"))(*inputs)
    outs = outs if isinstance(outs, list | tuple) else (outs,)
    eager = run(case, tensors)
    if case.op in (tmp_path / "program.json").read_text():  # else PaddlePaddle lacks it: its parts are saved
        assert_same(outs, [t for t in eager if t is not None], 1e-6 if rounds_when_saved(case, dtype) else 0.0)
    left = iter(outs)
    outs = [None if t is None else next(left) for t in eager]
    compare(case, outs, given, "float32" if rounds_when_saved(case, dtype) else dtype)
    assert next(left, None) is None


# (operator, dtype) that have a kernel for other dtypes and run as their decomposition: none may be
# added by accident. `paddle.set_flags({"FLAGS_forbid_fallback": True})` raises for all of them.
FALLBACKS: set[tuple[str, str]] = set()


@pytest.fixture
def no_fallback():
    paddle.set_flags({"FLAGS_forbid_fallback": True})
    yield
    paddle.set_flags({"FLAGS_forbid_fallback": False})


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_no_kernel_is_missing_unnoticed(case, no_fallback):
    missing = set()
    for dtype in case.dtypes:
        tensors, _ = bind(case.args(seeded()), dtype)
        try:
            run(case, tensors)
        except NotImplementedError as error:
            assert "FLAGS_forbid_fallback" in str(error)
            missing.add((case.op, dtype))
    assert missing <= FALLBACKS
