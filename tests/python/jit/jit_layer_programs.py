# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs for `PROGRAMS` of jit_programs.py with layers, gradients and regions around calls."""

import paddle
import paddle.nn.functional as F
from jit_programs import made, program, weights
from paddle import nn


# -- layers -------------------------------------------------------------------------------------------
class Base(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x)


class Derived(Base):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(3)

    def forward(self, x):
        y = super().forward(x)
        return self.norm(y) + self.helper(x, k=2)

    @staticmethod
    def helper(x, k):
        return x * k


@made
def layers_with_super():
    return weights(Derived())


@made
def sublayers_called_several_times():
    fc = weights(nn.Linear(3, 3))

    def f(x):
        for _ in range(3):
            x = paddle.tanh(fc(x))
        return x

    return f


class Counter(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", paddle.zeros([1]))
        self.register_buffer("mean", paddle.zeros([3]))

    def forward(self, x):
        self.calls += 1
        self.mean.set_value(self.mean * 0.9 + x.mean(axis=0) * 0.1)
        return x + self.calls


@made
def buffers():
    layer = Counter()
    return lambda x: (layer(x), layer(x), layer.mean * 1)


@made
def batch_norm():
    net = weights(nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.ReLU()))
    return lambda x: (net(x), net[1]._mean * 1)


class Switching(nn.Layer):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1D(3)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        self.eval()
        a = self.drop(self.bn(x))
        self.train()
        b = self.bn(x)
        self.eval()
        return a, b, self.training


@made
def train_and_eval():
    return Switching()


@made
def layer_lists():
    layers = nn.LayerList([nn.Linear(3, 3) for _ in range(3)])
    weights(layers)

    def f(x):
        skips = []
        for i, layer in enumerate(layers):
            x = layer(x)
            if i < 2:
                skips.append(x)
        for s in reversed(skips):
            x = x + s
        return x

    return f


@made
def hooks_on_layers():
    fc = weights(nn.Linear(3, 3))
    fc.register_forward_pre_hook(lambda layer, inputs: (inputs[0] * 2,))
    fc.register_forward_post_hook(lambda layer, inputs, output: output + 1)
    return lambda x: fc(x)


@made
def lstm():
    cell = weights(nn.LSTM(3, 4, num_layers=2))

    def f(x):
        y, (h, c) = cell(x.unsqueeze(1))
        return y, h, c

    return f


@made
def lstm_decoding_loop():
    cell, head = weights(nn.LSTMCell(3, 4)), weights(nn.Linear(4, 3))

    def f(x):
        state = cell.get_initial_states(x)
        token, tokens = x, []
        for _ in range(3):
            h, state = cell(token, state)
            logits = head(h)
            token = F.softmax(logits)
            tokens.append(logits.argmax(-1))
        return paddle.stack(tokens), token

    return f


@program
def greedy_search_until_done(x):
    step, score = 0, paddle.zeros([2])
    alive = paddle.ones([2])
    while (alive.sum() > 0) and step < 6:
        score = score + alive * x.max(axis=1).abs()
        alive = (score < 3).astype("float32")
        step += 1
    return score, step


@program
def tensor_array(x):
    array = paddle.tensor.create_array("float32")
    i = paddle.zeros([1], "int64")
    for k in range(3):
        array = paddle.tensor.array_write(x * k, i + k, array)
    return paddle.tensor.array_length(array), paddle.tensor.array_read(array, i + 1)


# -- gradients ----------------------------------------------------------------------------------------
@program
def no_grad_blocks(x):
    with paddle.no_grad():
        scale = x.abs().max()
    return x / scale, scale


@paddle.no_grad()
def frozen(x):
    return x * 3


@program
def no_grad_functions(x):
    return frozen(x) + x


class Cube(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensor()
        return g * 30 * x * x


@program
def py_layer(x):
    return Cube.apply(x) + Cube.apply(x * 2)


@program
def grad_inside(x):
    if x.stop_gradient:
        x = x.detach()
        x.stop_gradient = False
    y = (x**3).sum()
    (g,) = paddle.grad(y, x, create_graph=True)
    return y + (g * g).sum()


@made
def recompute_inside():
    from paddle.distributed.fleet.utils import recompute

    net = weights(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3)))
    return lambda x: recompute(net, x) + x


@made
def autocast_inside():
    fc = weights(nn.Linear(3, 3))

    def f(x):
        with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
            y = fc(x)
        return y.astype("float32")

    return f


@made
def clip_and_norms():
    def f(x):
        n = x.norm()
        y = x / paddle.clip(n, min=1.0)
        return y, F.normalize(x, axis=1), paddle.linalg.norm(x, p=1)

    return f


@program
def losses(x):
    labels = paddle.to_tensor([0, 2])
    return F.cross_entropy(x, labels), F.mse_loss(x, x * 0), F.softmax_with_cross_entropy(x, labels.unsqueeze(1))


@program
def einsum_and_where(x):
    return paddle.einsum("ij,kj->ik", x, x), paddle.where(x > 0, x, -x), paddle.topk(x, 2)[0]


@program
def set_operations(x):
    y = paddle.concat([x, x * 2], axis=0)
    a, b = paddle.split(y, 2, axis=0)
    c = paddle.chunk(y, 2, axis=0)
    u = paddle.unbind(x, axis=0)
    return a - b, c[0], u[1], paddle.meshgrid(x[0], x[1])[0]
