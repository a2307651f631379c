# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Methods of Tensor about devices, memory and sparse forms."""

import math

from .. import _core
from .._bind import set_method
from ..framework.devices import pinned_copy


def _device(self):
    """Device of the memory, as a text with `type` and `index`."""
    from ..device.kind import Device

    return Device(_core.place_text(self.place))


def _to(self, device=None, dtype=None, blocking=None):
    """As `to`, without keyword forms."""
    if blocking not in (True, False, None) or isinstance(blocking, int) and not isinstance(blocking, bool):
        raise AssertionError(f"_to: blocking has value {blocking!r}; it must be True, False or None.")
    moved = self if device is None else self.to(device)
    return moved if dtype is None else moved.astype(dtype)


def _copy_to(self, place, blocking):
    """A copy on a place."""
    moved = self.to(place)
    copy = moved.clone().detach() if moved is self or moved._is_shared_buffer_with(self) else moved
    copy.persistable = self.persistable
    return copy


def _numel(self):
    """Number of elements, as an int."""
    return self.size


def _slice(self, begin_idx, end_idx):
    """Rows from `begin_idx` up to `end_idx`, on the same memory."""
    rows = self.shape[0] if self.ndim else 0
    if not 0 <= begin_idx < end_idx <= rows:
        raise ValueError(f"_slice: rows {begin_idx} to {end_idx} are not in a tensor of shape {list(self.shape)}.")
    return self.detach()[begin_idx:end_idx]


def _offset(self):
    """Bytes from the start of the storage to the first element."""
    return self.offset


def _clear(self):
    """Give the memory back; shape and dtype stay, `set_value` and `copy_` take new memory."""
    self.data = _core.pir.Recording().placeholder(list(self.shape), self.dtype)
    self._is_cleared = True


def reconstruct_from_(self, other):
    """Become another tensor: its memory, shape, dtype, and whether a gradient flows into it; the name stays."""
    self.data, self.stop_gradient, self.persistable = other.detach(), other.stop_gradient, other.persistable


def _share_buffer_to(self, dst):
    """Let another tensor use this memory; it keeps its shape where the memory is large enough for it."""
    shape = list(dst.shape) if isinstance(dst, _core.Tensor) else []
    share(self, dst)
    elements = math.prod(shape)
    if 0 < elements <= self.size and shape != list(self.shape) and self.is_contiguous():
        dst.data = self.detach().flatten()[:elements].reshape(shape)


share = _core.Tensor._share_buffer_to


def _clear_to_zero_allocation(self):
    """Give the memory back."""
    _clear(self)


def _block(self):
    """The block that initializers are given: that of the default main program."""
    from ..static import default_main_program

    return default_main_program().global_block()


def pin_memory(self, blocking=True):
    """The values in page-locked memory of the host, for the device of the tensor or else the current one; the tensor
    itself where it is there.

    Args:
        blocking: Whether to wait for a copy from a device; it is waited for in either case.

    Raises:
        RuntimeError: The device has no page-locked memory.
    """
    if _core.is_pinned(self):
        return self
    place = _core.default_place() if self.place.is_cpu_place() else self.place
    copy = pinned_copy(self, place)
    copy.stop_gradient = self.stop_gradient
    return copy


def _sparse_only(name, error=ValueError):
    def method(self):
        raise error(f"{name}: the tensor is dense; only sparse tensors have it.")

    method.__name__ = name
    method.__doc__ = f"`{name}` of a sparse tensor; dense tensors have none."
    return method


def _to_sparse_coo(self, sparse_dim):
    """The nonzero elements in coordinate form, where axes from `sparse_dim` on stay dense."""
    from ..sparse.creation import dense_to_coo

    return dense_to_coo(self, sparse_dim)


def _to_sparse_csr(self):
    """The nonzero elements of a matrix, or a batch of them, in compressed row form."""
    from ..sparse.creation import dense_to_csr

    return dense_to_csr(self)


def _md5sum(self):
    """The MD5 sum of the values' bytes, in hexadecimal."""
    import hashlib

    return hashlib.md5(self.numpy().tobytes()).hexdigest()


def _use_gpudnn(self, use_gpudnn=True):
    """The same values; which library computes with them is not a property of a tensor here."""
    return self.detach()


def _grad_value(self):
    """The memory of the gradient, as `value().get_tensor()` of it, or None."""
    return None if self.grad is None else self.grad.value().get_tensor()


def _grad_name(self):
    """The name of the gradient, "" without one."""
    return "" if self.grad is None else self.grad.name


def _set_grad_ivar(self, grad):
    """Let a tensor be the gradient."""
    self.grad = grad


def _zero_grads(self):
    """Let the gradient be zeros."""
    self.clear_gradient(True)


def _is_dense_tensor_hold_allocation(self):
    """Whether there is memory for elements."""
    return self._is_initialized() and self.size > 0


def _copy_gradient_from(self, src):
    """Let the gradient have the values of a tensor."""
    self.grad = src.detach().clone()


def _to_static_var(self, to_parameter=False, **attributes):
    """A variable of the default main program with the name, the shape and the dtype of this tensor.

    Args:
        to_parameter: Whether it is a parameter, with what this tensor says of its optimisation.
        attributes: Further ones for `Block.create_var` or `Block.create_parameter`.
    """
    from ..static import default_main_program

    known = {"name": self.name, "shape": list(self.shape), "dtype": self.dtype}
    block = default_main_program().global_block()
    if not (to_parameter or self.is_parameter):
        known.update(persistable=self.persistable, stop_gradient=self.stop_gradient)
        return block.create_var(**(known | attributes))
    made = block.create_parameter(**(known | attributes))
    for name in ("trainable", "optimize_attr", "regularizer", "do_model_average", "need_clip", "is_distributed"):
        if hasattr(self, name):
            setattr(made, name, getattr(self, name))
    return made


def _of_no_dense_tensor(name, holder):
    def method(self, *args):
        raise SystemError(f"{name}: the tensor is dense; only {holder} have it, and paddle makes none.")

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"A part of {holder}; a dense tensor raises SystemError."
    return method


def get_selected_rows(self):
    """The selected rows that the tensor is; None: it is dense."""


def install():
    """Attach the methods to Tensor."""
    methods = {
        "_to": _to,
        "_copy_to": _copy_to,
        "_numel": _numel,
        "_slice": _slice,
        "_offset": _offset,
        "_clear": _clear,
        "_clear_data": _clear,
        "_md5sum": _md5sum,
        "_use_gpudnn": _use_gpudnn,
        "_grad_value": _grad_value,
        "_grad_name": _grad_name,
        "_copy_gradient_from": _copy_gradient_from,
        "_set_grad_ivar": _set_grad_ivar,
        "_zero_grads": _zero_grads,
        "_is_dense_tensor_hold_allocation": _is_dense_tensor_hold_allocation,
        "_getitem_dygraph": _core.Tensor.__getitem__,
        "_setitem_dygraph": _core.Tensor.__setitem__,
        "_clear_dataptr": _clear,
        "_to_static_var": _to_static_var,
        "reconstruct_from_": reconstruct_from_,
        "_share_buffer_to": _share_buffer_to,
        "_share_underline_tensor_to": share,
        "_is_shared_underline_tensor_with": _core.Tensor._is_shared_buffer_with,
        "_clear_to_zero_allocation": _clear_to_zero_allocation,
        "pin_memory": pin_memory,
        "get_selected_rows": get_selected_rows,
        "rows": _of_no_dense_tensor("rows", "selected rows"),
        "get_map_tensor": _of_no_dense_tensor("get_map_tensor", "vocabularies"),
        "set_vocab": _of_no_dense_tensor("set_vocab", "vocabularies"),
        "set_string_list": _of_no_dense_tensor("set_string_list", "tensors of strings"),
        "values": _sparse_only("values"),
        "indices": _sparse_only("indices"),
        "crows": _sparse_only("crows"),
        "cols": _sparse_only("cols"),
        "nnz": _sparse_only("nnz"),
        "is_coalesced": _sparse_only("is_coalesced", TypeError),
        "to_dense": _sparse_only("to_dense", NotImplementedError),
        "to_sparse_coo": _to_sparse_coo,
        "to_sparse_csr": _to_sparse_csr,
    }
    for name, fn in methods.items():
        set_method(name, fn)
    _core.Tensor.device = property(_device)
    _core.Tensor.block = property(_block)
    _core.Tensor._place_str = property(lambda self: str(self.place))
    _core.Tensor.grad_ = property(lambda self: self.grad, lambda self, value: setattr(self, "grad", value))
