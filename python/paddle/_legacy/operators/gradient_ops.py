# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Gradients of operators as functions (`paddle._C_ops.relu_grad(out, out_grad)`), for programs that write their own
backward.

A gradient comes from the rule in the operator's record. Where the arguments hold what the rule reads, the results are
given the history of a call that is not run; else the operator is run again on its inputs.
"""

import functools
import inspect

from ... import _core
from . import composed, gradient_arguments

ops = _core.ops


class _Forward:
    """What is known of the operator whose gradient is asked for."""

    def __init__(self, name):
        self.name = name
        self.record = _core.describe_op(name) if hasattr(ops, name) else None
        if self.record:
            self.call = getattr(ops, name)
            self.inputs = [n for n, kind, _ in self.record["arguments"] if kind.startswith("Tensor")]
            self.results = [n for n, *_ in self.record["results"]]
            tensors = gradient_arguments.find(name)[0]
            self.attributes = [
                n for n, kind, _ in self.record["arguments"] if not kind.startswith("Tensor") and n not in tensors
            ]
            self.sizes = [n for n in tensors if n not in (*self.inputs, *self.results) and not n.endswith("_grad")]
        else:
            self.call = composed.find(name)
            tensors = gradient_arguments.find(name)[0]
            parameters = [n for n in inspect.signature(self.call).parameters if n not in ("name", "out")]
            self.inputs = [n for n in parameters if n in tensors]
            self.results = [n.removesuffix("_grad") for n in tensors if n.endswith("_grad")]
            self.sizes = []
            self.attributes = [n for n in parameters if n not in tensors]

    def saves(self):
        """The inputs and results that its gradient rule reads; None when it has no rule of its own."""
        return self.record and self.record["saves"]


def _real_pair(g):
    return ops.complex(g, g)


def _before_selu(given, g, a):
    scale, alpha = a.get("scale", 1.0507009873554805), a.get("alpha", 1.6732632423543772)
    out = given["out"]
    return ops.where(out > 0, out / scale, ops.log1p(ops.maximum(out / (scale * alpha), ops.full_like(out, -1))))


def _before_hardsigmoid(given, g, a):
    out = given["out"]
    x = (out - a.get("offset", 0.5)) / a.get("slope", 1.0 / 6.0)
    return ops.where((out > 0) & (out < 1), x, 2 * x)  # beyond the ends where it is flat


def _before_relu6(given, g, a):
    out = given["out"]
    return ops.where(out < 6, out, out + 1)


# What stands for inputs that the arguments leave out, from what is given, the gradient and the attributes: of linear
# operators something of their shape and dtype, of others a value with the same result.
_LOST = {
    "as_complex": lambda given, g, a: ops.as_real(g),
    "as_real": lambda given, g, a: ops.as_complex(g),
    "imag": lambda given, g, a: _real_pair(g),
    "real": lambda given, g, a: _real_pair(g),
    "pixel_shuffle": lambda given, g, a: ops.pixel_unshuffle(g, a["upscale_factor"], a.get("data_format", "NCHW")),
    "pixel_unshuffle": lambda given, g, a: ops.pixel_shuffle(g, a["downscale_factor"], a.get("data_format", "NCHW")),
    "split": lambda given, g, a: ops.concat(list(g), a["axis"]),
    "split_with_num": lambda given, g, a: ops.concat(list(g), a["axis"]),
    "transpose": lambda given, g, a: ops.transpose(g, [a["perm"].index(axis) for axis in range(g.ndim)]),
    "unbind": lambda given, g, a: ops.stack(list(g), a["axis"]),
    "unstack": lambda given, g, a: ops.stack(list(g), a["axis"]),
    "fft_c2r": lambda given, g, a: _real_pair(ops.slice(g, a["axes"][-1:], [0], [g.shape[a["axes"][-1]] // 2 + 1])),
    "cross_entropy_with_softmax": lambda given, g, a: given["softmax"],
    "eigvalsh": lambda given, g, a: given["eigenvectors"],
    "relu": lambda given, g, a: given["out"],
    "relu6": _before_relu6,
    "hardsigmoid": _before_hardsigmoid,
    "selu": _before_selu,
}
# Attributes that only the given gradient tells.
_FROM_GRADIENT = {
    "cast": lambda g, a: {"dtype": g.dtype},
    "reshape": lambda g, a: {"shape": list(g.shape)},
    "split": lambda g, a: {"sections": [part.shape[a["axis"]] for part in g]},
    "split_with_num": lambda g, a: {"num": len(g)},
    "fft_c2r": lambda g, a: {"last_dim_size": g.shape[a["axes"][-1]]},
}
_SAME_GRADIENT = {"flatten": "reshape"}


def _leaf(value, keeps_graph):
    """The value as an input that gets a gradient."""
    if isinstance(value, list | tuple):
        return [_leaf(t, keeps_graph) for t in value]
    if keeps_graph and not value.stop_gradient:
        return ops.assign(value)
    leaf = value.detach()
    leaf.stop_gradient = not (leaf.is_floating_point() or leaf.is_complex())
    return leaf


def _flat(value):
    return list(value) if isinstance(value, list | tuple) else [value]


class _Gradient:
    """One gradient operator: its arguments by name, and how they become a call of the engine."""

    def __init__(self, name):
        self.name = name
        self.forward = _Forward(_SAME_GRADIENT.get(name, name))
        self.tensors, attributes, wanted = gradient_arguments.find(name)
        self.attributes = self.forward.attributes if not attributes else attributes.replace("-", "").split()
        kept = [n for n in self.forward.inputs if n in self.tensors or n in wanted]
        lost = [n for n in self.forward.inputs[:1] if not any(k in self.tensors for k in self.forward.inputs)]
        self.wanted = wanted or (self.forward.inputs if not lost and name in _ALL_INPUTS else kept or lost)

    def bind(self, arguments, keywords):
        """The arguments by name."""
        names = [*self.tensors, *self.attributes]
        if len(arguments) > len(names):
            raise TypeError(
                f"{self.name}_grad: there are {len(arguments)} arguments; it takes at most {len(names)}: "
                f"{', '.join(names)}."
            )
        bound = dict(zip(names, arguments, strict=False)) | keywords
        for key in self.tensors:
            value = bound.get(key)
            parts = value if isinstance(value, list | tuple) and value else [value]
            absent = all(part is None for part in parts)
            if (absent and not self._may_be_absent(key)) or not all(isinstance(t, _core.Tensor | None) for t in parts):
                raise TypeError(
                    f"{self.name}_grad: argument {key} is {type(value).__name__}; it must be a Tensor. The arguments "
                    f"are {', '.join(names)}."
                )
        for key in keywords:
            if key not in names:
                raise TypeError(f"{self.name}_grad: got an unexpected argument {key}; they are {', '.join(names)}.")
        return bound

    def _may_be_absent(self, key):
        if key.endswith("_grad"):
            return len([n for n in self.tensors if n.endswith("_grad")]) > 1
        if self.forward.record is None:
            return key != self.tensors[0]
        optional = {n for n, _, may in self.forward.record["arguments"] if may}
        return key in optional or key not in self.forward.inputs

    def __call__(self, *arguments, **keywords):
        bound = self.bind(arguments, keywords)
        given = {n: v for n, v in bound.items() if n in self.tensors and v is not None}
        tensors = [t for v in given.values() for t in _flat(v)]
        keeps_graph = _core.is_grad_enabled() and any(not t.stop_gradient for t in tensors)
        previous = _core.set_grad_enabled(True)
        try:
            return self._gradients(given, self._attributes(bound), keeps_graph)
        finally:
            _core.set_grad_enabled(previous)

    def _attributes(self, bound):
        found = {n: bound[n] for n in self.attributes if n in bound and n in self.forward.attributes}
        found.update({n: bound[n] for n in self.forward.sizes if bound.get(n) is not None})
        if bound.get("reduce_all") and "axis" in found:
            found["axis"] = []
        return found

    def _gradients(self, given, attributes, keeps_graph):
        gradients = {n: given.get(n + "_grad") for n in self.forward.results}
        first = next(g for g in gradients.values() if g is not None)
        inputs = {n: _leaf(given[n], keeps_graph) for n in self.forward.inputs if n in given}
        for name in self._needed():
            if name not in inputs:
                make = _LOST.get(self.forward.name)
                found = ops.full_like(first, 0) if make is None else make(given, first, attributes)
                inputs[name] = _leaf(found, False)
        if self.forward.name in _FROM_GRADIENT:
            attributes = attributes | _FROM_GRADIENT[self.forward.name](first, attributes)
        results = self._results(given, inputs, attributes, gradients)
        outs, seeds = [], []
        for result, gradient in zip(results, gradients.values(), strict=False):
            if gradient is not None:
                outs += _flat(result)
                seeds += _flat(gradient)
        wanted = [(n, inputs.get(n)) for n in self.wanted]
        leaves = [t for _, v in wanted if v is not None for t in _flat(v) if not t.stop_gradient]
        found = iter(_core.grad(outs, leaves, seeds, False, keeps_graph, True, []))
        return _shaped([v for _, v in wanted if v is None or not _is_constant(v)], found)

    def _needed(self):
        """Inputs that a call must have."""
        record = self.forward.record
        return [n for n, kind, may in record["arguments"] if kind.startswith("Tensor") and not may] if record else []

    def _results(self, given, inputs, attributes, gradients):
        """The results of the operator, with history."""
        forward, saves = self.forward, self.forward.saves()
        known = {*given, *(inputs if forward.name in _LOST else ())}
        if saves is not None and known.issuperset(saves):
            listed = forward.record["results"][0][1] == "Tensor[]"
            # A result that no rule reads is known by its gradient's shape.
            outs = [given.get(n, gradients[n]) for n in forward.results]
            outs = list(outs[0]) if listed else outs
            made = _core.with_history(forward.call, outs, **inputs, **attributes)
            return [made] if listed else made
        missing = [n for n in self._needed() if n not in given]
        linear = forward.name in _LOST or all(n.endswith("_grad") for n in self.tensors)
        if missing and not linear:
            raise NotImplementedError(
                f"{self.name}_grad: the gradient rule of {self.name} reads {', '.join(missing)}, which are not among "
                f"the arguments ({', '.join(self.tensors)}); call paddle.grad on the result of {self.name}."
            )
        made = forward.call(**inputs, **attributes)
        return [made] if len(forward.results) == 1 else made


# Operators whose gradients reach inputs that the arguments leave out.
_ALL_INPUTS = ("bilinear", "index_add", "scatter", "scatter_nd_add")


def _is_constant(value):
    return all(t.stop_gradient for t in _flat(value))


def _shaped(wanted, found):
    """Gradients in the form of the inputs: one, or a tuple."""
    shaped = []
    for value in wanted:
        if value is None:
            shaped.append(None)
        elif isinstance(value, list | tuple):
            shaped.append([next(found) for _ in value])
        else:
            shaped.append(next(found))
    return shaped[0] if len(shaped) == 1 else tuple(shaped)


def dropout_grad(mask, out_grad, p=0.5, is_test=False, mode="downgrade_in_infer"):
    """The gradient of dropout in its input.

    Args:
        mask: 1 where the input was kept.
    """
    p = float(p)
    if is_test:
        return out_grad * (1.0 if mode == "upscale_in_train" else 1.0 - p)
    kept = out_grad * ops.cast(mask, out_grad.dtype)
    return kept / (1.0 - p) if mode == "upscale_in_train" and p < 1 else kept


def fused_rms_norm_ext_grad(x, scale, invvar, y_grad, epsilon=1e-5):
    """Gradients of x / rms(x) * scale over the last axis, in x and in scale.

    Args:
        invvar: 1 / rms(x) of each row, as the forward gave it.
    """
    wide = x.dtype if x.dtype == _core.float64 else _core.float32
    rows, g = ops.cast(x, wide), ops.cast(y_grad, wide)
    inverse = ops.reshape(ops.cast(invvar, wide), [*x.shape[:-1], 1])
    normed, scaled = rows * inverse, g * ops.cast(scale, wide)
    grad_x = (scaled - normed * ops.mean(scaled * normed, [-1], True)) * inverse
    grad_scale = ops.sum(g * normed, list(range(x.ndim - 1)))
    return ops.cast(grad_x, x.dtype), ops.cast(grad_scale, scale.dtype)


def warpctc_grad(logits, logits_length, warpctcgrad, loss_grad, blank=0, norm_by_times=False):
    """The gradient of warpctc in the logits.

    Args:
        logits: Scores, [steps, batch, classes].
        logits_length: Steps of each sample, [batch]; None: all.
        warpctcgrad: What the forward kept, the gradient where loss_grad is 1.
        loss_grad: [batch, 1].
        blank: The class of no label.
        norm_by_times: Whether the forward divided each sample by its number of steps.
    """
    return warpctcgrad * ops.reshape(loss_grad, [1, -1, 1])


def warprnnt_grad(input, input_lengths, warprnntgrad, loss_grad, blank=0, fastemit_lambda=0.0):
    """The gradient of warprnnt in its input.

    Args:
        input: Scores, [batch, steps, labels + 1, classes].
        input_lengths: Steps of each sample, [batch].
        warprnntgrad: What the forward kept, the gradient where loss_grad is 1.
        loss_grad: [batch].
        blank: The class of no label.
        fastemit_lambda: Weight of early emission, part of warprnntgrad.
    """
    return warprnntgrad * ops.reshape(loss_grad, [-1, 1, 1, 1])


_OWN = ("dropout_grad", "fused_rms_norm_ext_grad", "warpctc_grad", "warprnnt_grad")


@functools.cache
def find(name):
    """The function of a gradient operator's name, or None."""
    if name in _OWN:
        return globals()[name]
    operator = name.removesuffix("_").removesuffix("_grad")
    if operator == name or gradient_arguments.find(operator) is None:
        return None
    gradient = _Gradient(operator)

    def function(*arguments, **keywords):
        found = gradient(*arguments, **keywords)
        if not name.endswith("_"):
            return found
        place = gradient.bind(arguments, keywords)[next(n for n in gradient.tensors if n.endswith("_grad"))]
        _core.rebind_inplace(place, found, name)
        return place

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Gradients of the operator {operator} in its inputs: {', '.join(gradient.wanted)}."
    parameters = [*gradient.tensors, *gradient.attributes]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    function.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in parameters])
    return function


def names():
    """Names of the gradient operators."""
    return [*_OWN, *(operator + "_grad" for operator in gradient_arguments.names())]
