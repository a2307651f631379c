# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the recurrent operators."""

import numpy as np
from scipy.special import expit

from tests.op_cases import Case

FLOATS = ("float32", "float64", "float16", "bfloat16")
GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}
STEPS, BATCH, UNITS = 4, 3, 2


def _cell(mode, x, h, c, weight, bias):
    p = h @ weight.T + (0 if bias is None else bias)
    if mode == "GRU":
        (x_r, x_z, x_n), (p_r, p_z, p_n) = np.split(x, 3, -1), np.split(p, 3, -1)
        z, n = expit(x_z + p_z), np.tanh(x_n + expit(x_r + p_r) * p_n)
        return z * h + (1 - z) * n, None
    if mode == "LSTM":
        i, f, g, o = np.split(x + p, 4, -1)
        c = expit(f) * c + expit(i) * np.tanh(g)
        return expit(o) * np.tanh(c), c
    return (np.tanh(x + p) if mode == "RNN_TANH" else np.maximum(x + p, 0)), None


def _recurrence(gates, h0, c0, weight, bias, length, mode, reverse=False):
    out = np.zeros((gates.shape[0], *h0.shape))
    h, c = h0.copy(), None if c0 is None else c0.copy()
    for t in reversed(range(len(gates))) if reverse else range(len(gates)):
        alive = np.full(len(h0), True) if length is None else t < length
        new_h, new_c = _cell(mode, gates[t], h, c, weight, bias)
        h = np.where(alive[:, None], new_h, h)
        c = None if c is None else np.where(alive[:, None], new_c, c)
        out[t] = np.where(alive[:, None], h, 0)
    return out, h, c


def _args(mode, reverse=False, bias=True, length=None, steps=STEPS):
    def make(rng):
        rows = GATES[mode] * UNITS
        return dict(
            gates=rng.standard_normal((steps, BATCH, rows)),
            h0=rng.standard_normal((BATCH, UNITS)),
            c0=rng.standard_normal((BATCH, UNITS)) if mode == "LSTM" else None,
            weight=rng.standard_normal((rows, UNITS)),
            bias=rng.standard_normal(rows) if bias else None,
            length=None if length is None else np.array(length),
            mode=mode,
            reverse=reverse,
        )

    return make


def _grad_args(mode, reverse=False, length=None):
    def make(rng):
        given = _args(mode, reverse, True, length)(rng)
        out, _, _ = _recurrence(**given)
        kept = _kept(**given)
        last = dict(mode=given.pop("mode"), reverse=given.pop("reverse"))
        weights = dict(
            out_grad=rng.standard_normal(out.shape),
            h_grad=rng.standard_normal((BATCH, UNITS)),
            c_grad=rng.standard_normal((BATCH, UNITS)) if mode == "LSTM" else None,
        )
        return given | dict(out=out, reserve=kept) | weights | last

    return make


def _kept(gates, h0, c0, weight, bias, length, mode, reverse):
    """What the forward kernel keeps: activations per step."""
    kept = np.zeros((STEPS, BATCH, {"LSTM": 5, "GRU": 4}.get(mode, 0) * UNITS))
    h, c = h0.copy(), None if c0 is None else c0.copy()
    for t in reversed(range(STEPS)) if reverse else range(STEPS):
        alive = (np.full(BATCH, True) if length is None else t < length)[:, None]
        p = h @ weight.T + bias
        new_h, new_c = _cell(mode, gates[t], h, c, weight, bias)
        if mode == "LSTM":
            i, f, g, o = np.split(gates[t] + p, 4, -1)
            kept[t] = np.where(alive, np.concatenate([expit(i), expit(f), np.tanh(g), expit(o), new_c], -1), 0)
        elif mode == "GRU":
            x_r, x_z, x_n = np.split(gates[t], 3, -1)
            p_r, p_z, p_n = np.split(p, 3, -1)
            r, z = expit(x_r + p_r), expit(x_z + p_z)
            kept[t] = np.where(alive, np.concatenate([r, z, np.tanh(x_n + r * p_n), p_n], -1), 0)
        h = np.where(alive, new_h, h)
        c = None if c is None else np.where(alive, new_c, c)
    return kept


def _grad_ref(gates, h0, c0, weight, bias, length, out, reserve, out_grad, h_grad, c_grad, mode, reverse):
    """Central differences of the weighted sum of the results."""
    given = dict(gates=gates, h0=h0, c0=c0, weight=weight, bias=bias)
    given = {k: None if v is None else v.astype("float64") for k, v in given.items()}

    def total(values):
        y, h, c = _recurrence(**values, length=length, mode=mode, reverse=reverse)
        return (y * out_grad).sum() + (h * h_grad).sum() + (0 if c is None else (c * c_grad).sum())

    grads = []
    for name, value in given.items():
        if value is None:
            grads.append(None)
            continue
        grad = np.zeros_like(value)
        for at in np.ndindex(value.shape):
            ahead, behind = value.copy(), value.copy()
            ahead[at] += 1e-6
            behind[at] -= 1e-6
            grad[at] = (total(given | {name: ahead}) - total(given | {name: behind})) / 2e-6
        grads.append(grad)
    return tuple(grads)


def _names(mode, *more):
    return ("gates", "h0", "weight", "bias", *more) + (("c0",) if mode == "LSTM" else ())


CASES = (
    [
        Case(op="recurrence", args=_args(m), ref=_recurrence, dtypes=FLOATS, grad=_names(m), id=m, atol=1e-5)
        for m in GATES
    ]
    + [
        Case(
            op="recurrence",
            args=_args(m, True, True, [4, 1, 2]),
            ref=_recurrence,
            dtypes=("float32", "float64"),
            grad=_names(m),
            id=f"{m}, backwards, of several lengths",
            atol=1e-5,
        )
        for m in GATES
    ]
    + [
        Case(
            op="recurrence",
            args=_args("LSTM", False, False, [0, 3, 2]),
            ref=_recurrence,
            dtypes=("float32", "float64"),
            grad=("gates", "h0", "weight", "c0"),
            id="no bias, an empty sample",
            atol=1e-5,
        ),
        Case(
            op="recurrence",
            args=_args("GRU", steps=0),
            ref=_recurrence,
            dtypes=("float32", "float64"),
            id="no steps",
        ),
    ]
    + [
        Case(
            op="recurrence_grad",
            args=_grad_args(m, reverse, length),
            ref=_grad_ref,
            dtypes=("float32", "float64"),
            rtol=1e-4,
            atol=1e-4,
            grad=_names(m, "out_grad", "h_grad"),
            grad_order=2,
            id=f"{m}{', backwards, of several lengths' if reverse else ''}",
        )
        for m in GATES
        for reverse, length in ((False, None), (True, [4, 1, 2]))
    ]
)
