# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.summary`: a table of the layers of a network, their shapes and parameters."""

import inspect
import math
import re

from .. import _core
from ..framework.checked_numbers import shown
from ..framework.modes import no_grad


def summary(net, input_size=None, dtypes=None, input=None):
    """Print the layers of a network in the order of execution.

    Args:
        net: The Layer.
        input_size: Shape (tuple; None and -1 count as 1), InputSpec, or list of them.
        dtypes: Dtype of the inputs, or list of dtypes; float32 by default.
        input: What the network is called with, instead of input_size: a Tensor, or a list, tuple or dict of them,
            whose items are the arguments of a network that takes several.

    Returns:
        Dict with total_params and trainable_params: the sums of the rows, so of the layers that ran.

    Raises:
        ValueError: Neither input_size nor input is given, or a size is not valid.
    """
    if not hasattr(net, "sublayers"):
        raise TypeError(f"summary: net {shown(net)}; it must be a Layer.")
    if input is None and input_size is None:
        raise ValueError("summary: pass input_size or input.")
    args, kwargs = _given(net, input) if input is not None else (_made(input_size, dtypes), {})
    rows = _run(net, args, kwargs)
    params, trainable = sum(row[3] for row in rows), sum(row[4] for row in rows)
    _print(rows, args, kwargs, params, trainable)
    return {"total_params": params, "trainable_params": trainable}


def _given(net, input):
    """The arguments of the network: its one input, or where it takes several, the items of a list or dict."""
    if not isinstance(input, (list, tuple, dict)):
        return [input], {}
    try:
        taken = inspect.signature(net.forward)
        taken.bind(input)
    except TypeError:
        return ([], input) if isinstance(input, dict) else (list(input), {})
    by_name = isinstance(input, dict) and set(input) <= set(taken.parameters)
    return ([], input) if by_name else ([input], {})


def _is_shape(value):
    return isinstance(value, (list, tuple)) and all(n is None or isinstance(n, int) for n in value)


def _made(sizes, dtypes):
    """Tensors of the given sizes."""
    from ..tensor.creation import ones

    sizes = [sizes] if _is_shape(sizes) or not isinstance(sizes, (list, tuple)) else list(sizes)
    if isinstance(dtypes, (list, tuple)):
        dtypes = list(dtypes)
    else:
        dtypes = [dtypes] * len(sizes)
    made = []
    for size, dtype in zip(sizes, dtypes, strict=False):
        if not _is_shape(size) and isinstance(size, (list, tuple)) and all(_is_shape(part) for part in size):
            made.append(tuple(_made(list(size), dtype)))
            continue
        if hasattr(size, "shape"):
            size, dtype = list(size.shape), dtype or size.dtype
        elif isinstance(size, int):
            size = [size]
        if not _is_shape(size):
            raise TypeError(
                f"summary: input_size {shown(size)}; it must be a shape such as (1, 3, 224, 224), or a list of them."
            )
        shape = [1 if n in (None, -1) else n for n in size]
        if any(n <= 0 for n in shape):
            raise ValueError(f"summary: input_size has value {size}; sizes must be positive, None or -1.")
        made.append(ones(shape, dtype or "float32"))
    return made


def _count(params):
    return sum(math.prod(p.shape) for p in params)


def _shapes(value):
    """Shape of a Tensor, list of shapes of several."""
    if isinstance(value, _core.Tensor):
        return list(value.shape)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [_shapes(v) for v in value if isinstance(v, (_core.Tensor, list, tuple, dict))]
    return []


def _shown(net):
    """The layers that have a row: all but plain containers, the network itself and the cells of recurrent layers."""
    from .. import nn
    from ..nn.layer.rnn import RNNBase

    tree = net.sublayers(include_self=True)
    cells = {id(cell) for layer in tree if isinstance(layer, RNNBase) for cell in layer.sublayers()}
    for layer in tree:
        recurrent = isinstance(layer, RNNBase)
        container = isinstance(layer, (nn.Sequential, nn.LayerList)) and not recurrent
        outer = layer is net and not recurrent and next(iter(layer.children()), None) is not None
        if not (container or outer or id(layer) in cells):
            yield layer


def _run(net, args, kwargs):
    """Run the network and note (name, input shapes, output shape, parameters, those that are trained) of each layer with a row."""
    rows, hooks = {}, []

    def note(layer, inputs, output):
        number = int(re.search(r"\d*$", layer.full_name()).group() or 0) + 1
        own = layer.parameters(include_sublayers=False)
        sizes = _count(own), _count([p for p in own if not p.stop_gradient])
        name = f"{type(layer).__name__}-{number}"  # a layer that is called again keeps its row
        rows[name] = (name, [None if x is None else _shapes(x) for x in inputs], _shapes(output), *sizes)

    for layer in _shown(net):
        hooks.append(layer.register_forward_post_hook(note))
    modes = [(layer, layer.training) for layer in net.sublayers(include_self=True)]
    net.eval()
    try:
        with no_grad():
            net(*args, **kwargs)
    finally:
        for hook in hooks:
            hook.remove()
        for layer, mode in modes:
            layer.training = mode
    return list(rows.values())


def _numbers(shapes):
    """How many numbers nested shapes hold."""
    if shapes and isinstance(shapes[0], list):
        return sum(_numbers(s) for s in shapes)
    return math.prod(shapes)


def _print(rows, args, kwargs, params, trainable):
    head = ("Layer (type)", "Input Shape", "Output Shape", "Param #")
    cells = [(name, str(i), str(o), f"{n:,}") for name, i, o, n, _ in rows]
    widths = [max(least, *(len(row[c]) for row in cells)) for c, least in enumerate((15, 20, 20, 15))]
    line = sum(widths) + 5

    def row(values):
        return " ".join(f"{v:^{w}}" for v, w in zip(values, widths, strict=True))

    inputs = 4 * sum(_numbers(_shapes(x)) for x in [*args, *kwargs.values()] if _shapes(x)) / 2**20
    passes = 2 * 4 * sum(_numbers(o) for _, _, o, *_ in rows) / 2**20
    weights = 4 * params / 2**20
    text = ["-" * line, row(head), "=" * line, *map(row, cells), "=" * line]
    text += [f"Total params: {params:,}", f"Trainable params: {trainable:,}"]
    text += [f"Non-trainable params: {params - trainable:,}", "-" * line]
    text += [f"Input size (MB): {inputs:.2f}", f"Forward/backward pass size (MB): {passes:.2f}"]
    text += [f"Params size (MB): {weights:.2f}", f"Estimated Total Size (MB): {inputs + passes + weights:.2f}"]
    print("\n".join([*text, "-" * line]) + "\n")
