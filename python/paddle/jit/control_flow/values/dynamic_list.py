# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Lists that grow in loops on tensors: how long they are only the running program knows."""

import re

from .... import _core
from ... import tree
from .data_movement import data_movement, data_movement_methods
from .list_columns import DenseColumn, ElementType, RaggedColumn, as_index, common_extents


def _is_value(value):
    return isinstance(value, (_core.Tensor, bool, int, float))


def _flatten(element):
    leaves = []
    return tree.flatten(element, _is_value, leaves), leaves


def _tensor(value, like=None):
    if isinstance(value, _core.Tensor):
        return value
    import paddle

    if like is not None:
        return paddle.full(like.shape, value, like.dtype)
    return paddle.full([], value, "bool" if isinstance(value, bool) else "int64" if isinstance(value, int) else None)


class ColumnsConstructor:
    """What puts tensors together to columns again; equal for lists of elements of one structure."""

    def __init__(self, structure, parts):
        self._structure, self._parts = structure, parts
        self._key = tree.key_of(structure), tuple(p.key for p in parts)

    def __eq__(self, other):
        return isinstance(other, ColumnsConstructor) and self._key == other._key

    def __hash__(self):
        return hash(self._key)

    def __call__(self, tensors):
        parts, at = [], 0
        for part in self._parts:
            count = len(part.tensors)
            parts.append(part.made_of(tensors[at : at + count]))
            at += count
        return ColumnStore(self._structure, parts)


class ColumnStore:
    """What a GrownList holds: the structure of its elements, and for each tensor of that a column."""

    def __init__(self, structure, parts):
        self.structure, self.parts = structure, parts

    @property
    def maker(self):
        return ColumnsConstructor(self.structure, self.parts)

    @property
    def tensors(self):
        return [t for part in self.parts for t in part.tensors]

    def listed(self):
        """The elements, where their number is known."""
        rows = zip(*(part.listed() for part in self.parts), strict=True)
        return [tree.unflatten(self.structure, list(row)) for row in rows]


class ListConstructor:
    """What makes a plain list of the tensors of columns, for `tree.flatten`."""

    def __init__(self, maker):
        self._maker = maker

    def __call__(self, tensors):
        return self._maker(tensors).listed()


@data_movement_methods(
    *(
        "_spliced",
        "_without",
        "beside",
        "clear",
        "pop",
        "reverse",
        "__delitem__",
        "__getitem__",
        "__radd__",
        "__setitem__",
    )
)
class DynamicList:
    """A list of elements of one structure (tensors, or tuples, lists and dicts of tensors), as columns of tensors.

    Args:
        content: Columns, or the elements stacked along axis 0 as one tensor.
    """

    def __init__(self, content):
        self.columns = (
            content if isinstance(content, ColumnStore) else ColumnStore(tree.Leaf(0), [DenseColumn(content)])
        )

    @classmethod
    @data_movement
    def of(cls, elements, like, known=None):
        """The list of these elements.

        Args:
            elements: A list, or a GrownList, which is given back.
            like: An element like them, or Columns of such, for when there is none.
            known: Text of the symbols that extents may have where the list is made; tensors with others may have
                any shape. None: every symbol.
        """
        if isinstance(elements, DynamicList):
            return elements.beside(like)
        if isinstance(like, ColumnStore):
            structure, likes = like.structure, [part.like for part in like.parts]
        else:
            structure, likes = _flatten(like)
            likes = [ElementType(v.shape, v.dtype) for v in map(_tensor, likes)]
        if not likes:
            raise TypeError(
                f"to_static: a list in a branch or loop on a tensor has the element {like!r}; its elements must be "
                "tensors, or hold some."
            )
        rows = [_leaves_like(e, structure) for e in elements]
        parts = []
        for k, leaf in enumerate(likes):
            values = [_tensor(row[k], leaf) for row in rows]
            kind = RaggedColumn if leaf.is_ragged or not _same_shape([leaf, *values], known) else DenseColumn
            parts.append(kind.of(values, leaf))
        return cls(ColumnStore(structure, parts))

    def beside(self, other):
        """The list with columns of the kind that these and those of `other` have in common."""
        pairs = list(zip(self.columns.parts, other.parts, strict=True))
        if all(a.key == b.key for a, b in pairs):
            return self
        parts = [a if a.key == b.key else a.ragged(common_extents([a, b])) for a, b in pairs]
        return DynamicList(ColumnStore(self.columns.structure, parts))

    def _changed(self, *rows):
        """The list with other columns."""
        self.columns = ColumnStore(self.columns.structure, [*rows])

    def _only(self, what):
        parts = self.columns.parts
        if len(parts) != 1 or not isinstance(self.columns.structure, tree.Leaf):
            raise TypeError(f"{what}: the list, which grows in a loop on a tensor, has elements that are no tensors.")
        return parts[0]

    @property
    def tensor(self):
        """The elements, which are tensors, stacked along axis 0."""
        return self._only("stack").stacked(0)

    def length(self):
        """The number of elements, a 0-d int64 tensor."""
        return self.columns.parts[0].length()

    def _spliced(self, begin, end, elements):
        parts = self.columns.parts
        if isinstance(elements, DynamicList):
            new = elements.beside(self.columns).columns.parts
            parts = self.beside(elements.columns).columns.parts
        else:
            rows = [_leaves_like(e, self.columns.structure) for e in elements]
            new = [[row[k] for row in rows] for k in range(len(parts))]
            parts = self._parts_for(new)
        self._changed(*(p.spliced(begin, end, n) for p, n in zip(parts, new, strict=True)))

    def _parts_for(self, new):
        """The columns in a kind that holds new elements too, a list for each column."""
        return [
            p if p.fits(n) else p.ragged(common_extents([p], [_tensor(v, p.like) for v in n]))
            for p, n in zip(self.columns.parts, new, strict=True)
        ]

    def append(self, value):
        self._spliced(None, None, [value])

    def write(self, index, value):
        """Puts a value in the place of another one, or at the end."""
        index = as_index(index)
        self._spliced(index, index + 1, [value])

    def stacked(self, axis=0):
        """The elements as one tensor with a new axis."""
        return self._only("stack").stacked(axis)

    def joined(self, axis=0):
        """The elements as one tensor, joined along an axis that they have."""
        return self._only("concat").joined(axis)

    def extend(self, values):
        self._spliced(None, None, values if isinstance(values, DynamicList) else list(values))

    def insert(self, index, value):
        index = as_index(index)
        self._spliced(index, index, [value])

    def _without(self, index):
        index = as_index(index)
        if not isinstance(index, _core.Tensor) and index == -1:
            return [p.select(slice(None, -1)) for p in self.columns.parts]
        if not isinstance(index, _core.Tensor) and index < 0:
            index = index + self.length()
        return [p.spliced(index, index + 1, []) for p in self.columns.parts]

    def pop(self, index=-1):
        element = self[index]
        self._changed(*self._without(index))
        return element

    def clear(self):
        self._changed(*(p.select(slice(None, 0)) for p in self.columns.parts))

    def copy(self):
        return DynamicList(self.columns)

    def reverse(self):
        self._changed(*(p.reversed() for p in self.columns.parts))

    def __getitem__(self, index):
        if isinstance(index, slice):
            if index.step == -1 and index.start is None and index.stop is None:
                return DynamicList(ColumnStore(self.columns.structure, [p.reversed() for p in self.columns.parts]))
            return DynamicList(ColumnStore(self.columns.structure, [p.select(index) for p in self.columns.parts]))
        return tree.unflatten(self.columns.structure, [p.get(index) for p in self.columns.parts])

    def __setitem__(self, index, value):
        leaves = _leaves_like(value, self.columns.structure)
        parts = self._parts_for([[v] for v in leaves])
        self._changed(*(p.put(index, v) for p, v in zip(parts, leaves, strict=True)))

    def __delitem__(self, index):
        if isinstance(index, slice):
            raise NotImplementedError(
                "to_static: a part of a list that grows in a loop on a tensor is deleted; keep the rest with a slice."
            )
        self._changed(*self._without(index))

    def __add__(self, other):
        made = self.copy()
        made.extend(other)
        return made

    def __radd__(self, other):
        made = self.copy()
        for i, value in enumerate(other):
            made.insert(i, value)
        return made

    def __iadd__(self, other):
        self.extend(other)
        return self

    def __len__(self):
        count = self.columns.parts[0].tensors[-1].shape[0]
        if isinstance(count, int):
            return count
        raise TypeError(
            "to_static: a list that grows in a loop on a tensor is unpacked, or taken by a function of Python's that "
            "asks for its length; use a for statement, a comprehension or indices."
        )

    def __bool__(self):
        return len(self) > 0

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])


def _leaves_like(element, structure):
    own, leaves = _flatten(element)
    if tree.key_of(own) != tree.key_of(structure):
        raise TypeError(
            "to_static: a list in a branch or loop on a tensor gets elements of different structure; keep one "
            f"structure of tensors, got {element!r}."
        )
    return leaves


def _same_shape(tensors, known):
    """Whether the tensors have one shape that can be named outside of the loop or branch that made them."""
    if known is None:
        return True
    for extents in zip(*(t.shape for t in tensors), strict=True):
        texts = {str(e) for e in extents}
        if len(texts) > 1 or not set(re.findall(r"s\d+", texts.pop())) <= known:
            return False
    return True


def _sum(x, start=0):
    return x.tensor.sum(0) + start


def list_function(callee):
    """What stands for `callee` when its first argument is a GrownList; None when it is no such function."""
    import paddle

    table = {
        len: DynamicList.length,
        sum: _sum,
        list: DynamicList.copy,
        max: data_movement(lambda x: x.tensor.max(0)),
        min: data_movement(lambda x: x.tensor.min(0)),
        reversed: lambda x: x[::-1],
        paddle.concat: lambda x, axis=0, name=None: x.joined(axis),
        paddle.stack: lambda x, axis=0, name=None: x.stacked(axis),
        paddle.add_n: lambda x, name=None: x.tensor.sum(0),
    }
    try:
        return table.get(callee)
    except TypeError:  # not hashable
        return None
