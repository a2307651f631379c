# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A group of the core (`paddle_core/comm/process_group.h`) with tasks, objects and tensors that the core cannot write to
directly; the same for processes and for ranks that are threads."""

import pickle

import numpy as np

from ... import _core
from ...framework import execution_context
from ...framework.execution_context import own_rank
from .tasks import Inbox, Task, Worker


def _readable(tensor):
    """The elements of a tensor in memory of the host."""
    tensor = tensor.detach()
    if tensor.is_dist():
        whole = _core.ops.full(list(tensor.shape), 0, tensor.dtype)
        whole.set_value(tensor.numpy())
        return whole
    tensor.data_ptr()  # Makes values that are not there yet, on the thread that knows how.
    return tensor if tensor.place.is_cpu_place() else tensor.cpu()


def _copied(tensor):
    copy = empty(tensor.shape, tensor.dtype)
    copy.set_value(tensor)
    return copy


def empty(shape, dtype):
    """A tensor of the host whose elements are still to be written."""
    return _core.ops.full(list(shape), 0, dtype)


def _is_written_directly(tensor):
    if tensor.is_dist() or not tensor._is_initialized():
        return False
    tensor.data_ptr()
    return tensor.place.is_cpu_place() and tensor.is_contiguous()


class _Outputs:
    """What the core writes for some tensors: themselves where it can, else tensors that are copied into them."""

    def __init__(self, targets):
        self._targets = targets
        self.tensors = [t.detach() if _is_written_directly(t) else empty(t.shape, t.dtype) for t in targets]

    def finish(self):
        """Write the targets."""
        for target, tensor in zip(self._targets, self.tensors, strict=True):
            if not _is_written_directly(target):
                target.set_value(tensor)


def _pickled(value):
    return _core.Tensor(np.frombuffer(pickle.dumps(value), "uint8"))


def _unpickled(tensor):
    return pickle.loads(tensor.numpy().tobytes())


def _sizes(numbers):
    return [_core.Tensor(np.array([n], "int64")) for n in numbers]


class CoreGroup:
    """Some ranks of a job, of which this is one. Members are given by their rank in the group.

    Collectives write their outputs before the returned Task is done. What they send is read when they are called.

    Args:
        number: Number of the group, the same in every member, and of no other group of the same ranks.
        ranks: Ranks of the members in the job.
        limit: Seconds that a member may take to come to a call before the group is given up; None: as long as the job
            waits, which is then given up.
    """

    def __init__(self, number, ranks, limit=None):
        self.ranks, self.size = list(ranks), len(ranks)
        self.rank = self.ranks.index(own_rank())
        self._core_arguments = {"number": number, "limit": 0.0 if limit is None else float(limit)}
        self._worker, self._inboxes = Worker(f"group of ranks {self.ranks}"), {}
        self._is_simulated = execution_context.bound() is not None

    def name(self):
        """Kind of transport."""
        return "GLOO"

    def finish(self):
        """Wait for what was started."""
        self._worker.finish()

    def _call(self, name, inputs, outputs, kind=0, root=0):
        if self.size > 1:
            _core.process_group_call(name, self.ranks, inputs, outputs, kind=kind, root=root, **self._core_arguments)
            return
        for given, output in zip(inputs, outputs, strict=True):  # Reductions of one part, and copies to oneself.
            if output is not given:
                output.set_value(given.reshape(output.shape))

    def _start(self, name, inputs, outputs, sync, kind=0, root=0, then=None):
        """Call a collective now, or behind those that run already in the thread of the group; its Task."""
        given, taken = [_readable(t) for t in inputs], _Outputs(outputs)
        if not sync:  # What is written as well is nobody's to change meanwhile.
            given = [
                one if any(t is o for o in outputs) else _copied(one) for one, t in zip(given, inputs, strict=True)
            ]

        def work():
            self._call(name, given, taken.tensors, kind, root)
            taken.finish()
            if then is not None:
                then()

        return self._worker.run(work, sync)

    # -- collectives ------------------------------------------------------------------------------
    def all_reduce(self, output, tensor, kind, sync=True, then=None):
        """Write the reduction of everybody's tensor, by a number of ReduceOp."""
        return self._start("all_reduce", [tensor], [output], sync, kind, then=then)

    def reduce(self, output, tensor, root, kind, sync=True, then=None):
        """Write the reduction on the root."""
        outputs = [output] if self.rank == root else []
        return self._start("reduce", [tensor], outputs, sync, kind, root, then)

    def reduce_scatter(self, output, inputs, kind, sync=True, then=None):
        """Write the reduction of everybody's inputs[rank of this member]."""
        return self._start("reduce_scatter", inputs, [output], sync, kind, then=then)

    def broadcast(self, tensor, root, sync=True):
        """Make the tensor of every member that of the root."""
        if self.size == 1:
            return Task()
        if self.rank != root:
            return self._start("broadcast", [], [tensor], sync, root=root)
        given = _readable(tensor)
        given = given if sync and given.is_contiguous() else _copied(given)
        return self._worker.run(lambda: self._call("broadcast", [], [given], root=root), sync)

    def all_gather(self, outputs, tensor, sync=True, then=None):
        """Write outputs[r] with the tensor of member r."""
        return self._start("all_gather", [tensor], outputs, sync, then=then)

    def gather(self, outputs, tensor, root, sync=True, then=None):
        """Write outputs[r], on the root, with the tensor of member r."""
        return self._start("gather", [tensor], outputs if self.rank == root else [], sync, root=root, then=then)

    def scatter(self, output, inputs, root, sync=True):
        """Write the tensor of member r with inputs[r] of the root."""
        return self._start("scatter", inputs if self.rank == root else [], [output], sync, root=root)

    def all_to_all(self, outputs, inputs, sync=True, then=None):
        """Write outputs[r] with what member r has as inputs[rank of this one]."""
        return self._start("all_to_all", inputs, outputs, sync, then=then)

    def barrier(self):
        """Return when every member has come here."""
        self._worker.run(lambda: self._call("barrier", [], []))

    # -- messages ---------------------------------------------------------------------------------
    def send(self, tensor, member):
        """Send a tensor to a member; it may be changed when this returns."""
        self._call("send", [_readable(tensor)], [], root=member)

    def expect(self, tensor, member):
        """A Task whose `wait` writes the next tensor that a member sends, of those that nobody expects yet."""
        taken = _Outputs([tensor])

        def take():
            self._call("recv", [], taken.tensors, root=member)
            taken.finish()

        return self._inbox(member).expect(take)

    def receive(self, member):
        """The next tensor that a member sends."""
        found = []
        self._inbox(member).expect(lambda: found.append(self._receive(member))).wait()
        return found[0]

    def _receive(self, member):
        return _core.process_group_receive(self.ranks, member, *self._core_arguments.values())

    def _inbox(self, member):
        return self._inboxes.setdefault(member, Inbox())

    # -- objects ----------------------------------------------------------------------------------
    def send_object(self, value, member):
        """Send an object to a member."""
        self.send(_pickled(value), member)

    def receive_object(self, member):
        """The next object that a member sends."""
        found = self.receive(member)
        if found.dtype.name != "uint8" or found.ndim != 1:
            raise RuntimeError(
                f"recv: rank {self.ranks[member]} sent {found.dtype.name} {list(found.shape)} where an object is expected."
            )
        return _unpickled(found)

    def all_gather_objects(self, value):
        """The objects of all members."""
        own = _pickled(value)
        sizes = _sizes([0] * self.size)
        self.all_gather(sizes, _sizes([own.size])[0])
        found = [empty([int(size)], "uint8") for size in sizes]
        self.all_gather(found, own)
        return [_unpickled(one) for one in found]

    def broadcast_object(self, value, root):
        """The object of the root."""
        own = _pickled(value if self.rank == root else None)
        (size,) = _sizes([own.size])
        self.broadcast(size, root)
        if self.rank != root:
            own = empty([int(size)], "uint8")
        self.broadcast(own, root)
        return _unpickled(own)

    def scatter_objects(self, values, root):
        """values[rank of this member] of the root."""
        parts = [_pickled(value) for value in values] if self.rank == root else []
        (size,) = _sizes([0])
        self.scatter(size, _sizes([part.size for part in parts]), root)
        own = empty([int(size)], "uint8")
        self.scatter(own, parts, root)
        return _unpickled(own)
