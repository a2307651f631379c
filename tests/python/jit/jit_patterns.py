# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""More programs for `PROGRAMS` of jit_programs.py: values asked for, lists that grow, state that branches change."""

import collections
import dataclasses
import enum

import numpy as np
import paddle
import paddle.nn.functional as F
from jit_programs import made, program, weights
from paddle import nn


# -- conditions that ask for values ----------------------------------------------------------------------
@program
def numpy_in_conditions(x):
    y = x - 1 if paddle.mean(x).numpy() > 0.2 else x + 1
    if x.numpy()[0][0] > 0:
        y = y * 2
    if x.sum().item() > 0:
        y = y + 3
    return y


@program
def numbers_in_conditions(x):
    if float(x.sum()) > 0 and bool(x.max() > 0):
        x = x * 2
    k = int(x.sum())
    return x * k


@program
def rows_of_numpy(x):
    z = paddle.zeros([3])
    for row in x.numpy():
        z = z + row
    return z


@program
def lists_of_tensors(x):
    return paddle.to_tensor(x.sum(axis=1).tolist()) * 2


@program
def truth_of_tensors(x):
    mean = paddle.mean(x)
    if mean:
        for i in range(10):
            if i > 5:
                x += 1
                break
            x += 1
    else:
        for i in range(37):
            x += i
            break
    if not (x[0][0] and (mean * x)[0][0]):
        x += 1
    return x, bool(x[0][0]), not mean, bool(mean - 1e6)


@program
def walrus(x):
    if (s := x.sum()) > 0:
        y = x * s
    elif (m := x.mean()) > -3:
        y = x - s + m
    else:
        y = x
    n = 0
    while (rest := 6 - y.abs().sum() * 0.1 - n) > 2:
        n += 1
    return y, rest


# -- lists that grow in loops on tensors -----------------------------------------------------------------
@program
def lists_grow_in_tensor_loops(x):
    n = paddle.full([1], 3, "int32")
    grown = []
    for _ in range(n):
        x = x + 1
        grown.append(x)
    return paddle.concat(grown), grown[0], paddle.stack(grown, axis=1), len(grown), grown[-1] + grown[1]


@program
def lists_grow_in_tensor_while(x):
    n, i, rows = paddle.shape(x)[0], 0, [x * 0]
    while i < n:
        rows.append(x * i)
        i += 1
    return paddle.concat(rows, axis=1), rows


@program
def lists_written_in_tensor_loops(x):
    n = paddle.full([1], 3, "int32")
    grown = []
    for _ in range(n):
        grown.append(x)
    for i in range(n):
        grown[i] = x * i
    last = grown.pop()
    total = paddle.zeros([2, 3])
    for i, v in enumerate(grown):
        total = total + v * (i + 1)
    return grown[1:][0], last, total


@program
def greedy_decoding(x):
    tokens, token = [], x.argmax(-1)
    step = paddle.zeros([], "int64")
    while step < 4 and token.sum() < 5:
        tokens.append(token)
        token = token + 1
        step = step + 1
    tokens.append(token)
    return paddle.stack(tokens, 0)


@program
def lists_in_dicts_grow(x):
    features = {"rows": []}
    for i in range(paddle.full([], 4, "int64")):
        features["rows"].append(x[0] * i)
    return paddle.stack(features["rows"])


@program
def lists_in_branches(x):
    parts = []
    if x[0, 0] > 0:
        parts.append(x)
        parts.append(x * 2)
    else:
        parts.append(paddle.full([2, 3], 9.0))
    return parts[0], len(parts)


# -- state that branches and loops change ----------------------------------------------------------------
@program
def dicts_change_in_tensor_loops(x):
    state = {"x": x, "n": paddle.zeros([], "int64")}
    while state["n"] < 3:
        state["x"] = state["x"] * 2
        state["n"] = state["n"] + 1
    return state


@program
def dicts_change_in_branches(x):
    seen = {"a": x}
    if x.sum() > 0:
        seen["a"] = x * 2
        seen["b"] = x + 1
    else:
        seen["b"] = x
    return seen


@program
def attributes_change(x):
    class Holder:
        def __init__(self):
            self.a, self.b = 3, 4

    h = Holder()
    i = x.sum() * 0
    while i < 3:
        h.b = paddle.zeros([1]) + i
        h.c = h.b + h.a
        i += 1
    if x.sum() > 0:
        h.a = x * 2
    else:
        h.a = x
    return h.a, h.b, h.c


@program
def nonlocals_change_in_branches(x):
    count = paddle.zeros([])

    def bump(t):
        nonlocal count
        if t.sum() > 0:
            count = count + 1
        return t

    bump(x)
    bump(-x)
    return count


TOTAL = None


@program
def globals_change_in_branches(x):
    global TOTAL
    TOTAL = x * 2
    if x.sum() > 0:
        TOTAL = TOTAL + 1
    return TOTAL * 1


@made
def layers_with_caches():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 3)
            self.cache = {}

        def forward(self, x):
            self.cache["bias"] = paddle.ones([3])
            y = self.fc(x)
            if y.mean() < 0:
                y = y + self.cache["bias"]
                self.cache["w"] = paddle.full([3], 10.0)
                if y[0, 0] < 10.0:
                    y = y * self.cache["w"]
                    self.cache["w"] = paddle.full([3], 9.0)
                else:
                    y = y - 1
            else:
                y = y - self.cache["bias"]
            return y.mean()

    return weights(Net())


@program
def writes_in_tensor_loops(x):
    rows = paddle.zeros([2, 3])
    for i in range(paddle.shape(x)[0]):
        rows[i] = x[i] * 2
    return rows


@program
def writes_behind_a_product(x):
    y = x.clone()
    if x.sum() > 0:
        y[0, 0] = 5.0
        y[1] = y[1] * 2
    return y


# -- variables of loops ----------------------------------------------------------------------------------
@program
def variables_born_in_tensor_loops(x):
    total = paddle.zeros([1])
    for j in range(paddle.full([1], 2, "int32")):
        add = lambda p, q: p + q
        for i in range(10):
            total = add(total, j + i)
    for k in range(4):
        name = f"round {k % 1}"
        if total.sum() > 1000:
            break
    return total, i, name, len(name)


@program
def ranges_downwards(x):
    total = paddle.zeros([1])
    for i in range(10, 1, -2):
        total = total + i
    for i in range(paddle.full([1], 9, "int32"), 1, -3):
        total = total + i
    return total


@program
def counters_stay_numbers(x):
    found, count = False, 0
    for row in x:
        if row.sum() > 0:
            found = True
            count += 1
    return found, count


# -- sizes ---------------------------------------------------------------------------------------------
@program
def sizes_from_the_shape_operator(x):
    n, m = paddle.shape(x)
    y = paddle.reshape(x, (m, n))
    k = int(paddle.shape(x)[0])
    return y, paddle.zeros([k, 2]) + x[:, : k - 0], x[: paddle.shape(x)[0] - 1], paddle.full([n, 1], 2.0)


@program
def sizes_in_results(x):
    return x.shape[0] * 2, len(x), x.shape[1] - 1, x.numel()


# -- gradients -------------------------------------------------------------------------------------------
@program
def no_grad_in_branches(x):
    if x.sum() > 0:
        with paddle.no_grad():
            y = x * 2
    else:
        y = x.detach() - 1
    return y + x


@program
def returns_in_no_grad(x):
    with paddle.no_grad():
        if x.sum() > 0:
            return x * 2
    return x - 1


@program
def stopped_gradients(x):
    y = x * 2
    y.stop_gradient = True
    if x.sum() > 0:
        z = y + x * 3
    else:
        z = y * x
    return z


@program
def gradients_inside_through_branches(x):
    leaf = x.detach()
    leaf.stop_gradient = False
    y = (leaf**2).sum()
    if y > 1:
        z = y * 2
    else:
        z = y * 3
    i = paddle.zeros([], "int64")
    while i < 3:
        z = z * leaf.sum()
        i = i + 1
    (g,) = paddle.grad(z, leaf)
    return g


# -- classes and containers ------------------------------------------------------------------------------
class Mode(enum.Enum):
    TRAIN = 1
    TEST = 2


@program
def callable_objects(x):
    class Gate:
        def __init__(self, k):
            self.k = k

        def __call__(self, t):
            if t.sum() > 0:
                return t * self.k
            return t

    mode = Mode.TRAIN
    return Gate(3)(x) if mode is Mode.TRAIN else x


@program
def static_and_class_methods(x):
    class A:
        scale = 2

        @staticmethod
        def add(a, b):
            return a + b if a.sum() > 0 else b

        @classmethod
        def times(cls, a):
            return a * cls.scale

    return A.add(x, x) + A().times(x)


@dataclasses.dataclass
class Output:
    logits: object
    loss: object = None


@program
def dataclasses_in_branches(x):
    out = Output(x * 2)
    if x.sum() > 0:
        out.loss = out.logits.sum()
    else:
        out.loss = out.logits.mean()
    return dataclasses.astuple(Output(1, 2)), out.logits, out.loss


@program
def ordered_dicts(x):
    made_of = collections.OrderedDict(z=x)
    made_of["a"] = x * 2
    return made_of


@program
def switches(x):
    mode = "a"
    match mode:
        case "a":
            y = x * 2
        case _:
            y = x
    if x.sum() > 0:
        try:
            y = y + 1
        except ValueError:
            y = x
    return y


# -- models ----------------------------------------------------------------------------------------------
@made
def decoding_with_a_cell():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.cell, self.out = nn.Embedding(8, 4), nn.GRUCell(4, 4), nn.Linear(4, 8)

        def forward(self, x):
            h = paddle.zeros([2, 4])
            token = x.abs().sum(1).astype("int64") % 8
            outs = []
            for _ in range(4):
                o, h = self.cell(self.embed(token), h)
                logits = self.out(o)
                token = logits.argmax(-1)
                outs.append(logits)
            return paddle.stack(outs, 1)

    return weights(Net())


@made
def experts():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.gate = nn.Linear(3, 2)
            self.experts = nn.LayerList([nn.Linear(3, 3) for _ in range(2)])

        def forward(self, x):
            w = F.softmax(self.gate(x))
            best, which = paddle.topk(w, 1, axis=-1)
            out = paddle.zeros_like(x)
            for e, expert in enumerate(self.experts):
                out = out + expert(x) * (which == e).astype("float32") * best
            return out

    return weights(Net())


@program
def arrays_as_constants(x):
    w = np.ones([3], "float32") * 2
    return x * paddle.to_tensor(w) + float(np.sqrt(2.0)) + w[0]
