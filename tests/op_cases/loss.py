# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the losses."""

import numpy as np
from scipy import special

from tests.op_cases import Case

FLOATS = ("float32", "float64")


def _hard(input, label, ignore_index=-100):
    log_p = special.log_softmax(input, -1)
    picked = np.take_along_axis(log_p, np.where(label == ignore_index, 0, label), -1)
    return special.softmax(input, -1), np.where(label == ignore_index, 0, -picked)


def _soft(input, label, soft_label):
    return special.softmax(input, -1), -(label * special.log_softmax(input, -1)).sum(-1, keepdims=True)


def _hard_grad(label, softmax, loss_grad):
    return loss_grad * (softmax - np.eye(softmax.shape[-1])[label[:, 0]])


CASES = [
    Case(
        op="cross_entropy_with_softmax",
        args=lambda rng: dict(input=rng.standard_normal((4, 7)), label=rng.integers(0, 7, (4, 1))),
        ref=_hard,
        dtypes=FLOATS,
        grad=("input",),
        id="indices",
    ),
    Case(
        op="cross_entropy_with_softmax",
        args=lambda rng: dict(input=rng.standard_normal((4, 7)), label=np.array([[1], [2], [0], [2]]), ignore_index=2),
        ref=_hard,
        dtypes=FLOATS,
        grad=("input",),
        id="ignored index",
    ),
    Case(
        op="cross_entropy_with_softmax",
        args=lambda rng: dict(input=rng.standard_normal((4, 7)), label=rng.random((4, 7)), soft_label=True),
        ref=_soft,
        dtypes=FLOATS,
        grad=("input", "label"),
        id="distributions",
    ),
    Case(
        op="cross_entropy_with_softmax_grad",
        args=lambda rng: dict(
            label=rng.integers(0, 5, (3, 1)), softmax=rng.random((3, 5)), loss_grad=rng.standard_normal((3, 1))
        ),
        ref=_hard_grad,
        dtypes=FLOATS,
        grad=("softmax", "loss_grad"),
    ),
]
