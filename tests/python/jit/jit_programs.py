# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs as people write them inside of `to_static`, one function each.

`PROGRAMS` lists (name, make): make() gives a function of one float32 tensor of shape [2, 3].  It
returns tensors, numbers or containers of them.  Nothing is random, so any two ways to run a program
can be compared.
"""

import collections
import contextlib
import dataclasses
import functools

import numpy as np
import paddle

PROGRAMS = []
# Programs that full_graph=True refuses: they need values while the program is captured.
NEED_VALUES = set()


def program(function=None, *, needs_values=False):
    """A function that is a program itself."""
    if function is None:
        return functools.partial(program, needs_values=needs_values)
    PROGRAMS.append((function.__name__, lambda: function))
    if needs_values:
        NEED_VALUES.add(function.__name__)
    return function


def made(factory):
    """A function that makes the program: for layers and closures with state."""
    PROGRAMS.append((factory.__name__, factory))
    return factory


def weights(layer):
    """Fixed values for the parameters of a layer."""
    for i, p in enumerate(layer.parameters()):
        values = np.sin(np.arange(p.size, dtype="float64") * 0.7 + i).reshape(p.shape) * 0.3
        p.set_value(values.astype("float32"))
    return layer


# -- functions and calls -----------------------------------------------------------------------------
@made
def closure():
    scale, offsets = 3.0, [1, 2]

    def inner(x):
        return x * scale + offsets[1]

    def f(x):
        return inner(x) - offsets[0]

    return f


@made
def closure_over_a_tensor():
    w = paddle.to_tensor([1.0, 2.0, 3.0])
    return lambda x: (x * w).sum()


def twice(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) * 2

    return wrapper


def scaled_by(factor):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs) * factor

        return wrapper

    return decorate


@twice
@scaled_by(3)
def decorated_helper(x, bias=0.0):
    if x.sum() > 0:
        return x + bias
    return x - bias


@program
def decorators(x):
    return decorated_helper(x, bias=1.5)


@program
def a_lambda(x):
    double = lambda t, k=2: t * k
    return double(x) + (lambda t: t - 1)(x)


@program
def nested_functions(x):
    def outer(t):
        def inner(u):
            if u.mean() > 0:
                return u * t
            return u

        return inner(t + 1)

    return outer(x)


@program
def nonlocal_counter(x):
    count = 0

    def step(t):
        nonlocal count
        count += 1
        return t + count

    for _ in range(3):
        x = step(x)
    return x, count


def with_args(x, *args, scale=1.0, **kwargs):
    for a in args:
        x = x + a
    return x * scale + kwargs.get("bias", 0.0)


@program
def star_arguments(x):
    extra = (1, 2.0)
    options = {"scale": 2.0, "bias": 0.5}
    return with_args(x, *extra, **options)


@program
def recursion(x):
    def power(t, n):
        return t if n == 1 else t * power(t, n - 1)

    return power(x, 4)


@program
def partial_function(x):
    return functools.partial(with_args, scale=3.0)(x, 1)


@program
def builtins_on_lists(x):
    parts = [x, x + 1, x * 2]
    total = sum(p.mean() for p in parts)
    pairs = list(zip(parts, [1, 2, 3]))  # noqa: B905
    mapped = list(map(lambda p: p * 2, parts))
    kept = list(filter(lambda p: p[1] > 1, pairs))
    return total, mapped[2], kept[0][0], len(pairs), any(k > 2 for _, k in pairs), sorted([3, 1, 2])


@program
def enumerate_and_zip(x):
    out = paddle.zeros([3])
    for i, (a, b) in enumerate(zip([x[0], x[1]], [2, 3])):  # noqa: B905
        out = out + a * b + i
    return out


# -- comprehensions and generators ---------------------------------------------------------------------
@program
def comprehensions(x):
    rows = [x[i] * i for i in range(2)]
    table = {f"r{i}": r.sum() for i, r in enumerate(rows)}
    nested = [[x[i, j] for j in range(3)] for i in range(2)]
    return paddle.stack(rows), table["r1"], nested[1][2], [r for r in rows if r.shape[0] == 3][0]


def rows_of(x):
    for i in range(x.shape[0]):
        yield x[i]


@program
def generators(x):
    total = paddle.zeros([3])
    for row in rows_of(x):
        total = total + row
    return total, sum(r.sum() for r in rows_of(x))


# -- statements ---------------------------------------------------------------------------------------
@program
def try_and_except(x):
    try:
        y = x.reshape([7, 7])
    except ValueError:
        y = x * 2
    finally:
        z = x + 1
    return y, z


@contextlib.contextmanager
def collecting(into):
    into.append("enter")
    yield into
    into.append("exit")


@program
def with_blocks(x):
    seen = []
    with collecting(seen) as s, contextlib.suppress(KeyError):
        s.append("body")
        y = x * 2
        raise KeyError("gone")
    return y, len(seen)


@program
def assertions(x):
    assert x.shape[0] == 2, "rows"
    assert isinstance(x, paddle.Tensor)
    return x * 2


@program
def deleted_and_rebound(x):
    y = x * 2
    del y
    y = x + 1
    y += 1
    y, z = y * 2, y
    return y - z


@program
def global_constant(x):
    return x * FACTOR


FACTOR = 4.0


@program
def chained_calls_and_slices(x):
    return x.transpose([1, 0]).reshape([-1])[1:5:2].unsqueeze(0).tile([2, 1]), x[..., -1], x[:, None, 1:]


@program
def conditional_expression_on_shape(x):
    return x * 2 if x.shape[1] == 3 else x, x.ndim, len(x), x.size


@program
def f_strings_and_dtypes(x):
    name = f"{x.ndim}-{x.dtype}"
    return x * len(name.split("-"))


# -- containers ---------------------------------------------------------------------------------------
Pair = collections.namedtuple("Pair", ["first", "second"])


@dataclasses.dataclass
class State:
    value: object
    steps: int = 0


@program
def dataclasses_inside(x):
    state = State(x)
    for _ in range(3):
        state = State(state.value * 1.5, state.steps + 1)
    return state.value, state.steps


@program
def namedtuples(x):
    p = Pair(x, x * 2)
    return Pair(p.second, p.first + 1)


@program
def dictionaries(x):
    d = {"a": x, "b": {"c": x * 2}}
    d["d"] = d["a"] + d["b"]["c"]
    d.update(e=d.pop("a"))
    return {k: v for k, v in d.items() if not isinstance(v, dict)}


@program
def lists_grow_in_loops(x):
    out = []
    for i in range(4):
        x = paddle.tanh(x + i)
        out.append(x)
        if i % 2:
            out.pop()
    out.insert(0, x)
    out.extend([x * 2])
    return out, len(out)


@program
def list_of_lists(x):
    grid = [[None] * 2 for _ in range(2)]
    for i in range(2):
        for j in range(2):
            grid[i][j] = x[i] * j
    return grid[1][1] + grid[0][1]


@program
def structured_results(x):
    return {"loss": x.mean(), "parts": [x, (x + 1, None)], "n": 3, "name": "r"}


# -- control flow on values ----------------------------------------------------------------------------
@program
def if_on_a_value(x):
    if x.sum() > 0:
        y, k = x * 2, 1
    elif x.sum() < -5:
        y, k = -x, 2
    else:
        y, k = x, 3
    return y, k


@program
def if_without_else(x):
    y = x
    if x.max() > 1:
        y = y + 10
    return y


@program
def early_returns(x):
    if x.sum() > 100:
        return x
    for i in range(3):
        x = x + 1
        if x.mean() > 1.5:
            return x * 10
        if i == 2:
            return x - 1
    return x * 0


@program
def while_on_a_value(x):
    n = 0
    while x.sum() < 50:
        x = x * 2 + 1
        n = n + 1
    return x, n


@program
def while_with_jumps(x):
    i = 0
    total = paddle.zeros([])
    while i < 10:
        i += 1
        if i % 3 == 0:
            continue
        if total > 20:
            break
        total = total + x.abs().sum() + i
    return total, i


@program
def for_else(x):
    for i in range(3):
        if i > 5:
            break
        x = x + i
    else:
        x = x * 2
    return x


@program
def while_else(x):
    i = 0
    while i < 3:
        x = x + 1
        i += 1
    else:
        x = x * 3
    return x


@program
def range_of_a_tensor(x):
    n = paddle.to_tensor(3)
    for i in range(n):
        x = x + i
    return x


@program
def range_of_a_computed_tensor(x):
    n = (x.abs().sum() * 0 + 4).astype("int64")
    total = paddle.zeros([3])
    for i in range(1, n):
        total = total + x[0] * i
    return total


@program
def iterate_over_a_tensor(x):
    total = paddle.zeros([])
    for row in x:
        for v in row:
            total = total * 0.5 + v
    return total


@program
def enumerate_a_tensor(x):
    total = paddle.zeros([3])
    for i, row in enumerate(x):
        total = total + row * (i + 1)
    return total


@program
def chained_comparison(x):
    s = x.sum()
    if -100 < s < 100:
        return x * 2
    return x


@program
def logic(x):
    s, m = x.sum(), x.max()
    if s > -100 and not m > 1000 or m < -5:
        y = x + 1
    else:
        y = x - 1
    return y


@program
def conditional_expression(x):
    y = x * 2 if x.mean() > 0 else x / 2
    return y + (1 if x.mean() > 0 else -1)


@program
def nested_loops_with_breaks(x):
    total = paddle.zeros([])
    for _ in range(4):
        for j in range(4):
            if total > 8:
                break
            total = total + x[0, 0].abs() + j
        if total > 20:
            break
    return total


@program
def print_inside(x):
    print("sum", x.shape)
    return x * 2


@program
def numbers_of_tensors(x):
    n = int(x.shape[0] * paddle.ones([]))
    f = float(x.sum())
    b = bool((x.sum() > 0).item())
    return x * n + f, b


@program(needs_values=True)
def numpy_inside(x):
    y = x * 2
    a = np.tanh(y.numpy())
    return paddle.to_tensor(a) + y


@program
def data_dependent_sizes(x):
    kept = x[x > 0]
    where = paddle.nonzero(x > 0)
    return kept.sum(), int(where.shape[0]), x.masked_select(x < 0).shape[0]


@program
def cast_by_builtins(x):
    s = x.sum()
    return s.astype("int32"), (s > 0).astype("float32")


# -- in-place writes and views ------------------------------------------------------------------------
@program
def written_slices(x):
    y = x * 1
    y[0] = 5.0
    y[1, 1:] = x[0, 1:]
    y[:, 0] += 1
    return y


@program
def views_are_shared(x):
    base = paddle.zeros([2, 3])
    view = base[0]
    view += x[0]
    other = base.reshape([3, 2])
    other[0] = 7.0
    return base, view, other


@program
def inplace_methods(x):
    y = (x * 2).clip(-3, 3)
    y.add_(paddle.ones([2, 3]))
    y.scale_(2.0)
    y.relu_() if hasattr(y, "relu_") else None
    z = y.flatten()
    z.zero_()
    return y, z


@program
def detached_values(x):
    y = x * 2
    d = y.detach()
    z = y + d
    return z, d
