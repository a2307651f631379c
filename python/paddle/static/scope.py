# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Scopes: the values of parameters and other state, by name. Programs that are run in one scope share what has the
same name; in another scope they have values of their own."""

import contextlib
import ctypes
import itertools
import math
import weakref

from .. import _core
from ..framework import modes


def _valid(lengths, rows):
    """Whether each level of sequences has as many sequences as the level above says, and the last as there are rows."""
    if not lengths:
        return True
    counts = [len(level) for level in lengths[1:]] + [rows]
    return all(n >= 0 for level in lengths for n in level) and all(
        sum(level) == count for level, count in zip(lengths, counts, strict=True)
    )


class DenseTensor:
    """The memory of a variable: an array to read, `set` to write.

    Rows may be sequences, one behind the other: `set_recursive_sequence_lengths` says how long each is.
    """

    def __init__(self, tensor=None):
        self._tensor, self._keep = tensor, None
        self._dims, self._own_lengths = [], []

    def __array__(self, dtype=None, copy=None):
        import numpy

        with modes.eager_region():
            return numpy.array(self._get().detach().numpy(), dtype=dtype)

    def _get(self):
        if self._tensor is None:
            raise ValueError("DenseTensor: it holds no values yet; give it some with set(array, place).")
        return self._tensor

    def set(self, value, place=None, zero_copy=False):
        """Copy an array in; its shape and dtype may be others than before where no program holds the memory."""
        with modes.eager_region():
            value = value if isinstance(value, _core.Tensor) else _core.to_tensor(value)
            known = self._tensor
            if known is not None and list(known.shape) == list(value.shape) and known.dtype == value.dtype:
                known.set_value(value)
                return
            lengths = self.recursive_sequence_lengths()
            self._tensor = _core.ops.assign(value)
            if self._keep is not None:
                self._keep(self._tensor)
            self.set_recursive_sequence_lengths(lengths)

    def shape(self):
        """The shape as a list."""
        return list(self._dims) if self._tensor is None else list(self._tensor.shape)

    _get_dims = shape

    def _set_dims(self, dims):
        """Give the elements another shape; where their number differs, the shape counts from the next `set` on."""
        self._dims = [int(n) for n in dims]
        if self._tensor is not None and math.prod(self._dims) == int(self._tensor.size):
            if list(self._tensor.shape) != self._dims:
                with modes.eager_region(), modes.no_grad():
                    self._tensor = self._tensor.reshape(self._dims)
                    if self._keep is not None:
                        self._keep(self._tensor)

    # -- sequences -------------------------------------------------------------------------------
    def set_recursive_sequence_lengths(self, recursive_sequence_lengths):
        """The lengths of the sequences, a list for each level."""
        lengths = [[int(n) for n in level] for level in recursive_sequence_lengths]
        if self._tensor is None:
            self._own_lengths = lengths
        elif lengths or "_sequence_lengths" in self._tensor.__dict__:
            self._tensor._sequence_lengths = lengths

    def recursive_sequence_lengths(self):
        """The lengths of the sequences, a list for each level."""
        held = self._own_lengths if self._tensor is None else self._tensor.__dict__.get("_sequence_lengths", [])
        return [list(level) for level in held]

    def set_lod(self, lod):
        """The boundaries of the sequences, a list from 0 on for each level."""
        self.set_recursive_sequence_lengths([[b - a for a, b in itertools.pairwise(level)] for level in lod])

    def lod(self):
        """The boundaries of the sequences, a list from 0 on for each level."""
        return [list(itertools.accumulate(level, initial=0)) for level in self.recursive_sequence_lengths()]

    def has_valid_recursive_sequence_lengths(self):
        """Whether the lengths fit each other and the number of rows."""
        shape = self.shape()
        return _valid(self.recursive_sequence_lengths(), shape[0] if shape else 0)

    # -- single elements -------------------------------------------------------------------------
    def _element(self, index, dtype):
        tensor = self._get()
        if tensor.dtype.name != dtype or not 0 <= index < int(tensor.size):
            raise ValueError(
                f"DenseTensor: element {index} of dtype {dtype} is asked for; the tensor has {int(tensor.size)} elements "
                f"of dtype {tensor.dtype.name}."
            )
        if not tensor.is_contiguous():
            raise ValueError(
                "DenseTensor: single elements are asked of a tensor that is not contiguous; call contiguous() first."
            )
        return tensor.data_ptr() + index * (
            8 if dtype in ("float64", "complex64") else 16 if dtype == "complex128" else 4
        )

    def _get_float_element(self, index):
        return ctypes.c_float.from_address(self._element(index, "float32")).value

    def _set_float_element(self, index, value):
        ctypes.c_float.from_address(self._element(index, "float32")).value = float(value)

    def _get_double_element(self, index):
        return ctypes.c_double.from_address(self._element(index, "float64")).value

    def _set_double_element(self, index, value):
        ctypes.c_double.from_address(self._element(index, "float64")).value = float(value)

    def _get_complex64_element(self, index):
        return complex(*(ctypes.c_float * 2).from_address(self._element(index, "complex64")))

    def _set_complex64_element(self, index, value):
        pair = (ctypes.c_float * 2).from_address(self._element(index, "complex64"))
        pair[0], pair[1] = complex(value).real, complex(value).imag

    def _get_complex128_element(self, index):
        return complex(*(ctypes.c_double * 2).from_address(self._element(index, "complex128")))

    def _set_complex128_element(self, index, value):
        pair = (ctypes.c_double * 2).from_address(self._element(index, "complex128"))
        pair[0], pair[1] = complex(value).real, complex(value).imag

    def _copy(self, place=None):
        """Another tensor of the same values."""
        with modes.eager_region(), modes.no_grad():
            made = DenseTensor(_core.ops.assign(self._get().detach()))
        made.set_recursive_sequence_lengths(self.recursive_sequence_lengths())
        return made

    def _share_data_with(self, other):
        """Hold the memory of another tensor."""
        self._tensor = other._get()
        if self._keep is not None:
            self._keep(self._tensor)
        return self

    def _clear(self):
        """Hold nothing."""
        self._tensor = None
        if self._keep is not None:
            self._keep(None)

    def _to_dlpack(self):
        """A DLPack capsule over the memory."""
        with modes.eager_region():
            return self._get().detach().__dlpack__()

    def __dlpack__(self, **options):
        return self._to_dlpack()

    def _alloc(self, dtype):
        with modes.eager_region():
            self._tensor = _core.ops.full(self._dims, 0, dtype)
            if self._keep is not None:
                self._keep(self._tensor)

    def _alloc_int(self, place=None):
        """Take memory for int32 values of the shape of `_set_dims`."""
        self._alloc(_core.int32)

    def _alloc_float(self, place=None):
        """Take memory for float32 values of the shape of `_set_dims`."""
        self._alloc(_core.float32)

    def _alloc_double(self, place=None):
        """Take memory for float64 values of the shape of `_set_dims`."""
        self._alloc(_core.float64)

    def _mutable_data(self, place, dtype):
        """The address of memory for values of a dtype."""
        if self._tensor is None or self._tensor.dtype != dtype:
            self._alloc(dtype)
        return self._ptr()

    def __getitem__(self, item):
        """Elements, copied; an index keeps its axis with an extent of 1."""
        items = item if isinstance(item, tuple) else (item,)
        kept = tuple(slice(i, i + 1 or None) if isinstance(i, int) else i for i in items)
        with modes.eager_region(), modes.no_grad():
            return DenseTensor(_core.ops.assign(self._get().detach()[kept]))

    def _layout(self):
        return "NCHW"

    def _ptr(self):
        return self._get().data_ptr()

    def _dtype(self):
        return self._get().dtype

    def _place(self):
        return self._get().place

    def _is_initialized(self):
        return self._tensor is not None

    def _numel(self):
        return 0 if self._tensor is None else int(self._tensor.size)

    def __str__(self):
        return str(self._tensor)


class DenseTensorArray(list):
    """A list of DenseTensors."""

    def append(self, value):
        """Put a DenseTensor or an array at the end."""
        if not isinstance(value, DenseTensor):
            made = DenseTensor()
            made.set(value)
            value = made
        super().append(value)


class SelectedRows:
    """Rows of a tall table: which they are, and their values.

    Args:
        rows: The numbers of the rows.
        height: Number of rows of the table.
    """

    def __init__(self, rows=(), height=0):
        self._rows, self._height, self._held = list(rows), int(height), DenseTensor()

    def rows(self):
        """The numbers of the rows."""
        return list(self._rows)

    def set_rows(self, rows):
        """Say which rows they are."""
        self._rows = [int(row) for row in rows]

    def height(self):
        """Number of rows of the table."""
        return self._height

    def set_height(self, height):
        """Say how many rows the table has."""
        self._height = int(height)

    def get_tensor(self):
        """The memory of the values, one row for each of `rows()`."""
        return self._held

    def numel(self):
        """Number of values."""
        return self._held._numel()

    def sync_index(self):
        """Nothing: rows are found by their numbers at once."""


class ScopeVariable:
    """A name of a scope: a tensor, or a Python number."""

    def __init__(self, scope, name):
        self._scope, self._name = scope, name

    def _number(self, kind):
        value = self._scope._numbers.get(self._name)
        if not isinstance(value, kind):
            raise TypeError(f"Variable {self._name}: it holds {value!r}, not a number of type {kind.__name__}.")
        return value

    def set_int(self, value):
        """Hold an int."""
        self._scope._numbers[self._name] = int(value)

    def set_float(self, value):
        """Hold a float."""
        self._scope._numbers[self._name] = float(value)

    def get_int(self):
        """The int that it holds."""
        return self._number(int)

    def get_float(self):
        """The float that it holds."""
        return self._number(float)

    def is_int(self):
        """Whether it holds an int."""
        return isinstance(self._scope._numbers.get(self._name), int)

    def is_float(self):
        """Whether it holds a float."""
        return isinstance(self._scope._numbers.get(self._name), float)

    def get_tensor(self):
        """The memory of the variable."""
        made = DenseTensor(self._scope._values[self._name])
        made._keep = lambda tensor: self._scope._put(self._name, tensor)
        return made

    def name(self):
        """Its name."""
        return self._name


def _alike(a, b):
    return a.dtype == b.dtype and list(a.shape) == list(b.shape)


class Scope:
    """Values by name; names that it does not have are looked up in the scope it was made from.

    Example:
        >>> import paddle
        >>> scope = paddle.static.Scope()
        >>> with paddle.static.scope_guard(scope):
        ...     paddle.static.global_scope() is scope
        True
    """

    def __init__(self, _parent=None):
        self._parent, self._kids = _parent, []
        self._values, self._numbers = {}, {}
        self._version = 0  # counts changes of which tensor stands under a name

    def new_scope(self):
        """A scope inside of this one."""
        self._kids.append(Scope(self))
        return self._kids[-1]

    def drop_kids(self):
        """Forget the scopes inside."""
        self._kids.clear()

    def local_var_names(self):
        """The names that this scope has itself."""
        return sorted(self._values)

    def size(self):
        """Number of names that this scope has itself."""
        return len(self._values)

    def erase(self, names):
        """Forget names."""
        for name in names:
            self._values.pop(name, None)
            self._numbers.pop(name, None)
        self._version += 1

    def find_var(self, name):
        """The variable of that name, or None."""
        scope = self
        while scope is not None:
            if name in scope._values:
                return ScopeVariable(scope, name)
            scope = scope._parent
        return None

    def var(self, name):
        """The variable of that name; a new one is empty."""
        if name not in self._values:
            self._values[name] = None
        return ScopeVariable(self, name)

    # -- for programs: which tensor holds the values of one of theirs --------------------------------
    def _put(self, name, tensor):
        if self._values.get(name) is not tensor:
            self._values[name] = tensor
            self._version += 1

    def _find(self, name):
        scope = self
        while scope is not None:
            if scope._values.get(name) is not None:
                return scope._values[name]
            scope = scope._parent
        return None

    def _own(self, tensor):
        """The tensor itself, or a copy where it holds the values of another scope."""
        reference = getattr(tensor, "_held_by", None)
        owner = reference() if reference is not None else None
        if owner is not None and owner is not self and owner._values.get(tensor.name) is tensor:
            known = self._values.get(tensor.name)
            if known is not None and _alike(known, tensor):
                return known
            with modes.eager_region(), modes.no_grad():
                copy = _core.ops.assign(tensor.detach())
            copy.name, copy.persistable = tensor.name, True
            return copy
        tensor._held_by = weakref.ref(self)
        return tensor

    def _start(self, tensor):
        """The holder that a startup program fills."""
        holder = self._own(tensor)
        self._put(tensor.name, holder)
        return holder

    def _holder(self, tensor):
        """The holder that a program reads and writes instead of `tensor`."""
        if not getattr(tensor, "_has_initial", False):
            return self._start(tensor)
        found = self._find(tensor.name)
        if found is None:
            raise RuntimeError(
                f"Executor.run: {tensor.name} has no value in this scope; run the startup program in it first."
            )
        return found if _alike(found, tensor) else self._start(tensor)


_scopes = [Scope()]


def global_scope():
    """The current scope: values of parameters and other state of programs, by name.

    Example:
        >>> paddle.static.global_scope().find_var("no such name") is None
        True
    """
    return _scopes[-1]


@contextlib.contextmanager
def scope_guard(scope):
    """Inside, `paddle.static.global_scope()` is another scope.

    Args:
        scope: A Scope.

    Example:
        >>> scope = paddle.static.Scope()
        >>> with paddle.static.scope_guard(scope):
        ...     paddle.static.global_scope() is scope
        True
    """
    _scopes.append(scope)
    try:
        yield
    finally:
        _scopes.pop()
