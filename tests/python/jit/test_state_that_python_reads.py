# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""State of layers that Python reads by item(), int(), `if` and the like, and that the captured function writes."""

import paddle
import pytest
from paddle import nn

FORMS = pytest.mark.parametrize("full_graph", [True, False])


class Counting(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", paddle.to_tensor(0))
        self.register_buffer("ready", paddle.to_tensor(False))

    def count(self):
        self.n.add_(paddle.to_tensor(1))


class ReadsAfterTheWrite(Counting):
    def forward(self, x):
        self.count()
        return x * self.n.item() + int(self.n) + float(self.n)


class ReadsBeforeTheWrite(Counting):
    def forward(self, x):
        y = x * self.n.item() + int(self.n) + float(self.n)
        self.count()
        return y


class BeginsOnce(Counting):
    def forward(self, x):
        if self.n.item() == 0:
            self.n.fill_(1)
            return x
        return x * 3


class IsReady(Counting):
    def forward(self, x):
        if not self.ready:
            self.ready.fill_(True)
            return x
        return x * 3


class ReadsTheArray(Counting):
    def forward(self, x):
        y = x * self.n.numpy()
        self.count()
        return y


class EverySecond(Counting):
    def forward(self, x):
        self.n += 1
        return x * 2 if int(self.n) % 2 else x


class AndOr(Counting):
    def forward(self, x):
        y = x * 5 if self.n and (self.ready or x.sum() > 0) else x
        self.count()
        self.ready.fill_(True)
        return y


LAYERS = (ReadsAfterTheWrite, ReadsBeforeTheWrite, BeginsOnce, IsReady, ReadsTheArray, EverySecond, AndOr)


@FORMS
@pytest.mark.parametrize("kind", LAYERS, ids=lambda c: c.__name__)
def test_each_call_reads_what_the_calls_before_wrote(kind, full_graph):
    plain, captured = kind(), paddle.jit.to_static(kind(), full_graph=full_graph)
    x = paddle.to_tensor([1.0, 2.0])
    for _ in range(3):
        assert captured(x).tolist() == plain(x).tolist()
        assert captured.n.item() == plain.n.item()


def test_state_that_is_not_written_is_a_constant():
    class Sized(Counting):
        def forward(self, x):
            return x.reshape([int(self.n) + 1, -1])

    layer = paddle.jit.to_static(Sized(), full_graph=True)
    assert layer(paddle.ones([4])).shape == [1, 4]
