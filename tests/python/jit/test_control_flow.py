# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Python control flow on tensors, captured, gives what plain Python gives: values, gradients, state."""

import functools

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.jit.dy2static.utils import Dygraph2StaticException


def branch(x):
    if x.sum() > 0:
        y = x * 2
        z = y + 1
    else:
        y = x - 1
        z = y
    return y, z


def nested(x):
    y = x
    if x.mean() > 0:
        if x.max() > 2:
            y = y * 3
        elif x.max() > 1:
            y = y * 2
    else:
        y = -y
    return y


def early_return(x):
    if x.sum() < -1:
        return x * 0.5
    y = x + 1
    if y.sum() > 3:
        return y * y
    return y


def early_return_of_many(x):
    if x.sum() > 2:
        return x, x * 2
    elif x.sum() > 0:
        return x + 1, x
    return -x, x * 3


def while_loop(x):
    i = 0
    while x.sum() < 20:
        x = x * 2 + 0.5
        i += 1
    return x, i


def while_with_break(x):
    count = paddle.zeros([], "int64")
    while count < 10:
        count = count + 1
        if x.sum() > 5:
            break
        if x.sum() < -100:
            continue
        x = x + 1
    return x, count


def range_of_a_tensor(x):
    n = x.abs().sum().astype("int64")
    total = paddle.zeros_like(x)
    for i in range(n):
        if i % 2 == 0:
            total = total + x * i
        else:
            total = total - 1
    return total


def for_with_break(x):
    total = x
    for i in range(5):
        if total.sum() > 4:
            break
        total = total + i
    else:
        total = total * 10
    return total


def return_in_a_loop(x):
    for i in range(4):
        x = x + i
        if x.sum() > 6:
            return x * 100
    return x


def boolean_operators(x):
    y = x
    if x.sum() > 0 and x.max() > 1:
        y = y + 1
    if x.sum() < 0 or not x.max() > 1:
        y = y + 10
    if 0 < x.sum() < 3:
        y = y + 100
    return y if x.min() > -1 else y * 2


def numbers(x):
    k = 1 if x.sum() > 0 else 2
    n = int(x.max())
    scale = 1.0
    if float(x.min()) > 0:
        scale = 0.5
    return x * k * scale + n


def containers(x):
    parts = []
    for i in range(3):
        parts.append(x * i)
    state = {"a": x, "b": (x, 1)}
    if x.sum() > 0:
        state = {"a": x + 1, "b": (x * 2, 1)}
    return parts[2] + state["a"] + state["b"][0]


def closure(x):
    scale = 3.0

    def inner(v):
        if v.sum() > 0:
            return v * scale
        return v

    return inner(x) + inner(-x)


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args):
        result = function(*args)
        return result * 2 if result.sum() > 0 else result * 3

    return wrapper


@doubled
def helper(x):
    if x.max() > 1:
        return x + 1
    return x


def decorated(x):
    return helper(x) - helper(-x)


def plain_python(x):
    out = x
    for i, s in enumerate("ab"):
        if s == "b" and i:
            out = out + i
        while i < 1:
            i += 1
    assert out.ndim == 1
    return out


def writes(x):
    y = x * 1.0
    if x.sum() > 0:
        y[0] = 5.0
    else:
        y[1] = -5.0
    return y


FUNCTIONS = [
    branch,
    nested,
    early_return,
    early_return_of_many,
    while_loop,
    while_with_break,
    range_of_a_tensor,
    for_with_break,
    return_in_a_loop,
    boolean_operators,
    numbers,
    containers,
    closure,
    decorated,
    plain_python,
    writes,
]
INPUTS = [[0.5, 1.5], [-1.0, -2.0], [3.0, 0.25], [0.1, 0.2], [-0.3, 0.1]]


def values_of(result):
    flat = result if isinstance(result, (list, tuple)) else [result]
    return [np.asarray(r.numpy() if isinstance(r, paddle.Tensor) else r) for r in flat]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_equal_plain_python(function):
    captured = paddle.jit.to_static(function, full_graph=True)
    for data in INPUTS:
        if function is while_loop and sum(data) <= 0:
            continue
        x = paddle.to_tensor(np.array(data, "float32"))
        for a, b in zip(values_of(function(x)), values_of(captured(x)), strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-6)
    assert len(captured.program_cache) == 1


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f not in (numbers,)], ids=lambda f: f.__name__)
def test_gradients_equal_plain_python(function):
    captured = paddle.jit.to_static(function, full_graph=True)
    for data in INPUTS[:3]:
        if function is while_loop and sum(data) <= 0:
            continue
        gradients = []
        for f in (function, captured):
            x = paddle.to_tensor(np.array(data, "float32"), stop_gradient=False)
            result = f(x)
            first = result[0] if isinstance(result, (list, tuple)) else result
            (first * first).sum().backward()
            gradients.append(x.grad.numpy())
        np.testing.assert_allclose(gradients[1], gradients[0], rtol=1e-5)


class Gate(nn.Layer):
    def __init__(self):
        super().__init__()
        self.__hidden = 2
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.register_buffer("steps", paddle.zeros([1]))

    def forward(self, x):
        if x.mean() > 0:
            y = self.a(x)
            self.steps += 1
        else:
            y = self.b(x)
        for _ in range(self.__hidden):
            y = paddle.tanh(y)
        return y


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.gates = nn.Sequential(Gate(), Gate())
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        y = super().__call__ and self.gates(x)
        return self.out(y)


def test_training_a_layer_with_branches():
    data = [np.random.default_rng(i).standard_normal((6, 4)).astype("float32") for i in range(6)]
    results = []
    for capture in (False, True):
        paddle.seed(3)
        model = Model()
        run = paddle.jit.to_static(model, full_graph=True) if capture else model
        optimizer = paddle.optimizer.AdamW(1e-2, parameters=model.parameters())
        for x in data:
            loss = (run(paddle.to_tensor(x)) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
        results.append([t.numpy() for t in (*model.parameters(), *model.buffers())])
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)


def test_saved_control_flow_runs_again(tmp_path):
    model = Model()
    model.eval()
    spec = [paddle.jit.InputSpec([None, 4], "float32", "x")]
    paddle.jit.save(model, str(tmp_path / "m"), spec)
    loaded = paddle.jit.load(str(tmp_path / "m"))
    for sign in (1.0, -1.0):
        x = paddle.full([3, 4], sign)
        np.testing.assert_allclose(loaded(x).numpy(), model(x).numpy(), rtol=1e-6)


def test_an_error_names_the_users_line():
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        d = {"k": x}
        if x.sum() > 0:
            d["k"] = x, x
        return d["k"]

    with pytest.raises(TypeError, match=r"test_control_flow.py\", line \d+[\s\S]*an if on a tensor gives variable 'd'"):
        f(paddle.ones([2]))


def test_a_variable_that_each_round_makes_anew_may_have_another_rank():
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        part, i = x.sum(), paddle.zeros([], "int32")
        total = x * part
        while i < 3:
            part = x * i
            total = total + part
            i = i + 1
        return total

    np.testing.assert_array_equal(f(paddle.ones([2])).numpy(), [5.0, 5.0])


@pytest.mark.parametrize("read", ["in a round", "behind the loop"])
def test_a_variable_of_two_ranks_has_no_value_where_it_could_be_either(read):
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        part, i = x.sum(), paddle.zeros([], "int32")
        while i < 3:
            part = part + x if read == "in a round" else x * i
            i = i + 1
        return part

    with pytest.raises(
        ValueError, match=r"gives 'part' as paddle.float32 of shape \[\] and as paddle.float32 of shape \[2\]"
    ):
        f(paddle.ones([2]))


def test_what_needs_values_runs_in_segments_and_is_refused_by_a_full_graph():
    calls = []

    @paddle.jit.to_static
    def f(x):
        calls.append(1)
        return x * x.numpy().sum()

    x = paddle.ones([2])
    for count in range(1, 4):
        np.testing.assert_array_equal(f(x).numpy(), [2.0, 2.0])
        assert len(calls) == count
    with pytest.raises(RuntimeError, match="test_control_flow.py"):
        paddle.jit.to_static(lambda x: x * ord(chr(int(x.numpy().sum()))), full_graph=True)(x)


def test_a_variable_without_a_value_raises():
    @paddle.jit.to_static(full_graph=True)
    def f(x, flag):
        if flag:
            y = x
        return y + 1

    np.testing.assert_array_equal(f(paddle.ones([1]), True).numpy(), [2.0])
    with pytest.raises(UnboundLocalError, match="'y'"):
        f(paddle.ones([1]), False)


def test_a_condition_of_several_values_is_an_error_where_it_is_reached():
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        y = x * 2
        if x.sum() < 0:
            if y > 1:
                y = y + 1
        return y

    np.testing.assert_array_equal(f(paddle.ones([3])).numpy(), [2.0, 2.0, 2.0])
    with pytest.raises(ValueError, match="condition has one value"):
        f(paddle.full([3], -1.0))


def test_a_variable_of_one_branch_has_an_extent_that_is_made_there():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.made = {}

        def forward(self, x):
            if x.sum() > 0:
                self.made["w"] = paddle.ones([5])
                if x.sum() > 3:
                    self.made["w"] = paddle.ones([7])
            return x + 1

    net = paddle.jit.to_static(Net(), full_graph=True)
    np.testing.assert_array_equal(net(paddle.ones([2])).numpy(), [2.0, 2.0])


def test_branches_that_return_different_structures_are_refused_by_name():
    def f(x):
        if x.sum() > 0:
            return x, x
        else:
            return x

    with pytest.raises(Dygraph2StaticException, match="different number of return value"):
        paddle.jit.to_static(f, full_graph=True)(paddle.ones([2]))


def test_and_and_or_give_a_number_where_python_does():
    def f(x):
        return (x.sum() > 0) and x.sum(), x.sum() or 7, (x.sum() > 3) or x.max(), x.max() and 2.5

    for values in ([0.0, 0.0], [1.0, 4.0], [-1.0, 1.0]):
        x = paddle.to_tensor(values)
        for ours, plain in zip(paddle.jit.to_static(f, full_graph=True)(x), f(x), strict=True):
            np.testing.assert_array_equal(np.asarray(ours, "float32"), np.asarray(plain, "float32"))


def test_generators_and_sizes_in_a_captured_function():
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        def powers():
            for i in range(3):
                yield x**i

        return [p for p in powers()], x.shape

    for rows in (2, 3, 5):
        powers, size = f(paddle.full([rows, 2], 2.0))
        assert [float(p.sum()) for p in powers] == [rows * 2.0, rows * 4.0, rows * 8.0]
        assert list(size) == [rows, 2] and isinstance(size, paddle.Size)


def test_a_variable_that_is_none_before_a_loop_and_a_tensor_after_it():
    def last(x, n):
        i, y = paddle.zeros([], "int64"), None
        while i < n:
            y = x * i
            i += 1
        return y

    def best(x, n):
        found, parts = None, {"sum": None}
        for i in range(n):
            made = x * (i - 1)
            if found is None or made.sum() > found.sum():
                found = made
            parts["sum"] = made if parts["sum"] is None else parts["sum"] + made
        return found, parts["sum"]

    x = paddle.to_tensor([1.0, -3.0])
    for n in (1, 2, 5):
        n = paddle.full([], n, "int64")
        captured = paddle.jit.to_static(last, full_graph=True)
        np.testing.assert_array_equal(captured(x, n).numpy(), last(x, n).numpy())
        for ours, plain in zip(paddle.jit.to_static(best, full_graph=True)(x, n), best(x, n), strict=True):
            np.testing.assert_array_equal(ours.numpy(), plain.numpy())
    assert captured(x, paddle.zeros([], "int64")) is None


def test_an_exception_that_leaves_a_branch_or_loop_and_is_caught_is_refused():
    def in_a_branch(x):
        try:
            if x.sum() > 0:
                raise KeyError("k")
        except KeyError:
            return x * 3
        return x

    def in_a_loop(x):
        i = paddle.zeros([], "int64")
        try:
            while i < 3:
                i += 1
                x = x + {}["k"]
        except KeyError:
            x = x * 2
        return x

    for f in (in_a_branch, in_a_loop):
        with pytest.raises(RuntimeError, match="KeyError leaves a branch or loop"):
            paddle.jit.to_static(f, full_graph=True)(paddle.ones([2]))
    captured = paddle.jit.to_static(branch, full_graph=True)
    np.testing.assert_array_equal(captured(paddle.ones([2]))[0].numpy(), [2.0, 2.0])


def test_assignments_in_the_terms_of_a_test():
    def f(x):
        total = 0.0
        if (s := x.sum()) > 0 and (t := s * 2) > 3 and not (m := x.min()) < 0:
            total = s + t + m
        elif s < -5 or (u := x.max()) < 0.5:
            total = s * 10
        else:
            total = u - 1
        i = paddle.zeros([], "int64")
        while i < 3 and (r := x.sum() * i) < 4:
            total = total + r
            i = i + 1
        return total, i

    captured = paddle.jit.to_static(f, full_graph=True)
    for values in ([1.0, 2.0], [5.0, -1.0], [-4.0, -4.0], [0.2, 0.1], [0.75, 0.5], [-1.0, 0.75]):
        x = paddle.to_tensor(values)
        for ours, plain in zip(captured(x), f(x), strict=True):
            np.testing.assert_allclose(ours.numpy(), plain.numpy(), rtol=1e-6)


def test_assignments_in_tests_of_inner_functions():
    def f(x):
        def inner(y):
            if (s := y.sum()) > 3:
                return y * s
            return y

        if x.max() > 1:
            x = inner(x + 1)
        return x

    captured = paddle.jit.to_static(f, full_graph=True)
    for values in ([1.0, 2.0], [5.0, -9.0], [-4.0, -4.0]):
        x = paddle.to_tensor(values)
        np.testing.assert_allclose(captured(x).numpy(), f(x).numpy())


def extend(cache, x):
    cache["k"] = paddle.concat([cache["k"], x], 0)


def caches_that_functions_change(x):
    caches = [{"k": paddle.zeros([0, 2])} for _ in range(2)]
    seen, i = [], paddle.zeros([1], "int64")
    while i < 3:
        for cache in range(2):
            extend(caches[cache], x + i.astype("float32"))
        seen.append(i)
        i = i + 1
        if caches[0]["k"].sum() > 20:
            break
    return caches[1]["k"], paddle.concat(seen)


@pytest.mark.parametrize("value", [1.0, 9.0])
def test_functions_change_the_containers_they_are_given(value):
    x = paddle.full([1, 2], value)
    captured = paddle.jit.to_static(caches_that_functions_change, full_graph=True)
    for got, want in zip(captured(x), caches_that_functions_change(x), strict=True):
        np.testing.assert_array_equal(got.numpy(), want.numpy())


def countdown(x, steps):
    if steps == 0:
        return x if x.sum() > 0 else -x
    return countdown(x - 2, steps - 1)


def test_a_function_may_call_itself():
    captured = paddle.jit.to_static(countdown, full_graph=True)
    assert captured(paddle.to_tensor([1.0]), 3).tolist() == [5.0]
    assert captured(paddle.to_tensor([7.0]), 3).tolist() == [1.0]
