# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory of batches: Tensors in this process, or slabs that a worker shares with its parent.

A slab is an anonymous file in memory (memfd).  The worker makes it and sends its descriptor; both
map it.  It has no name, so nothing is left behind when a process is killed, and the size of
/dev/shm is no limit.  The Tensors of a batch lie over the slab; when the last of them dies, the
parent tells the worker, which writes a later batch into the same memory.  When the workers end, the
parent keeps the slabs for the next ones, which inherit them: pages that are there are quickly
mapped, while new ones take longer to get than to fill.
"""

import contextlib
import functools
import math
import mmap
import os
import weakref

from ... import _core
from .collate import is_numeric, map_leaves

# Batches below this many bytes travel in the message itself.
SMALLEST_SLAB = 1 << 15
_ALIGN = 64
# Slabs that wait for the next workers have no more bytes than this.
_MOST_KEPT = 256 << 20
_MADV_POPULATE_WRITE = 23
# The largest block that raises glibc's thresholds (DEFAULT_MMAP_THRESHOLD_MAX is 32 MiB).
_LARGEST_TEMPORARY = 31 << 20
_NOT_SHARED = ("uint16", "uint32", "uint64")  # copied, as DLPack has no such Tensors here


@functools.cache
def keep_temporaries():
    """Let the C library keep the memory of NumPy's temporaries between samples.

    It gives arrays above a threshold back to the system, and takes, and faults in, every page again
    for the next one: most of the time of a transform on images.  A large block that is freed once,
    untouched, raises its thresholds (mallopt(3), M_MMAP_THRESHOLD); workers inherit them.
    """
    import numpy

    numpy.empty(_LARGEST_TEMPORARY, numpy.uint8)


class TensorSlot:
    """Memory of a Tensor that is written through an array."""

    def __init__(self, shape, dtype):
        import ctypes

        import numpy

        from ...tensor.creation import empty

        self.tensor = empty(list(shape), dtype=dtype.name, device="cpu")
        size = dtype.itemsize * math.prod(shape)
        memory = (ctypes.c_char * size).from_address(self.tensor.data_ptr())
        self.array = numpy.frombuffer(memory, dtype=dtype).reshape(shape)

    def finish(self, count):
        self.array = None
        return self.tensor if count == self.tensor.shape[0] else self.tensor[:count]


class ArraySlot:
    """Memory of an array, here or in a slab."""

    def __init__(self, array):
        self.array = array

    def finish(self, count):
        return self.array[:count]


class TensorArena:
    """Gives memory of Tensors; of arrays for dtypes that no Tensor shares with NumPy."""

    def allocate(self, specs):
        import numpy

        return [
            ArraySlot(numpy.empty(shape, dtype)) if dtype.name in _NOT_SHARED else TensorSlot(shape, dtype)
            for shape, dtype in specs
        ]


class ArrayArena:
    """Gives plain arrays."""

    def allocate(self, specs):
        import numpy

        return [ArraySlot(numpy.empty(shape, dtype)) for shape, dtype in specs]


def _aligned(size):
    return -(-size // _ALIGN) * _ALIGN


class Leaf:
    """An array or Tensor of a message: its place in the slab, or the value itself."""

    __slots__ = ("dtype", "offset", "shape", "value")

    def __init__(self, value, offset=None, shape=None, dtype=None):
        self.value = value
        self.offset, self.shape, self.dtype = offset, shape, dtype

    def place(self, offset):
        """Refer to the slab instead of the value."""
        self.offset, self.shape, self.dtype = offset, self.value.shape, self.value.dtype.str
        self.value = None

    def __reduce__(self):
        return Leaf, (self.value, self.offset, self.shape, self.dtype)


def _leaf(value):
    """The leaf of an array or Tensor; other values as they are."""
    import numpy

    if isinstance(value, numpy.ndarray):
        return Leaf(value) if is_numeric(value) and value.dtype.isnative else value
    if not isinstance(value, _core.Tensor):
        return value
    if value.dtype.name.startswith(("bfloat16", "float8")):  # NumPy has no such dtype
        return value
    return Leaf(numpy.from_dlpack(value.detach()))


class SlabStore:
    """Slabs that no worker has, the one used last at the end; each belongs to the process that mapped it."""

    def __init__(self):
        self._slabs = []

    def take(self, count):
        """All slabs of this process, dealt to `count` workers."""
        slabs, self._slabs = self._slabs, []
        own = [memory for owner, memory in slabs if owner == os.getpid()]
        return [own[worker::count] for worker in range(count)]

    def put(self, owner, memories, used=True):
        """Keep slabs that `owner` has mapped, in place of those used earlier where there is no room."""
        if owner != os.getpid():
            return
        slabs = [(owner, memory) for memory in memories]
        slabs = self._slabs + slabs if used else slabs + self._slabs
        room = _MOST_KEPT
        for i in range(len(slabs) - 1, -1, -1):
            room -= len(slabs[i][1])
            if room < 0:
                slabs = slabs[i + 1 :]
                break
        self._slabs = slabs


STORE = SlabStore()


class _InheritedSlab:
    """The worker's side of a slab that its parent had."""

    fd = None

    def __init__(self, number, memory):
        import numpy

        self.number, self.size = number, len(memory)
        self._memory, self._mapped = memory, 0
        self.bytes = numpy.frombuffer(memory, dtype=numpy.uint8)
        self.address = self.bytes.ctypes.data

    def prepare(self, size):
        """Map the first `size` bytes in one call."""
        size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        if size > self._mapped:
            self._mapped = size
            with contextlib.suppress(OSError, ValueError):  # before Linux 5.14, page by page
                self._memory.madvise(_MADV_POPULATE_WRITE, 0, size)


class _Slab:
    """The worker's side of a slab that it makes."""

    def __init__(self, number, size):
        import numpy

        self.number = number
        self.size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        self.fd = os.memfd_create("paddle_dataloader", os.MFD_CLOEXEC)
        try:
            os.ftruncate(self.fd, self.size)
            memory = mmap.mmap(self.fd, self.size, mmap.MAP_SHARED | mmap.MAP_POPULATE)
        except OSError:
            self.close()
            raise
        self.bytes = numpy.frombuffer(memory, dtype=numpy.uint8)
        self.address = self.bytes.ctypes.data

    def prepare(self, size):
        """Nothing: all of it is mapped."""

    def close(self):
        """Close the descriptor; the mapping stays."""
        if self.fd is not None:
            os.close(self.fd)
        self.fd = None


class WorkerSlabs:
    """The slabs of one worker, some inherited; also the arena of the batch that is being made."""

    def __init__(self, inherited):
        self._free = [_InheritedSlab(number, memory) for number, memory in enumerate(inherited)]
        self._busy, self._made = {}, len(inherited)
        self.current = None

    def release(self, numbers):
        """Take back slabs that the parent no longer reads."""
        for number in numbers:
            self._free.append(self._busy.pop(number))

    def _take(self, size):
        fitting = [slab for slab in self._free if slab.size >= size]
        if fitting:
            slab = min(reversed(fitting), key=lambda s: s.size)  # the last one used is mapped and in the cache
            self._free.remove(slab)
        else:
            if self._free:  # too small for the batches that now come
                self._free.remove(min(self._free, key=lambda s: s.size))
            slab = _Slab(self._made, size)
            self._made += 1
        self._busy[slab.number] = slab
        slab.prepare(size)
        return slab

    def begin(self):
        """Start a batch; the slab of one that failed goes back."""
        if self.current is not None and self.current.number in self._busy:
            self._free.append(self._busy.pop(self.current.number))
        self.current = None

    def allocate(self, specs):
        import numpy

        sizes = [_aligned(dtype.itemsize * math.prod(shape)) for shape, dtype in specs]
        if self.current is not None or sum(sizes) < SMALLEST_SLAB:
            return ArrayArena().allocate(specs)
        self.current = self._take(sum(sizes))
        slots, offset = [], 0
        for (shape, dtype), size in zip(specs, sizes, strict=True):
            part = self.current.bytes[offset : offset + dtype.itemsize * math.prod(shape)]
            slots.append(ArraySlot(part.view(numpy.dtype(dtype)).reshape(shape)))
            offset += size
        return slots

    def export(self, tree):
        """A message: `tree` with leaves for arrays, large ones in the slab.

        Returns:
            (slab or None, tree)
        """
        leaves = []

        def collect(value):
            leaf = _leaf(value)
            if isinstance(leaf, Leaf):
                leaves.append(leaf)
            return leaf

        tree = map_leaves(tree, collect)
        written = [leaf for leaf in leaves if self._offset(leaf) is not None]
        if not written:
            self.begin()
            written = self._copy([leaf for leaf in leaves if leaf.value.nbytes >= 1024])
        for leaf in written:
            leaf.place(self._offset(leaf))
        return self.current, tree

    def _offset(self, leaf):
        """Where in the current slab the array lies, or None."""
        if self.current is None or not leaf.value.flags.c_contiguous:
            return None
        offset = leaf.value.ctypes.data - self.current.address
        return offset if 0 <= offset < self.current.size else None

    def _copy(self, leaves):
        """Copy arrays into a slab when they are large enough together."""
        slots = self.allocate([(leaf.value.shape, leaf.value.dtype) for leaf in leaves])
        if self.current is None:
            return []
        for leaf, slot in zip(leaves, slots, strict=True):
            slot.array[...] = leaf.value
            leaf.value = slot.array
        return leaves


class ParentSlabs:
    """The parent's side of the slabs of one worker, which inherits some of them."""

    def __init__(self, inherited):
        self._owner = os.getpid()
        self._memory = dict(enumerate(inherited))
        self._used, self._read = set(), set()  # since the worker started; by Tensors now
        self._released = []

    def receive(self, number, size, fd):
        """Map a new slab; closes `fd`."""
        try:
            self._memory[number] = mmap.mmap(fd, size, mmap.MAP_SHARED | mmap.MAP_POPULATE)
        finally:
            os.close(fd)

    def released(self):
        """Numbers of the slabs that are free since the last call."""
        numbers, self._released = self._released, []
        return numbers

    def discard(self, number):
        """Free a slab whose batch nobody wants."""
        self._released.append(number)

    def close(self):
        """Keep the slabs for other workers; this one has ended."""
        memory, self._memory = self._memory, {}
        free = {number: part for number, part in memory.items() if number not in self._read}
        STORE.put(self._owner, [part for number, part in free.items() if number not in self._used], used=False)
        STORE.put(self._owner, [part for number, part in free.items() if number in self._used])

    def tensors(self, number, tree):
        """`tree` with Tensors for leaves, over slab `number`."""
        import numpy

        root = None
        if number is not None:
            self._used.add(number)
            self._read.add(number)
            root = numpy.frombuffer(self._memory[number], dtype=numpy.uint8)
            released = self._released_hook(number, self._memory[number])
            weakref.finalize(root, released).atexit = False
        return map_leaves(tree, lambda value: _tensor(value, root) if isinstance(value, Leaf) else value)

    def _released_hook(self, number, memory):
        ref, owner = weakref.ref(self), self._owner

        def released():
            slabs = ref()
            if slabs is not None and number in slabs._memory:
                slabs._read.discard(number)
                slabs._released.append(number)
            else:  # the worker has ended
                STORE.put(owner, [memory])

        return released


def _tensor(leaf, root):
    import numpy

    if leaf.offset is None:
        return _core.to_tensor(leaf.value, place=_core.CPUPlace())
    dtype = numpy.dtype(leaf.dtype)
    size = dtype.itemsize * math.prod(leaf.shape)
    array = root[leaf.offset : leaf.offset + size].view(dtype).reshape(leaf.shape)
    shared = dtype.name not in _NOT_SHARED
    return _core.from_dlpack(array) if shared else _core.to_tensor(array, place=_core.CPUPlace())
