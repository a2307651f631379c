# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Lists that grow in loops on tensors: how long they are only the running program knows."""

from ... import _core


class GrownList:
    """A list of tensors of one shape and dtype, the rows of one tensor.

    Args:
        tensor: The elements, stacked along axis 0.
    """

    def __init__(self, tensor):
        self.tensor = tensor

    @classmethod
    def of(cls, elements, like):
        """The list of these tensors; `like` is an example for when there is none."""
        import paddle

        if not elements:
            return cls(paddle.zeros([0, *like.shape], like.dtype))
        return cls(paddle.stack([_element(e, like) for e in elements]))

    def row(self):
        """A tensor of the shape and dtype of the elements."""
        return self.tensor.sum(0).astype(self.tensor.dtype)

    def _row(self, value):
        if not isinstance(value, _core.Tensor):
            import paddle

            value = paddle.full(self.tensor.shape[1:], value, self.tensor.dtype)
        return value.astype(self.tensor.dtype).unsqueeze(0)

    def length(self):
        """The number of elements, a 0-d int64 tensor."""
        import paddle

        return paddle.shape(self.tensor)[0].astype("int64")

    def append(self, value):
        import paddle

        self.tensor = paddle.concat([self.tensor, self._row(value)])

    def write(self, index, value):
        """Puts a value in the place of another one, or at the end."""
        import paddle

        if isinstance(index, _core.Tensor):
            index = index.reshape([]).astype("int64")
        self.tensor = paddle.concat([self.tensor[:index], self._row(value), self.tensor[index + 1 :]])

    def stacked(self, axis=0):
        """The elements as one tensor with a new axis."""
        return _stack(self, axis)

    def joined(self, axis=0):
        """The elements as one tensor, joined along an axis that they have."""
        return _concat(self, axis)

    def extend(self, values):
        import paddle

        rows = [values.tensor] if isinstance(values, GrownList) else [self._row(v) for v in values]
        self.tensor = paddle.concat([self.tensor, *rows])

    def insert(self, index, value):
        import paddle

        self.tensor = paddle.concat([self.tensor[:index], self._row(value), self.tensor[index:]])

    def pop(self, index=-1):
        import paddle

        row = self[index]
        if index == -1:
            self.tensor = self.tensor[:-1]
        else:
            after = self.tensor[index + 1 :] if index != -1 else self.tensor[:0]
            self.tensor = paddle.concat([self.tensor[:index], after])
        return row

    def clear(self):
        self.tensor = self.tensor[:0]

    def copy(self):
        return GrownList(self.tensor)

    def reverse(self):
        self.tensor = self.tensor.flip([0])

    def __getitem__(self, index):
        import paddle

        if isinstance(index, slice):
            return GrownList(self.tensor[index])
        if not isinstance(index, _core.Tensor):
            return self.tensor[index]
        at = index.reshape([1]).astype("int64")
        at = paddle.where(at < 0, at + self.length(), at)
        return paddle.index_select(self.tensor, at, axis=0).squeeze(0)

    def __setitem__(self, index, value):
        import paddle

        at = index if isinstance(index, _core.Tensor) else paddle.full([1], index, "int64")
        at = at.reshape([1]).astype("int64")
        at = paddle.where(at < 0, at + self.length(), at)
        self.tensor = paddle.scatter(self.tensor, at, self._row(value))

    def __add__(self, other):
        made = self.copy()
        made.extend(other)
        return made

    def __iadd__(self, other):
        self.extend(other)
        return self

    def __len__(self):
        return int(self.tensor.shape[0])

    def __iter__(self):
        return iter([self.tensor[i] for i in range(len(self))])


def _element(value, like):
    if isinstance(value, _core.Tensor):
        return value
    import paddle

    return paddle.full(like.shape, value, like.dtype)


def rows_of(tensor):
    """The rows of a tensor as a list."""
    return list(tensor.unbind(0)) if tensor.shape[0] else []


def _concat(x, axis=0, name=None):
    rank = x.tensor.ndim - 1
    if rank == 0:
        return x.tensor
    axis = int(axis) % rank
    return _stack(x, axis).flatten(axis, axis + 1)


def _stack(x, axis=0, name=None):
    rank = x.tensor.ndim
    axis = int(axis) % rank
    order = [*range(1, axis + 1), 0, *range(axis + 1, rank)]
    return x.tensor if axis == 0 else x.tensor.transpose(order)


def _sum(x, start=0):
    return x.tensor.sum(0) + start


def function_on_lists(callee):
    """What stands for `callee` when its first argument is a GrownList; None when it is no such function."""
    import paddle

    table = {
        len: GrownList.length,
        sum: _sum,
        list: GrownList.copy,
        paddle.concat: _concat,
        paddle.stack: _stack,
        paddle.add_n: lambda x, name=None: x.tensor.sum(0),
    }
    try:
        return table.get(callee)
    except TypeError:  # not hashable
        return None
