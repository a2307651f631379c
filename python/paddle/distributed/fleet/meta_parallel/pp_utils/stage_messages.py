# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values that travel between stages of a pipeline: tensors in tuples, lists and dicts, each with a key."""

from ..... import _core


def flatten(value, tensors):
    """The structure of a value, pickled without its tensors, which are appended to a list.

    Args:
        value: Tensors, tuples, lists, dicts, and what pickle knows.
        tensors: The list.
    """
    if isinstance(value, _core.Tensor):
        tensors.append(value)
        return _Hole(list(value.shape), value.dtype.name, value.stop_gradient)
    if isinstance(value, (list, tuple)):
        return type(value)([flatten(entry, tensors) for entry in value])
    if isinstance(value, dict):
        return {key: flatten(entry, tensors) for key, entry in value.items()}
    return value


class _Hole:
    """The place of a tensor in a structure."""

    def __init__(self, shape, dtype, stop_gradient):
        self.shape, self.dtype, self.stop_gradient = shape, dtype, stop_gradient


class StageMessages:
    """Messages of this stage with the others, in any order: each is asked for by its key.

    Args:
        group: The Group of the stages; its ranks are their numbers.
    """

    def __init__(self, group):
        self._group, self._early = group, {}

    def send(self, stage, key, value):
        """Send a value to a stage; returns at once."""
        processes, tensors = self._group.process_group, []
        structure = flatten(value, tensors)
        if stage == self._group.rank:
            self._early[stage, key] = _filled(structure, iter([t.detach() for t in tensors]))
            return
        processes.send_object((key, structure), stage)
        for tensor in tensors:
            processes.send(tensor, stage)

    def receive(self, stage, key):
        """The value that a stage sent with a key; its tensors are leaves."""
        while (stage, key) not in self._early:
            found, value = self._next(stage)
            self._early[stage, found] = value
        return self._early.pop((stage, key))

    def _next(self, stage):
        processes = self._group.process_group
        key, structure = processes.receive_object(stage)

        return key, _filled(structure, lambda hole: processes.receive(stage))


def _filled(structure, source):
    """A structure with a tensor in each hole: from a function of the hole, or the next of an iterator."""
    if isinstance(structure, _Hole):
        tensor = source(structure) if callable(source) else next(source)
        tensor.stop_gradient = structure.stop_gradient
        return tensor
    if isinstance(structure, (list, tuple)):
        return type(structure)([_filled(entry, source) for entry in structure])
    if isinstance(structure, dict):
        return {key: _filled(entry, source) for key, entry in structure.items()}
    return structure


def differentiable(value):
    """The tensors of a value that gradients go through."""
    tensors = []
    flatten(value, tensors)
    return [tensor for tensor in tensors if not tensor.stop_gradient]
