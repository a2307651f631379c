# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pieces of a forward pass whose backward passes are run by hand, so that a schedule can interleave them."""

from ..... import _core
from .....autograd import backward as run_backward


def _map(value, function):
    """`value` with `function` applied to each tensor in it."""
    if isinstance(value, _core.Tensor):
        return function(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_map(one, function) for one in value)
    if isinstance(value, dict):
        return {name: _map(one, function) for name, one in value.items()}
    return value


def _tensors(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for one in value for tensor in _tensors(one)]
    return [value] if isinstance(value, _core.Tensor) else []


def _cut(tensor):
    made = tensor.detach()
    made.stop_gradient = tensor.stop_gradient
    return made


class ScheduleNode:
    """A function with its own gradient graph, cut off from what comes before.

    Args:
        fwd_func: Function of the inputs, and of `labels` where they are set.
        name: Name for messages.

    Example:
        >>> import paddle
        >>> from paddle.distributed.fleet.meta_parallel import ScheduleNode
        >>> node = ScheduleNode(lambda x: x * x)
        >>> out = node.forward(paddle.to_tensor([3.0], stop_gradient=False))
        >>> print(node.backward(paddle.ones([1]))[0].item())
        6.0
    """

    def __init__(self, fwd_func, name=""):
        self.name = name
        self.fwd_func = fwd_func
        self.inputs = None
        self.outputs = None
        self.labels = None
        self.scale_loss_factor = None

    def forward(self, inputs=(), **kwargs):
        """The results of the function on the inputs, a tensor or a structure of tensors."""
        self.inputs = _map(inputs, _cut)
        labels = () if self.labels is None else (self.labels,)
        self.outputs = self.fwd_func(self.inputs, *labels, **kwargs)
        if self.labels is not None and self.scale_loss_factor is not None:
            self.outputs = self.outputs / self.scale_loss_factor
        return self.outputs

    def backward(self, output_grad=None, scaler=None):
        """The gradients of the inputs, a tuple with one entry a tensor.

        Args:
            output_grad: Gradients of the results; None for a scalar result.
            scaler: A GradScaler that scales a scalar result first; not together with output_grad.
        """
        assert self.outputs is not None, f"ScheduleNode {self.name!r}: call forward before backward."
        outputs = _tensors(self.outputs)
        if output_grad is None:
            assert len(outputs) == 1, f"ScheduleNode {self.name!r}: output_grad is needed for {len(outputs)} results."
            run_backward([outputs[0] if scaler is None else scaler.scale(outputs[0])])
        else:
            grads = list(output_grad) if isinstance(output_grad, (list, tuple)) else _tensors(output_grad)
            assert len(outputs) == len(grads), (
                f"ScheduleNode {self.name!r}: there are {len(outputs)} results and {len(grads)} gradients."
            )
            pairs = [pair for pair in zip(outputs, grads, strict=True) if not pair[0].stop_gradient]
            run_backward([pair[0] for pair in pairs], [pair[1] for pair in pairs])
        found = tuple(tensor.grad for tensor in _tensors(self.inputs))
        self._reset_states()
        return found

    def _reset_states(self):
        self.inputs = self.outputs = self.labels = self.scale_loss_factor = None


class ScheduleChunk:
    """Nodes that run one after another, and backwards in reverse.

    Args:
        nodes: A list of ScheduleNode.
    """

    def __init__(self, nodes):
        self.nodes = nodes
        self._check_nodes_valid()

    def _check_nodes_valid(self):
        for node in self.nodes:
            assert isinstance(node, ScheduleNode), f"ScheduleChunk: nodes must be ScheduleNode, got {type(node)}."

    def forward(self, inputs):
        """The results of the last node."""
        for node in self.nodes:
            inputs = node.forward(inputs)
        return inputs

    def backward(self, output_grad):
        """The gradients of the inputs of the first node."""
        for node in reversed(self.nodes):
            output_grad = node.backward(output_grad)
        return output_grad
