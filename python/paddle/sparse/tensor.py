# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The sparse tensor: index tensors and a tensor of values.

The values are an ordinary Tensor, so gradients flow through them; the pattern has none.  The class
says it is a `paddle.Tensor` to isinstance, but operators on dense tensors refuse it with a TypeError
rather than read it as a dense one.
"""

import math

from .. import _core, tensor
from ..utils import unique_name
from . import _layout


class SparseTensor:
    """A sparse tensor; made by `sparse_coo_tensor`, `sparse_csr_tensor` and `Tensor.to_sparse_coo`.

    Args:
        index: (indices of shape [sparse_dim, nnz],) for COO, or (crows, cols) for CSR.
        values: Tensor of shape [nnz, dense axes...].
        shape: Shape of the dense tensor.
        coalesced: The indices are known to be sorted and distinct.
    """

    def __init__(self, index, values, shape, coalesced=False):
        self._index, self._values, self._shape = tuple(index), values, [int(n) for n in shape]
        self._coalesced = coalesced
        self._is_number = False  # a sum of everything, whose value and index are shown as numbers
        self._rows = None  # row of each value of a CSR matrix, behind the version of crows that it is of
        self.name = unique_name.generate("sparse_tensor")
        self.persistable = False

    # isinstance(x, paddle.Tensor) asks for __class__ when the type itself is no subclass.
    __class__ = property(lambda self: _core.Tensor)
    __hash__ = object.__hash__  # by identity, as that of a dense tensor

    shape = property(lambda self: _core.Size(self._shape), doc="Lengths of the axes.")
    dtype = property(lambda self: self._values.dtype, doc="Element type of the values.")
    place = property(lambda self: self._values.place, doc="Where the values are.")
    ndim = property(lambda self: len(self._shape), doc="Number of axes.")
    size = property(lambda self: math.prod(self._shape), doc="Elements, zeros included.")
    is_leaf = property(lambda self: self._values.is_leaf, doc="Whether no operator made the values.")

    @property
    def stop_gradient(self):
        """Whether gradients stop at the values."""
        return self._values.stop_gradient

    @stop_gradient.setter
    def stop_gradient(self, value):
        if value != self._values.stop_gradient:
            self._values = self._values.detach()
            self._values.stop_gradient = value

    @property
    def grad(self):
        """Gradient as a sparse tensor of the same pattern, or None."""
        grad = self._values.grad
        return None if grad is None else self._with_values(grad)

    def backward(self, grad_tensor=None, retain_graph=False):
        """Accumulates gradients into the leaves.

        Args:
            grad_tensor: Gradient of this tensor, sparse; ones at its values by default.
            retain_graph: Keep the graph for another call.
        """
        if grad_tensor is not None:
            grad_tensor = _layout.at_pattern(grad_tensor, self)
        self._values.backward(grad_tensor, retain_graph)

    def clear_grad(self, set_to_zero=True):
        """Clears the gradient."""
        self._values.clear_grad(set_to_zero)

    clear_gradient = clear_grad

    def retain_grads(self):
        """Keeps the gradient of a tensor that is no leaf."""
        self._values.retain_grads()

    def is_sparse(self):
        """Whether it is a sparse tensor."""
        return True

    def is_sparse_coo(self):
        """Whether it is in coordinate form."""
        return len(self._index) == 1

    def is_sparse_csr(self):
        """Whether it is in compressed row form."""
        return len(self._index) == 2

    def is_dense(self):
        """Whether it is a dense tensor."""
        return False

    is_dist = is_selected_rows = is_dense

    def is_coalesced(self):
        """Whether the indices are known to be sorted and distinct."""
        self._need("is_coalesced", "COO")
        return self._coalesced

    def nnz(self):
        """Number of stored elements (of a hybrid tensor: stored slices)."""
        return self._values.shape[0]

    def values(self):
        """The stored values, of shape [nnz, dense axes...]; [] of a sum of everything."""
        return self._values.reshape([]) if self._is_number else self._values

    def indices(self):
        """Index of each stored value, of shape [sparse_dim, nnz], or [1] of a sum of everything; of the coordinate form."""
        self._need("indices", "COO")
        return self._index[0].reshape([1]) if self._is_number else self._index[0]

    def crows(self):
        """Where each row begins in cols() and values(); of the compressed row form."""
        self._need("crows", "CSR")
        return self._index[0]

    def cols(self):
        """Column of each stored value; of the compressed row form."""
        self._need("cols", "CSR")
        return self._index[1]

    def to_dense(self):
        """The dense tensor; values of equal index are added."""
        return _layout.to_dense(self)

    def to_sparse_coo(self, sparse_dim=None):
        """The tensor in coordinate form.

        Args:
            sparse_dim: Number of sparse axes; a tensor that is sparse already keeps its own.
        """
        return self if self.is_sparse_coo() else _layout.csr_to_coo(self)

    def to_sparse_csr(self):
        """The tensor in compressed row form."""
        return self if self.is_sparse_csr() else _layout.coo_to_csr(self)

    def sparse_dim(self):
        """The number of sparse axes."""
        return self._index[0].shape[0] if self.is_sparse_coo() else self.ndim

    def dense_dim(self):
        """The number of dense axes, which come last."""
        return self.ndim - self.sparse_dim()

    def coalesce(self, name=None):
        """The tensor with sorted and distinct indices; values of equal index are added."""
        return _layout.coalesce(self)

    def detach(self):
        """The same memory without history."""
        return self._with_values(self._values.detach())

    def clone(self):
        """A copy through which gradients flow."""
        return self._with_values(self._values.clone())

    def astype(self, dtype):
        """The tensor with values of another element type."""
        return self._with_values(self._values.astype(dtype))

    cast = astype

    def cpu(self):
        """The tensor in host memory."""
        return self._with_values(self._values.cpu())

    def numel(self):
        """Elements, zeros included, as a 0-D Tensor."""
        return tensor.to_tensor(self.size)

    def dim(self):
        """Number of axes."""
        return self.ndim

    def element_size(self):
        """Bytes of one value."""
        return self._values.element_size()

    def is_same_shape(self, y):
        """Whether `y`, sparse or dense, has the same shape."""
        return list(self.shape) == list(y.shape)

    def _with_values(self, values):
        """The same pattern with other values."""
        shape = self._shape[: _layout.sparse_dim(self)] + list(values.shape[1:])
        return SparseTensor(self._index, values, shape, self._coalesced)

    def _need(self, method, form):
        if form != ("COO" if self.is_sparse_coo() else "CSR"):
            other = "to_sparse_coo()" if form == "COO" else "to_sparse_csr()"
            raise ValueError(f"{method}: the tensor is not in {form} form; convert it with {other} first.")

    def __len__(self):
        if not self._shape:
            raise TypeError("len(): the tensor is 0-D.")
        return self._shape[0]

    def __bool__(self):
        raise TypeError("bool(): the truth of a sparse tensor is not defined; convert it with to_dense().")

    def __eq__(self, other):
        if isinstance(other, _core.Tensor):
            raise TypeError("==: sparse tensors are not compared; convert them with to_dense().")
        return NotImplemented

    def __reduce_ex__(self, protocol):
        return _rebuild, (self._index, self._values, self._shape, self._coalesced)

    def __repr__(self):
        from ..tensor.to_string import array_text

        if _layout.is_later(self) or _core.pir.is_symbolic(self._values):
            form = "COO" if self.is_sparse_coo() else "CSR"
            return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, {form}, of a program that is recorded)"
        names = ("indices", "values") if self.is_sparse_coo() else ("crows", "cols", "values")
        index = (self.indices(),) if self.is_sparse_coo() else self._index
        parts = zip(names, (*index, self.values()), strict=True)
        body = ", \n".join(f"       {name}={array_text(part, len(name) + 8)}" for name, part in parts)
        head = f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, place={self.place}, stop_gradient={self.stop_gradient}"
        return f"{head}, \n{body})"

    def __getattr__(self, name):
        raise AttributeError(
            f"a sparse tensor has no attribute {name!r}; see paddle.sparse for what there is, or use to_dense()."
        )


def _rebuild(*state):
    return SparseTensor(*state)


def is_sparse(x):
    """Whether x is a sparse tensor."""
    return type(x) is SparseTensor


def _operator(function, reflected=False):
    def method(self, other):
        from . import binary, product

        call = getattr(product if function == "matmul" else binary, function)
        return call(other, self) if reflected else call(self, other)

    return method


for _name, _function in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide")):
    setattr(SparseTensor, f"__{_name}__", _operator(_function))
SparseTensor.__rmul__ = _operator("multiply")
SparseTensor.__matmul__ = _operator("matmul")
SparseTensor.__neg__ = lambda self: self._with_values(-self._values)
