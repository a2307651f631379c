# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.flops`: counts multiplications of a network by running it once.

A counter is a function of (layer, inputs, output) that adds to `layer.total_ops`; a
multiplication with its addition counts one.
"""

import math

from ..framework.modes import no_grad


def flops(net, input_size, custom_ops=None, print_detail=False):
    """Number of multiply-adds of one run.

    Args:
        net: The Layer.
        input_size: Shape of the input, or list of shapes.
        custom_ops: Dict from layer class to counter `f(layer, inputs, output)`, which adds to
            `layer.total_ops`.
        print_detail: Print a table of the layers.

    Returns:
        The number, an int.
    """
    from ..nn import Layer

    if not isinstance(net, Layer):
        raise TypeError(f"flops: net has type {type(net).__name__}; it must be a paddle.nn.Layer.")
    return dynamic_flops(net, input_size, custom_ops=custom_ops, print_detail=print_detail)


def dynamic_flops(model, inputs, custom_ops=None, print_detail=False):
    """`flops` for shapes or for Tensors."""
    from .. import _core
    from .model_summary import _made

    if isinstance(inputs, _core.Tensor):
        inputs = [inputs]
    elif not (isinstance(inputs, (list, tuple)) and any(isinstance(x, _core.Tensor) for x in inputs)):
        inputs = _made(inputs, None)
    layers = [(name, layer) for name, layer in model.named_sublayers(include_self=True) if not _children(layer)]
    counters = {**_layer_counters(), **(custom_ops or {})}
    hooks = []
    for _, layer in layers:
        layer.total_ops, layer.total_params = 0, _parameters(layer)
        layer.io_shapes = ([], [])
        counter = next((counters[c] for c in type(layer).__mro__ if c in counters), None)
        if counter is not None:
            hooks.append(layer.register_forward_post_hook(counter))
        hooks.append(layer.register_forward_post_hook(count_io_info))
    training = [(layer, layer.training) for layer in model.sublayers(include_self=True)]
    model.eval()
    try:
        with no_grad():
            model(*inputs)
        total = sum(int(layer.total_ops) for _, layer in layers)
        if print_detail:
            _print(layers)
        print(f"Total Flops: {total}     Total Params: {sum(layer.total_params for _, layer in layers)}")
        return total
    finally:
        for hook in hooks:
            hook.remove()
        for layer, mode in training:
            layer.training = mode
        for _, layer in layers:
            for name in ("total_ops", "total_params", "io_shapes"):
                layer.__dict__.pop(name, None)


def _children(layer):
    return next(iter(layer.children()), None) is not None


def _parameters(layer):
    return sum(math.prod(p.shape) for p in layer.parameters())


def _print(layers):
    head = ("Layer Name", "Input Shape", "Output Shape", "Params", "Flops")
    rows = [
        (name or type(layer).__name__, str(layer.io_shapes[0]), str(layer.io_shapes[1]), str(layer.total_params),
         str(int(layer.total_ops)))
        for name, layer in layers
    ]  # fmt: skip
    table = Table(head)
    for row in rows:
        table.add_row(row)
    table.print_table()


class Table:
    """Rows of text under heads, printed with borders.

    Args:
        table_heads: The heads.
    """

    def __init__(self, table_heads):
        self.table_heads = list(table_heads)
        self.rows = []

    def add_row(self, row_str):
        """Add a row of as many values as there are heads."""
        if len(row_str) != len(self.table_heads):
            raise ValueError(f"Table: a row has {len(row_str)} values and there are {len(self.table_heads)} heads.")
        self.rows.append([str(value) for value in row_str])

    def print_table(self):
        """Print the table."""
        everything = [self.table_heads, *self.rows]
        widths = [max(len(row[i]) for row in everything) + 4 for i in range(len(self.table_heads))]
        border = "+" + "+".join("-" * w for w in widths) + "+"
        print(border)
        for i, row in enumerate(everything):
            print("|" + "|".join(f"{v:^{w}}" for v, w in zip(row, widths, strict=True)) + "|")
            if i == 0:
                print(border)
        print(border)


def _first(value):
    return value[0] if isinstance(value, (list, tuple)) else value


def _size(value):
    return math.prod(_first(value).shape)


def count_parameters(m, x, y):
    """Set `m.total_params`."""
    m.total_params = _parameters(m)


def count_io_info(m, x, y):
    """Note the shapes of the first input and output."""
    m.io_shapes = (list(_first(x).shape), list(_first(y).shape))


def count_convNd(m, x, y):
    """A convolution: kernel size times input channels per group, and the bias, for each output."""
    kernel = math.prod(m.weight.shape[2:])
    m.total_ops += _size(y) * (m.weight.shape[1] * kernel + (m.bias is not None))


def count_convNd_transpose(m, x, y):
    """A transposed convolution: each input goes to a kernel of outputs."""
    m.total_ops += _size(x) * math.prod(m.weight.shape[1:]) + (_size(y) if m.bias is not None else 0)


def count_bn(m, x, y):
    """A normalization at evaluation: one multiply-add and one scale for each element."""
    m.total_ops += 2 * _size(x)


def count_linear(m, x, y):
    """A linear layer: the input width for each output."""
    m.total_ops += m.weight.shape[0] * _size(y)


def count_element_op(m, x, y):
    """One for each element."""
    m.total_ops += _size(x)


def count_avgpool(m, x, y):
    """One for each output."""
    m.total_ops += _size(y)


def count_adap_avgpool(m, x, y):
    """The window and a division for each output."""
    window = math.prod(-(-i // o) for i, o in zip(_first(x).shape[2:], _first(y).shape[2:], strict=True))
    m.total_ops += (window + 1) * _size(y)


def count_zero_ops(m, x, y):
    """Nothing to multiply."""


_COUNTERS = {
    count_convNd: "Conv1D Conv2D Conv3D",
    count_convNd_transpose: "Conv1DTranspose Conv2DTranspose Conv3DTranspose",
    count_bn: "BatchNorm BatchNorm1D BatchNorm2D BatchNorm3D SyncBatchNorm LayerNorm GroupNorm InstanceNorm2D",
    count_linear: "Linear",
    count_element_op: "LeakyReLU PReLU Sigmoid Silu GELU Swish Hardswish Tanh",
    count_zero_ops: "ReLU ReLU6 Dropout Identity Flatten MaxPool1D MaxPool2D MaxPool3D Pad2D",
    count_avgpool: "AvgPool1D AvgPool2D AvgPool3D",
    count_adap_avgpool: "AdaptiveAvgPool1D AdaptiveAvgPool2D AdaptiveAvgPool3D",
}


def _layer_counters():
    from .. import nn

    found = {}
    for counter, names in _COUNTERS.items():
        for name in names.split():
            layer = getattr(nn, name, None)
            if layer is not None:
                found[layer] = counter
    return found


def __getattr__(name):
    if name == "register_hooks":
        globals()[name] = _layer_counters()
        return globals()[name]
    raise AttributeError(f"module 'paddle.hapi.dynamic_flops' has no attribute '{name}'")
