# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Means of gradients over a group, for data parallelism and for optimizers whose state is split."""

import numpy as np

from .. import _core
from .communication.group import _get_global_group
from .communication.reduce import ReduceOp


def _gradient_of(parameter):
    """The gradient: where there is one in float32 beside that of the parameter's dtype, that one."""
    main = getattr(parameter, "main_grad", None)
    return parameter.grad if main is None else main


def _write_gradient(parameter, value):
    if hasattr(parameter, "main_grad"):
        parameter.main_grad = value.clone()  # Of its own memory: the bucket is larger.
        return
    if parameter.grad is None:
        parameter.grad = _core.ops.full(list(parameter.shape), 0, parameter.dtype)
    parameter.grad.set_value(_core.ops.cast(value, parameter.grad.dtype))


class _Bucket:
    """Parameters whose gradients travel together: their elements, then one number each that says whether there is one.

    They travel as what they are, 16-bit ones as 16 bits, and as float32 where one is kept in float32 beside its parameter's
    dtype.
    """

    def __init__(self, parameters, dtype):
        self.parameters, self._dtype = parameters, dtype
        self._sizes = [p.size for p in parameters]

    def _packed(self):
        """The gradients of this process as one tensor, zeros where there is none."""
        wide = any(hasattr(p, "main_grad") for p in self.parameters)
        dtype = "float32" if wide and self._dtype in ("float16", "bfloat16") else self._dtype
        parts, present = [], []
        for parameter, size in zip(self.parameters, self._sizes, strict=True):
            gradient = _gradient_of(parameter)
            present.append(gradient is not None)
            if gradient is None:
                parts.append(_core.ops.full([size], 0, dtype))
                continue
            if gradient.is_selected_rows():
                raise NotImplementedError(
                    f"The gradient of {parameter.name} is sparse, and processes do not exchange sparse gradients; "
                    "build its layer with sparse=False."
                )
            parts.append(_core.ops.cast(gradient.detach(), dtype).reshape([size]))
        parts.append(_core.ops.cast(_core.Tensor(np.array(present)), dtype))
        return _core.ops.concat(parts, 0)

    def start(self, start):
        """Begin a reduction; `start` is called with the tensor of all gradients and gives the Task."""
        whole = self._packed()
        return start(whole), whole

    def unpack(self, whole, factor):
        """Write what `packed` gave, reduced over the members, times a factor."""
        present, at = whole[sum(self._sizes) :].astype("float32").tolist(), 0
        for i, (parameter, size) in enumerate(zip(self.parameters, self._sizes, strict=True)):
            if present[i] != 0:
                part = whole[at : at + size].reshape(parameter.shape)
                _write_gradient(parameter, part if factor == 1 else part * factor)
            at += size


def _buckets(parameters, limit):
    """Parameters in the reverse of their order, which is that of their gradients, by dtype."""
    found, last, room = [], {}, {}
    for parameter in reversed(parameters):
        dtype = parameter.dtype.name
        size = parameter.size * parameter.element_size()
        if dtype not in last or room[dtype] < size:
            last[dtype], room[dtype] = ([], dtype), limit
            found.append(last[dtype])
        last[dtype][0].append(parameter)
        room[dtype] -= size
    return [_Bucket(*bucket) for bucket in found]


def _average_over(processes, buckets, divisor):
    """The sums over a group by a divisor: means times what they lack, so 16-bit sums are rounded once."""

    def start(whole):
        return processes.all_reduce(whole, whole, ReduceOp.AVG, sync=False)

    started = [(bucket, *bucket.start(start)) for bucket in buckets]
    for bucket, task, whole in started:
        task.wait()
        bucket.unpack(whole, processes.size / divisor)


def average_gradients(parameters, group=None, limit=1 << 27, divisor=None):
    """Replace the gradients of parameters by their means over a group.

    Args:
        parameters: They; those without a gradient in every member get none.
        group: A Group; None: the default group.
        limit: Bytes of a message.
        divisor: Of the sum; None: the number of members.
    """
    group = _get_global_group() if group is None else group
    divisor = group.nranks if divisor is None else divisor
    if group.nranks > 1:
        _average_over(group.process_group, _buckets([p for p in parameters if not p.stop_gradient], limit), divisor)
    elif divisor != 1:
        for parameter in parameters:
            if parameter.grad is not None:
                parameter.grad = parameter.grad / divisor


def reduce_gradients(parameters_of, group, limit=1 << 27):
    """Leave the mean of each gradient over a group with one member; the others lose theirs.

    Args:
        parameters_of: For each member the parameters whose gradients it gets.
        group: The Group.
        limit: Bytes of a message.
    """
    processes, started = group.process_group, []
    for member, parameters in enumerate(parameters_of):
        for bucket in _buckets(parameters, limit):
            task, whole = bucket.start(
                lambda whole, root=member: processes.reduce(whole, whole, root, ReduceOp.AVG, sync=False)
            )
            started.append((member, bucket, whole, task))
            if member != group.rank:
                for parameter in bucket.parameters:
                    parameter.grad = None
                    if hasattr(parameter, "main_grad"):
                        parameter.main_grad = None
    for member, bucket, whole, task in started:
        task.wait()
        if member == group.rank:
            bucket.unpack(whole, 1)


class GradientAverager:
    """Replaces the gradients of a layer by their means over a group when a backward pass ends.

    Args:
        wrapper: The DataParallel; its `grad_need_sync` says whether a pass is followed by an average.
        group: The Group.
        megabytes: Size of a message.
    """

    def __init__(self, wrapper, group, megabytes):
        self._wrapper, self._group, self._waiting = wrapper, group, False
        parameters = [
            p for p in wrapper._layers.parameters() if not p.stop_gradient and not getattr(p, "no_sync", False)
        ]
        self._buckets = _buckets(parameters, int(megabytes * (1 << 20)))
        for parameter in parameters:
            parameter._register_backward_hook(self._reached)

    def _reached(self, gradient=None):
        if self._wrapper.grad_need_sync and not self._waiting:
            _core.after_backward(self._end)
            self._waiting = True
        return gradient

    def _end(self):
        self._waiting = False
        self.average()

    def watch(self, value):
        """Follow a pass that starts at the tensors of a value, whether it reaches a parameter or not."""
        if isinstance(value, _core.Tensor):
            if not value.stop_gradient:
                value.register_hook(self._reached)
        elif isinstance(value, dict):
            self.watch(list(value.values()))
        elif isinstance(value, (list, tuple)):
            for entry in value:
                self.watch(entry)

    def average(self):
        """Average what the parameters have now; every member calls it equally often."""
        _average_over(self._group.process_group, self._buckets, self._group.nranks)
