# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`InputSpec`: shape, dtype and name of an input; None or -1 marks a dynamic extent."""

from .. import _core


class InputSpec:
    """Describes an input of a captured function.

    Args:
        shape: Extents; None and -1 are dynamic.
        dtype: Data type.
        name: Name in saved programs.
        stop_gradient: Whether no gradient is wanted.
    """

    def __init__(self, shape, dtype="float32", name=None, stop_gradient=False):
        if isinstance(shape, int):
            shape = [shape]
        self.shape = tuple(-1 if s is None else int(s) for s in shape)
        self.dtype = getattr(_core, str(dtype).replace("paddle.", ""), dtype)
        self.name = name
        self.stop_gradient = stop_gradient

    @classmethod
    def from_tensor(cls, tensor, name=None):
        return cls(tensor.shape, tensor.dtype, name or tensor.name)

    @classmethod
    def from_numpy(cls, ndarray, name=None):
        return cls(ndarray.shape, str(ndarray.dtype), name)

    def batch(self, batch_size):
        self.shape = (int(batch_size), *self.shape)
        return self

    def unbatch(self):
        if not self.shape:
            raise ValueError("InputSpec.unbatch: the shape is empty; there is no batch axis.")
        self.shape = self.shape[1:]
        return self

    def _key(self):
        return ("spec", self.shape, str(self.dtype), self.stop_gradient)

    def __eq__(self, other):
        return isinstance(other, InputSpec) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return (
            f"InputSpec(shape={self.shape}, dtype={self.dtype}, name={self.name}, stop_gradient={self.stop_gradient})"
        )
