# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Columns of lists with run-time length: any number of tensors of one rank and dtype, stored in one tensor (equal
shapes) or in two (different shapes). Columns are immutable: an operation that changes one gives another."""

from .... import _core
from ..context import active


def common_extents(columns, values=()):
    """The extents that the elements of columns and further tensors have in common, as numbers; None for others.

    Raises:
        TypeError: Their ranks differ.
    """
    shapes = [c.element_type.shape for c in columns] + [list(v.shape) for v in values]
    if len({len(shape) for shape in shapes}) > 1:
        raise TypeError(
            f"to_static: a list in a loop on a tensor has tensors of {len(shapes[0])} axes and gets one of "
            f"{len(shapes[-1])}; keep the rank of its elements."
        )
    return [a[0] if isinstance(a[0], int) and len(set(map(str, a))) == 1 else None for a in zip(*shapes, strict=True)]


def _aliasing(made, tensors):
    """Records that a tensor holds the elements of others, and gives it back: a write to one of these may be a write to
    a part of it, as Python's list holds the very tensors."""
    capture = getattr(active, "capture", None)
    if isinstance(capture, _core.pir.Capture):
        memories = [capture.memories(t)[0] for t in tensors]
        written = [t for t, m in zip(tensors, memories, strict=True) if not m.is_leaf or m.stop_gradient]
        capture.may_be(made, written)
    return made


def as_index(index):
    """An index as a number or a 0-d int64 tensor."""
    return index.reshape([]).astype("int64") if isinstance(index, _core.Tensor) else index


class ElementType:
    """Shape and dtype of the elements of a column; extents that differ between them are None."""

    def __init__(self, shape, dtype, is_ragged=False):
        self.shape, self.dtype, self.ndim, self.is_ragged = list(shape), dtype, len(shape), is_ragged


class DenseColumn:
    """Elements of one shape, stacked along axis 0 of one tensor.

    Args:
        tensor: The stacked elements.
    """

    def __init__(self, tensor):
        self.tensors = (tensor,)
        self.kind = "rows"

    @classmethod
    def of(cls, values, like):
        """The column of some elements; `like` has their shape and dtype, for when there are none."""
        import paddle

        if not values:
            return cls(paddle.zeros([0, *like.shape], like.dtype))
        return cls(_aliasing(paddle.stack(values), values))

    @classmethod
    def from_tensors(cls, tensors):
        return cls(*tensors)

    @property
    def tensor(self):
        return self.tensors[0]

    def cast(self, value):
        """A value as a tensor of the column's dtype."""
        if isinstance(value, _core.Tensor):
            return value.astype(self.tensor.dtype)
        import paddle

        return paddle.full(self.tensor.shape[1:], value, self.tensor.dtype)

    def length(self):
        import paddle

        return paddle.shape(self.tensor)[0].astype("int64")

    @property
    def element_type(self):
        return ElementType(self.tensor.shape[1:], self.tensor.dtype)

    def get(self, index):
        return self.tensor[as_index(index)]

    def _position(self, index):
        import paddle

        at = index.reshape([1]).astype("int64") if isinstance(index, _core.Tensor) else paddle.full([1], index, "int64")
        return paddle.where(at < 0, at + self.length(), at)

    def fits(self, values):
        """Whether some elements have the shape of the column's."""
        wanted = [str(e) for e in self.tensor.shape[1:]]
        return all([str(e) for e in v.shape] == wanted for v in values if isinstance(v, _core.Tensor))

    def to_ragged(self, extents):
        """The same elements as a RaggedColumn."""
        import paddle

        rank = self.tensor.ndim - 1
        shape = paddle.shape(self.tensor).astype("int64")
        shapes = paddle.zeros([self.tensor.shape[0], rank], "int64") + shape[1:].reshape([1, rank])
        return RaggedColumn(self.tensor.reshape([-1]), shapes, extents)

    def select(self, slice_):
        return DenseColumn(self.tensor[slice_])

    def with_element(self, index, value):
        import paddle

        new = self.cast(value)
        made = paddle.scatter(self.tensor, self._position(index), new.unsqueeze(0))
        return DenseColumn(_aliasing(made, [self.tensor, new]))

    def spliced(self, begin, end, values):
        """The column with other elements in the place of those from `begin` to `end`; None: to the end."""
        import paddle

        new = [DenseColumn(self.cast(v).unsqueeze(0)) for v in values] if isinstance(values, list) else [values]
        parts = [] if isinstance(begin, int) and begin == 0 else [self.tensor[:begin]]
        parts += [c.tensor for c in new]
        parts += [] if end is None else [self.tensor[end:]]
        return DenseColumn(_aliasing(paddle.concat(parts), parts) if len(parts) > 1 else parts[0])

    def reversed(self):
        return DenseColumn(self.tensor.flip([0]))

    def stacked(self, axis=0):
        rank = self.tensor.ndim
        axis = int(axis) % rank
        order = [*range(1, axis + 1), 0, *range(axis + 1, rank)]
        own = _core.ops.assign(self.tensor)
        return own if axis == 0 else own.transpose(order)

    def concatenated(self, axis=0):
        rank = self.tensor.ndim - 1
        if rank == 0:
            return _core.ops.assign(self.tensor)
        axis = int(axis) % rank
        return self.stacked(axis).flatten(axis, axis + 1)

    def to_list(self):
        """The elements, where their number is known."""
        return list(self.tensor.unbind(0)) if self.tensor.shape[0] else []


class RaggedColumn:
    """Elements of one rank and dtype whose shapes differ: all their data, concatenated, and the shapes.

    Args:
        data: The data, one axis.
        shapes: One shape a row, int64.
        extents: Those extents that all elements have in common, as numbers; None for others.
    """

    def __init__(self, data, shapes, extents):
        self.tensors = (data, shapes)
        self.extents = tuple(extents)
        self.kind = ("ragged", self.extents)

    @classmethod
    def of(cls, values, like):
        """The column of some elements; `like` has their rank and dtype."""
        import paddle

        extents = [e if isinstance(e, int) and all(v.shape[k] == e for v in values) else None
                   for k, e in enumerate(like.shape)]  # fmt: skip
        none = cls(paddle.zeros([0], like.dtype), paddle.zeros([0, like.ndim], "int64"), extents)
        return none.spliced(0, None, values) if values else none

    def from_tensors(self, tensors):
        return RaggedColumn(*tensors, self.extents)

    @property
    def data(self):
        return self.tensors[0]

    @property
    def shapes(self):
        return self.tensors[1]

    def fits(self, values):
        return all(
            own in (None, given) for v in values for own, given in zip(self.extents, self.cast(v).shape, strict=True)
        )

    def to_ragged(self, extents):
        return RaggedColumn(*self.tensors, extents)

    def _with(self, data, shapes):
        return RaggedColumn(data, shapes, self.extents)

    def cast(self, value):
        """A value as a tensor of the column's dtype."""
        if isinstance(value, _core.Tensor) and value.ndim == len(self.extents):
            return value.astype(self.data.dtype)
        raise TypeError(
            f"to_static: a list in a loop on a tensor has tensors of {len(self.extents)} axes and gets "
            f"{value!r}; keep the rank of its elements."
        )

    def length(self):
        import paddle

        return paddle.shape(self.shapes)[0].astype("int64")

    @property
    def element_type(self):
        return ElementType(self.extents, self.data.dtype, True)

    def _bounds(self, index):
        """(index of an element, begin and end of its data); the index may be one past the last."""
        import paddle

        index = as_index(index)
        at = index if isinstance(index, _core.Tensor) else paddle.full([], index, "int64")
        at = paddle.where(at < 0, at + self.length(), at)
        sizes = self.shapes.prod(1)
        starts = paddle.concat([paddle.zeros([1], "int64"), paddle.cumsum(sizes)])
        last = paddle.minimum(at + 1, self.length())
        return at, starts[at], starts[last]

    def get(self, index):
        at, begin, end = self._bounds(index)
        shape = self.shapes[at]
        return self.data[begin:end].reshape([shape[k] if e is None else e for k, e in enumerate(self.extents)])

    def select(self, slice_):
        if slice_.step not in (None, 1):
            raise NotImplementedError(
                "to_static: a list of tensors of different shapes that grows in a loop on a tensor is taken with a "
                "step; take neighbours only, or pad the tensors to one shape."
            )
        made = self
        if slice_.stop is not None:
            at, begin, _ = self._bounds(slice_.stop)
            made = self._with(self.data[:begin], self.shapes[:at])
        if slice_.start is not None:
            at, begin, _ = self._bounds(slice_.start)
            made = made._with(made.data[begin:], made.shapes[at:])
        return made

    def with_element(self, index, value):
        at, _, _ = self._bounds(index)
        return self.spliced(at, at + 1, [value])

    def spliced(self, begin, end, values):
        import paddle

        if isinstance(values, list):
            rows = [self.cast(v) for v in values]
            new = [(v.reshape([-1]), paddle.shape(v).astype("int64").reshape([1, -1])) for v in rows]
        else:
            new = [values.tensors]
        before = [] if isinstance(begin, int) and begin == 0 else [self.select(slice(None, begin)).tensors]
        after = [] if end is None else [self.select(slice(end, None)).tensors]
        parts = [*before, *new, *after]
        data, shapes = zip(*parts, strict=True)
        return self._with(_aliasing(paddle.concat(list(data)), data), paddle.concat(list(shapes)))

    def reversed(self):
        raise NotImplementedError(
            "to_static: a list of tensors of different shapes that grows in a loop on a tensor is reversed; "
            "insert(0, x) instead of append(x), or pad the tensors to one shape."
        )

    def _common_shape(self):
        return [self.shapes[0][k] if e is None else e for k, e in enumerate(self.extents)]

    def stacked(self, axis=0):
        return DenseColumn(self.data.reshape([-1, *self._common_shape()])).stacked(axis)

    def concatenated(self, axis=0):
        axis = int(axis) % len(self.extents)
        if axis:
            raise NotImplementedError(
                f"to_static: tensors of different shapes, a list that grows in a loop on a tensor, are joined along axis "
                f"{axis}; join them along axis 0, or pad them to one shape."
            )
        own = _core.ops.assign(self.data)
        return own.reshape([-1, *self._common_shape()[1:]]) if len(self.extents) > 1 else own

    def to_list(self):
        out, at = [], 0
        for shape in self.shapes.tolist():
            size = 1
            for extent in shape:
                size *= extent
            out.append(self.data[at : at + size].reshape(shape))
            at += size
        return out
