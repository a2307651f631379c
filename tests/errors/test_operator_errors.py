# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What wrong calls of operators raise: the exception's type, and a text that names the operator, the
argument, what it holds, the rule, and what to do."""

import re

import paddle
import pytest


def f(*shape, dtype="float32"):
    return paddle.ones(list(shape), dtype=dtype)


def ints(*values):
    return paddle.to_tensor(list(values))


def op(name, arguments):
    return lambda: getattr(paddle._core.ops, name)(*arguments())


AXIS = r"has value {} for a tensor of rank 2; it must be at least -2 and less than 2"
BATCH = (False, 0.9, 1e-5, "NCHW", False, False)

# name of the row: (call, exception, regular expressions that the text holds)
CALLS = {
    "add: shapes": (
        lambda: paddle.add(f(2, 3), f(4)),
        ValueError,
        [r"^add: x has shape \[2, 3\] and y has shape \[4\]", "reshape"],
    ),
    "add: type": (lambda: paddle.add(f(2), "a"), TypeError, ["^add: argument y must be a Tensor or a number, got str"]),
    "add: missing": (
        lambda: paddle.add(f(2)),
        TypeError,
        ["^add: missing the argument y", r"add\(x, y, name=None, \*, alpha=1, out=None\)"],
    ),
    "add: unknown name": (
        lambda: paddle.add(f(2), f(2), axis=1),
        TypeError,
        ["^add: got an unexpected argument axis", r"add\(x, y"],
    ),
    "add: too many": (lambda: paddle.add(f(2), f(2), None, 3), TypeError, ["^add: takes at most 3 .* got 4"]),
    "multiply: shapes": (
        lambda: f(2, 3) * f(2),
        ValueError,
        [r"^multiply: x has shape \[2, 3\] and y has shape \[2\]", "reshape"],
    ),
    "matmul: inner extents": (
        lambda: paddle.matmul(f(2, 3), f(4, 5)),
        ValueError,
        [r"^matmul: x has shape \[2, 3\] and y has shape \[4, 5\]", r"\(3\) must equal .* \(4\)", "transpose_y=True"],
    ),
    "matmul: batches": (
        lambda: paddle.matmul(f(2, 3, 4), f(3, 4, 5)),
        ValueError,
        [r"^matmul: x has shape \[2, 3, 4\] and y has shape \[3, 4, 5\]", "broadcast", "expand or reshape"],
    ),
    "matmul: no axes": (
        lambda: paddle.matmul(f(), f(4, 5)),
        ValueError,
        [r"^matmul: x has shape \[\]; at least 1 dimension is needed"],
    ),
    "matmul: bool": (
        lambda: paddle.matmul(f(2, 2, dtype="bool"), f(2, 2, dtype="bool")),
        TypeError,
        ["^matmul: x has dtype bool", "astype"],
    ),
    "reshape: count": (
        lambda: paddle.reshape(f(2, 3), [4]),
        ValueError,
        [r"^reshape: x has shape \[2, 3\] and shape has value \[4\]", r"same number of elements \(6 and 4\)"],
    ),
    "reshape: two unknown": (
        lambda: paddle.reshape(f(2, 3), [-1, -1]),
        ValueError,
        [r"^reshape: shape has value \[-1, -1\]; at most one"],
    ),
    "reshape: indivisible": (
        lambda: paddle.reshape(f(2, 3), [-1, 4]),
        ValueError,
        [r"^reshape: .*\[-1, 4\]", "multiple of 4"],
    ),
    "reshape: 0 beyond": (
        lambda: paddle.reshape(f(2, 3), [2, 3, 0]),
        ValueError,
        [r"^reshape: shape has value \[2, 3, 0\]", "axis 2"],
    ),
    "slice: axis": (
        lambda: paddle.slice(f(2, 3), [2], [0], [1]),
        IndexError,
        ["^slice: axes " + AXIS.format(2)],
    ),
    "slice: lengths": (
        lambda: paddle.slice(f(2, 3), [0], [0, 1], [1]),
        ValueError,
        ["^slice: axes has 1 entries, starts has 2 and ends has 1", "equally long"],
    ),
    "index": (lambda: f(2, 3)[5], IndexError, ["index 5 is out of bounds for axis 0 with size 2", r"\[-2, 2\)"]),
    "batch_norm_: rank": (
        op("batch_norm_", lambda: (f(3), f(3), f(3), None, None, *BATCH)),
        ValueError,
        [r"^batch_norm_: x has shape \[3\]; at least 2 dimensions are needed"],
    ),
    "batch_norm_: channels": (
        op("batch_norm_", lambda: (f(2, 4), f(3), f(3), None, None, *BATCH)),
        ValueError,
        [r"^batch_norm_: mean has shape \[3\] and x has 4 channels", "one value per channel"],
    ),
    "batch_norm_: format": (
        op("batch_norm_", lambda: (f(2, 3), f(3), f(3), None, None, False, 0.9, 1e-5, "CHW", False, False)),
        ValueError,
        ["^batch_norm_: data_format is 'CHW'", "NCHW"],
    ),
    "dropout: p": (op("dropout", lambda: (f(2), None, 1.5)), ValueError, ["^dropout: p ", "0 <= p <= 1"]),
    "dropout: integers": (
        op("dropout", lambda: (ints(1), None, 0.5)),
        TypeError,
        ["^dropout: x has dtype int64", "astype"],
    ),
    "concat: nothing": (lambda: paddle.concat([]), ValueError, ["^concat: x is an empty list", "at least one"]),
    "concat: shapes": (
        lambda: paddle.concat([f(2, 3), f(2, 4)], 0),
        ValueError,
        [r"^concat: x\[1\] has shape \[2, 4\] and x\[0\] has shape \[2, 3\]", "except on axis 0"],
    ),
    "concat: dtypes": (
        op("concat", lambda: ([f(2), ints(1)], 0)),
        TypeError,
        [r"^concat: x\[1\] has dtype int64", "float32", "cast"],
    ),
    "concat: axis": (lambda: paddle.concat([f(2, 3)], 2), IndexError, ["^concat: axis " + AXIS.format(2)]),
    "concat: no axes": (lambda: paddle.concat([f(), f()]), ValueError, [r"^concat: x has shape \[\]", "paddle.stack"]),
    "nonzero: type": (lambda: paddle.nonzero("x"), TypeError, ["^nonzero: argument .* must be a Tensor, got str"]),
    "flash_attn: rank": (
        op("flash_attn", lambda: (f(2, 3), f(2, 3), f(2, 3))),
        ValueError,
        [r"^flash_attn: q has shape \[2, 3\]; exactly 4"],
    ),
    "flash_attn: heads": (
        op("flash_attn", lambda: (f(1, 2, 3, 4), f(1, 2, 2, 4), f(1, 2, 2, 4))),
        ValueError,
        ["^flash_attn: q has 3 heads and k has 2", "multiple"],
    ),
    "flash_attn: head_dim": (
        op("flash_attn", lambda: (f(1, 2, 2, 4), f(1, 2, 2, 8), f(1, 2, 2, 8))),
        ValueError,
        [r"^flash_attn: q has shape \[1, 2, 2, 4\], k \[1, 2, 2, 8\]", "head_dim must agree"],
    ),
    "flash_attn: dtypes": (
        op("flash_attn", lambda: (f(1, 2, 2, 4), f(1, 2, 2, 4, dtype="float64"), f(1, 2, 2, 4))),
        TypeError,
        ["^flash_attn: q has dtype float32 and k has dtype float64", "astype"],
    ),
    "flash_attn: mask": (
        op("flash_attn", lambda: (f(1, 2, 2, 4), f(1, 2, 2, 4), f(1, 2, 2, 4), None, f(5, 2))),
        ValueError,
        [r"^flash_attn: attn_mask has shape \[5, 2\]", r"broadcast to \[1, 2, 2, 2\]"],
    ),
    "adamw_: shapes": (
        op("adamw_", lambda: (f(3), f(2), f(1), f(3), f(3), None, f(1), f(1))),
        ValueError,
        [r"^adamw_: grad has shape \[2\] and param has shape \[3\]"],
    ),
    "momentum_: dtype of the state": (
        op(
            "momentum_",
            lambda: (f(3).astype("bfloat16"), f(3).astype("bfloat16"), f(3).astype("bfloat16"), f(1), None, 0.9),
        ),
        TypeError,
        ["^momentum_: velocity has dtype bfloat16"],
    ),
    "adamw_: missing": (op("adamw_", lambda: (f(3),)), TypeError, ["^adamw_: missing the argument grad"]),
    "cast: dtype": (op("cast", lambda: (f(2), "float33")), TypeError, ["^cast: argument dtype must be a dtype"]),
    "embedding: float ids": (
        op("embedding", lambda: (f(2), f(3, 4))),
        TypeError,
        ["^embedding: x has dtype float32", "int32 or int64", "cast"],
    ),
    "embedding: table": (
        op("embedding", lambda: (ints(1), f(3))),
        ValueError,
        [r"^embedding: weight has shape \[3\]; exactly 2"],
    ),
    "embedding: id too large": (
        op("embedding", lambda: (ints(7), f(3, 4))),
        IndexError,
        ["^embedding: x holds id 7 but weight has 3 rows", r"\[0, 3\)"],
    ),
    "embedding: negative id": (
        op("embedding", lambda: (ints(-2), f(3, 4))),
        IndexError,
        ["^embedding: x holds id -2", r"\[0, 3\)"],
    ),
    "softmax: axis": (op("softmax", lambda: (f(2, 3), 2)), IndexError, ["^softmax: axis " + AXIS.format(2)]),
    "softmax: integers": (
        op("softmax", lambda: (ints(1, 2), -1)),
        TypeError,
        ["^softmax: x has dtype int64", "astype"],
    ),
    "cross entropy: shapes": (
        op("cross_entropy_with_softmax", lambda: (f(4, 7), ints(1, 2))),
        ValueError,
        [r"label has shape \[2\] and the logits have shape \[4, 7\]", "reshape label"],
    ),
    "cross entropy: class": (
        op("cross_entropy_with_softmax", lambda: (f(2, 3), paddle.to_tensor([[1], [9]]))),
        (IndexError, ValueError),
        ["label has value 9", r"\[0, 3\)", "ignore_index"],
    ),
    "cross entropy: dtype": (
        op("cross_entropy_with_softmax", lambda: (f(2, 3), f(2, 1))),
        TypeError,
        ["label has dtype float32", "astype"],
    ),
    "rms_norm: scale": (
        op("rms_norm", lambda: (f(2, 3), f(4))),
        ValueError,
        [r"^rms_norm: scale has shape \[4\] and x has shape \[2, 3\]"],
    ),
    "rms_norm: shape": (
        op("rms_norm", lambda: (f(2, 3), f(3), [2, 3, 4])),
        ValueError,
        [r"normalized_shape is \[2, 3, 4\]", "shorten"],
    ),
    "rms_norm: integers": (op("rms_norm", lambda: (ints(1, 2), None)), TypeError, ["^rms_norm: x has dtype int64"]),
    "silu: type": (lambda: paddle.nn.functional.silu("a"), TypeError, ["^silu: argument x must be a Tensor, got str"]),
    "rotary: tables": (
        op("fused_rotary_position_embedding", lambda: (f(2, 3, 1, 4),)),
        ValueError,
        ["sin or cos is missing", "pass them"],
    ),
    "rotary: odd": (
        op("fused_rotary_position_embedding", lambda: (f(2, 3, 1, 3), None, None, f(3, 3), f(3, 3))),
        ValueError,
        [r"q has shape \[2, 3, 1, 3\]", "must be even"],
    ),
    "sum: axis": (lambda: paddle.sum(f(2, 3), axis=2), IndexError, ["^sum: axis " + AXIS.format(2)]),
    "sum: twice": (lambda: paddle.sum(f(2, 3), axis=[0, 0]), ValueError, ["^sum: axis names axis 0 twice"]),
    "mean: axis": (lambda: paddle.mean(f(2, 3), axis=-3), IndexError, ["^mean: axis " + AXIS.format(-3)]),
    "max: axis": (lambda: paddle.max(f(2, 3), axis=5), IndexError, ["^max: axis " + AXIS.format(5)]),
    "max: empty": (lambda: paddle.max(f(0, 3)), ValueError, [r"^max: x has shape \[0, 3\]; axis 0 is empty"]),
    "transpose: length": (
        lambda: paddle.transpose(f(2, 3), [0, 1, 2]),
        ValueError,
        [r"^transpose: perm has 3 entries and x has shape \[2, 3\]"],
    ),
    "transpose: twice": (
        lambda: paddle.transpose(f(2, 3), [0, 0]),
        ValueError,
        [r"^transpose: perm is \[0, 0\]", "once"],
    ),
    "transpose: gap": (
        lambda: paddle.transpose(f(2, 3, 4), [0, 2]),
        ValueError,
        [r"^transpose: perm is \[0, 2\] and names axis 2, but not all the axes in front of it"],
    ),
    "transpose: range": (lambda: paddle.transpose(f(2, 3), [0, 2]), IndexError, ["^transpose: perm " + AXIS.format(2)]),
    "equal: shapes": (
        lambda: paddle.equal(f(2), f(3)),
        ValueError,
        [r"^equal: x has shape \[2\] and y has shape \[3\]"],
    ),
    "bernoulli: probability": (
        op("bernoulli", lambda: (f(2) * 3,)),
        ValueError,
        [r"^bernoulli: x has value 3", r"\[0, 1\]", "clip"],
    ),
    "uniform: shape": (op("uniform", lambda: ([-1],)), ValueError, [r"^uniform: shape has value \[-1\]", ">= 0"]),
    "randint: range": (op("randint", lambda: (5, 5, [2])), ValueError, ["^randint: low is 5 and high is 5", "widen"]),
    "clip: type": (lambda: paddle.clip(f(2), "a", "b"), TypeError, ["^clip: argument min must be a number .* got str"]),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_calls_say_what_is_wrong(name):
    call, kind, patterns = CALLS[name]
    with pytest.raises(kind) as raised:
        call()
    text = str(raised.value)
    for pattern in patterns:
        assert re.search(pattern, text), f"{pattern!r} is not in {text!r}"
    assert text.endswith(".") and "\n" not in text


@pytest.mark.parametrize("name", CALLS)
def test_wrong_calls_leave_the_state_as_it_was(name):
    call, kind, _ = CALLS[name]
    with pytest.raises(kind):
        call()
    x = f(2)
    x.stop_gradient = False
    (x * 3.0).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
