# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Running a row: its tensors in a dtype, the call, the comparison with its reference. Of the tests, and of
`paddle conformance`, which has no pytest."""

import dataclasses
import inspect

import numpy as np
import paddle

TOLERANCE = {
    "float64": (1e-7, 1e-9),
    "float32": (2e-5, 2e-6),
    "float16": (2e-3, 2e-3),
    "bfloat16": (2e-2, 2e-2),
    "complex64": (2e-5, 2e-6),
    "complex128": (1e-7, 1e-9),
}

# Absolute tolerances where an operator is decomposed: its weights are rounded to 16 bits, and values reach 1000.
DECOMPOSED = {("matmul_q", "float16"): 0.2, ("matmul_q", "bfloat16"): 1.0}


def on_device(case, dtype):
    """The row for a device that adds in another order than NumPy, and decomposes."""
    least = 1e-5 if dtype == "float32" else DECOMPOSED.get((case.op, dtype))
    return case if least is None else dataclasses.replace(case, atol=max(case.atol or 0, least))


def seeded():
    return np.random.default_rng(7)


def is_array(value):
    return isinstance(value, np.ndarray | np.generic)


def cast_like(array, dtype):
    """The array in the dtype under test, and the float64 or complex128 values that it then holds."""
    array = np.asarray(array)
    if array.dtype.kind == "c" or (array.dtype.kind == "f"):
        tensor = paddle.to_tensor(array).astype(dtype)
        if dtype in ("float16", "bfloat16"):
            return tensor, tensor.astype("float32").numpy()
        return tensor, tensor.numpy()
    return paddle.to_tensor(array), array


def bind(arguments, dtype):
    tensors, values = {}, {}
    for name, value in arguments.items():
        if is_array(value):
            tensors[name], values[name] = cast_like(value, dtype)
        elif isinstance(value, list | tuple) and value and all(is_array(v) for v in value):
            pairs = [cast_like(v, dtype) for v in value]
            tensors[name], values[name] = [p[0] for p in pairs], [p[1] for p in pairs]
        else:
            tensors[name] = values[name] = value
    return tensors, values


def run(case, tensors):
    op = getattr(paddle._core.ops, case.op)
    out = case.call(op, **tensors) if case.call else op(**tensors)
    return out if isinstance(out, list | tuple) else (out,)


def compare(case, outs, values, dtype):
    if case.ref is None:
        return
    # NumPy's and SciPy's own functions take their operands by position.
    by_name = inspect.isfunction(case.ref)
    expected = case.ref(**values) if by_name else case.ref(*values.values())
    expected = expected if isinstance(expected, list | tuple) else (expected,)
    rtol, atol = TOLERANCE.get(dtype, (0, 0))
    rtol, atol = case.rtol if case.rtol is not None else rtol, case.atol if case.atol is not None else atol
    if dtype in ("float16", "bfloat16"):
        rtol, atol = max(rtol, TOLERANCE[dtype][0]), max(atol, TOLERANCE[dtype][1])
    # A reference may leave out the last results, never give more than there are.
    assert len(outs) >= len(expected), f"{len(outs)} results stand beside {len(expected)} of the reference"
    for out, reference in zip(outs, expected, strict=False):
        if reference is None:  # it says nothing of this one
            continue
        assert out is not None, "a result that the reference has is missing"
        reference = np.asarray(reference)
        assert list(out.shape) == list(reference.shape), f"shape {out.shape} is not {reference.shape}"
        got = out.astype("float32").numpy() if out.dtype in (paddle.float16, paddle.bfloat16) else out.numpy()
        if got.dtype.kind in "biu" and reference.dtype.kind in "biu":
            np.testing.assert_array_equal(got, reference)
        else:
            np.testing.assert_allclose(got, reference, rtol=rtol, atol=atol)


def strided(tensor):
    """The same values in memory of other strides: transposed, with a gap."""
    if not isinstance(tensor, paddle.Tensor) or tensor.ndim == 0:
        return tensor
    wide = paddle.stack([tensor, tensor], axis=-1)
    return wide[..., 0]
