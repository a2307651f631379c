# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Collectives on NumPy arrays over the links of some processes.

Each member reduces the contributions of all members in the order of ranks, so all get the same bits. Every pair has a link, so
exchanges go straight from member to member: a reduction of n bytes over k members sends 2 n (k - 1) / k bytes from
each, which is the least possible, and a small one sends everything to everybody, which takes one step.
"""

import pickle
import queue
import threading

import numpy as np

_SMALL = 1 << 14  # Bytes up to which all_reduce sends everything to everybody.

_COMBINE = {
    "sum": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "prod": np.multiply,
}


def _bytes_of(array):
    return memoryview(array.reshape(-1).view(np.uint8))


class Task:
    """A communication; finished when it is made without `pending`.

    Args:
        pending: An Event that is set once it has run.
    """

    def __init__(self, pending=None):
        self._pending, self.error = pending, None

    def wait(self, timeout=None):
        """Return when the result is there; False after `timeout` seconds without it.

        Raises:
            RuntimeError: A member is gone, called something else, or took longer than the limit of the group.
        """
        if self._pending is not None and not self._pending.wait(timeout):
            return False
        if self.error is not None:
            raise self.error
        return True

    def is_completed(self):
        """Whether the result is there."""
        return self._pending is None or self._pending.is_set()

    def synchronize(self):
        """Wait for the result."""
        self.wait()


class _Worker:
    """A thread that runs functions in the order in which they come."""

    def __init__(self, name):
        self._calls = queue.SimpleQueue()
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def _run(self):
        while True:
            task, function, done = self._calls.get()
            try:
                function()
            except BaseException as error:
                task.error = error
            done.set()
            del function

    def start(self, function):
        """Queue a function; its Task."""
        done = threading.Event()
        task = Task(done)
        self._calls.put((task, function, done))
        return task


class ProcessGroup:
    """Some processes of a job, of which this is one. Ranks are those in the group.

    Args:
        mesh: The Mesh of the job; None in a group of this process alone.
        number: Number of the group, the same in every member.
        ranks: Ranks of the members in the job.
        limit: Seconds that a member may take to come to a call.
    """

    def __init__(self, mesh, number, ranks, limit=1800.0):
        self.ranks, self.size, self.limit = list(ranks), len(ranks), limit
        self.rank = 0 if mesh is None else self.ranks.index(mesh.rank)
        self._mesh, self._channel, self._worker, self._last = mesh, 2 * number, None, None

    def name(self):
        """Kind of transport."""
        return "GLOO"

    def run(self, function, sync=True):
        """Call a function now, or behind those that run already in the thread of the group; its Task."""
        if sync and (self._last is None or self._last.is_completed()):
            function()
            return Task()
        if self._worker is None:
            self._worker = _Worker(f"group of ranks {self.ranks}")
        self._last = task = self._worker.start(function)
        if sync:
            task.wait()
        return task

    def _others(self):
        return [(self.rank + step) % self.size for step in range(1, self.size)]

    def _send(self, member, label, array, direct=False):
        self._mesh[self.ranks[member]].send(self._channel + direct, label, _bytes_of(array))

    def _expect(self, member, array=None, direct=False):
        view = None if array is None else _bytes_of(array)
        return self._mesh[self.ranks[member]].expect(self._channel + direct, view), view

    def _finish(self, expected, label):
        receipt, view = expected
        data = receipt.wait(label, self.limit)
        if view is None:
            return data
        if data is not view:
            if len(data) != len(view):
                raise RuntimeError(f"{label.split(' ')[0]}: {len(data)} bytes arrived; {len(view)} are expected.")
            view[:] = data
        return None

    def _receive_all(self, arrays, label):
        """Expectations of one array from each other member; `_finish` them in any order."""
        return {member: self._expect(member, arrays[member]) for member in self._others()}

    def send(self, array, member):
        """Send an array to a member."""
        self._send(member, f"send {array.dtype.name}", array, True)

    def expect(self, array, member):
        """Expect an array from a member: a function that waits until it is filled."""
        expected = self._expect(member, array, True)
        return lambda: self._finish(expected, f"send {array.dtype.name}")

    def send_object(self, value, member):
        """Send an object to a member."""
        self._send(member, "send object", np.frombuffer(pickle.dumps(value), "uint8"), True)

    def receive_object(self, member):
        """The next object that a member sends."""
        return pickle.loads(self._finish(self._expect(member, direct=True), "send object"))

    def broadcast(self, array, root):
        """Fill the array of every member with that of the root, along a binomial tree."""
        label, place, step = f"broadcast {array.dtype.name}", (self.rank - root) % self.size, 1
        while step < self.size and not place & step:
            step <<= 1
        if place:
            self._finish(self._expect((place - step + root) % self.size, array), label)
        step >>= 1
        while step:
            if place + step < self.size:
                self._send((place + step + root) % self.size, label, array)
            step >>= 1

    def all_to_all(self, outputs, inputs, label="alltoall"):
        """Fill outputs[r] with what member r has as inputs[rank of this one]."""
        label = f"{label} {inputs[self.rank].dtype.name}"
        expected = self._receive_all(outputs, label)
        for member in self._others():
            self._send(member, label, inputs[member])
        if outputs[self.rank] is not inputs[self.rank]:
            outputs[self.rank][...] = inputs[self.rank]
        for one in expected.values():
            self._finish(one, label)

    def all_gather(self, outputs, array, label="all_gather"):
        """Fill outputs[r] with the array of member r."""
        self.all_to_all(outputs, [array] * self.size, label)

    def gather(self, outputs, array, root):
        """Fill outputs[r], on the root, with the array of member r."""
        label = f"gather {array.dtype.name}"
        if self.rank != root:
            self._send(root, label, array)
            return
        expected = self._receive_all(outputs, label)
        if outputs[root] is not array:
            outputs[root][...] = array
        for one in expected.values():
            self._finish(one, label)

    def scatter(self, array, inputs, root):
        """Fill the array of member r with inputs[r] of the root."""
        label = f"scatter {array.dtype.name}"
        if self.rank != root:
            self._finish(self._expect(root, array), label)
            return
        for member in self._others():
            self._send(member, label, inputs[member])
        array[...] = inputs[root]

    def _combine(self, out, parts, kind):
        """Write the contributions of all members, reduced in the order of ranks, into an array that is none of them."""
        with np.errstate(all="ignore"):
            _COMBINE[kind](parts[0], parts[1], out=out) if self.size > 1 else np.copyto(out, parts[0])
            for part in parts[2:]:
                _COMBINE[kind](out, part, out=out)

    def _parts(self, own):
        """Room for an array of each member, of which that of this one is there."""
        return [own if member == self.rank else np.empty_like(own) for member in range(self.size)]

    def reduce(self, array, root, kind):
        """Replace the array of the root by the combination of all."""
        own = array.copy() if self.rank == root else array
        parts = self._parts(own) if self.rank == root else None
        self.gather(parts, own, root)
        if self.rank == root:
            self._combine(array, parts, kind)

    def reduce_scatter(self, array, inputs, kind):
        """Fill the array of member r, which is none of the inputs, with the combination of all inputs[r]."""
        parts = self._parts(inputs[self.rank])
        self.all_to_all(parts, inputs, f"reduce_scatter {kind}")
        self._combine(array, parts, kind)

    def all_reduce(self, array, kind):
        """Replace the array of every member by the combination of all."""
        flat = array.reshape(-1)
        if flat.nbytes <= _SMALL:
            parts = self._parts(flat.copy())
            self.all_gather(parts, parts[self.rank], f"all_reduce {kind}")
            self._combine(flat, parts, kind)
            return
        pieces = np.array_split(flat, self.size)
        own = np.empty_like(pieces[self.rank])
        self.reduce_scatter(own, pieces, kind)
        self.all_gather(pieces, own, f"all_reduce {kind}")

    def barrier(self):
        """Return when every member has come here."""
        nothing = np.zeros(0, "uint8")
        self.all_gather([nothing] * self.size, nothing, "barrier")

    def exchange_objects(self, objects, senders, receivers, label):
        """What the senders have as objects[r] for member r; members are given by rank, and every one knows them.

        Returns:
            {sender: object}, with what this member sends itself.
        """
        expected = {m: self._expect(m) for m in senders if m != self.rank and self.rank in receivers}
        if self.rank in senders:
            for member in receivers:
                if member != self.rank:
                    self._send(member, label, np.frombuffer(pickle.dumps(objects[member]), "uint8"))
        found = {member: pickle.loads(self._finish(one, label)) for member, one in expected.items()}
        if self.rank in senders and self.rank in receivers:
            found[self.rank] = pickle.loads(pickle.dumps(objects[self.rank]))
        return found
