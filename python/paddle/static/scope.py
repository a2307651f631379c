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
    """Whether each level of sequences has as many parts as the level above says, and the last as there are rows."""
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


class ScopeVariable:
    """A name of a scope."""

    def __init__(self, scope, name):
        self._scope, self._name = scope, name

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

    Examples:
        >>> import paddle
        >>> scope = paddle.static.Scope()
        >>> with paddle.static.scope_guard(scope):
        ...     paddle.static.global_scope() is scope
        True
    """

    def __init__(self, _parent=None):
        self._parent, self._kids = _parent, []
        self._values = {}
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
    """The current scope."""
    return _scopes[-1]


@contextlib.contextmanager
def scope_guard(scope):
    """Inside, `global_scope()` is another scope."""
    _scopes.append(scope)
    try:
        yield
    finally:
        _scopes.pop()
