# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Lists with run-time length: lists that a branch or loop on a tensor makes longer or shorter.

Their elements have one structure, and each tensor of that structure is a column (structure of arrays)."""

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
    """Makes the ColumnStore of its tensors; equal for lists of elements of one structure."""

    def __init__(self, structure, columns):
        self._structure, self._columns = structure, columns
        self._key = tree.key_of(structure), tuple(p.kind for p in columns)

    def __eq__(self, other):
        return isinstance(other, ColumnsConstructor) and self._key == other._key

    def __hash__(self):
        return hash(self._key)

    def __call__(self, tensors):
        columns, at = [], 0
        for column in self._columns:
            count = len(column.tensors)
            columns.append(column.from_tensors(tensors[at : at + count]))
            at += count
        return ColumnStore(self._structure, columns)


class ColumnStore:
    """What a DynamicList holds: the structure of its elements, and for each tensor of that a column."""

    def __init__(self, structure, columns):
        self.structure, self.columns = structure, columns

    @property
    def constructor(self):
        return ColumnsConstructor(self.structure, self.columns)

    @property
    def tensors(self):
        return [t for column in self.columns for t in column.tensors]

    def to_list(self):
        """The elements, where their number is known."""
        rows = zip(*(column.to_list() for column in self.columns), strict=True)
        return [tree.unflatten(self.structure, list(row)) for row in rows]


class ListConstructor:
    """Makes a plain list of the tensors of columns, for `tree.flatten`."""

    def __init__(self, constructor):
        self._constructor = constructor

    def __call__(self, tensors):
        return self._constructor(tensors).to_list()


@data_movement_methods(
    *(
        "_spliced",
        "_without",
        "with_columns_for",
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
    """A list with run-time length of elements of one structure: tensors, or tuples, lists and dicts of tensors.

    Args:
        content: ColumnStore, or the elements stacked along axis 0 as one tensor.
    """

    def __init__(self, content):
        self.store = content if isinstance(content, ColumnStore) else ColumnStore(tree.Leaf(0), [DenseColumn(content)])

    @classmethod
    @data_movement
    def of(cls, elements, like, input_symbols=None):
        """The list of some elements.

        Args:
            elements: A list, or a DynamicList, which is given back with columns of a kind that also holds `like`.
            like: An element with their structure, shapes and dtypes, or a ColumnStore of such, for when there are none.
            input_symbols: Text of the symbols that extents may have where the list is made; an element with others gets
                a column of any shapes. None: every symbol.
        """
        if isinstance(elements, DynamicList):
            return elements.with_columns_for(like)
        if isinstance(like, ColumnStore):
            structure, element_types = like.structure, [column.element_type for column in like.columns]
        else:
            structure, element_types = _flatten(like)
            element_types = [ElementType(v.shape, v.dtype) for v in map(_tensor, element_types)]
        if not element_types:
            raise TypeError(
                f"to_static: a list in a branch or loop on a tensor has the element {like!r}; its elements must be "
                "tensors, or hold some."
            )
        rows = [_leaves_like(e, structure) for e in elements]
        columns = []
        for k, leaf in enumerate(element_types):
            values = [_tensor(row[k], leaf) for row in rows]
            kind = RaggedColumn if leaf.is_ragged or not _same_shape([leaf, *values], input_symbols) else DenseColumn
            columns.append(kind.of(values, leaf))
        return cls(ColumnStore(structure, columns))

    def with_columns_for(self, other):
        """The list with columns of a kind that holds its own elements and those of another ColumnStore."""
        pairs = list(zip(self.store.columns, other.columns, strict=True))
        if all(a.kind == b.kind for a, b in pairs):
            return self
        columns = [a if a.kind == b.kind else a.to_ragged(common_extents([a, b])) for a, b in pairs]
        return DynamicList(ColumnStore(self.store.structure, columns))

    def _set_columns(self, *rows):
        """Replaces the columns of the list."""
        self.store = ColumnStore(self.store.structure, [*rows])

    def _only(self, what):
        columns = self.store.columns
        if len(columns) != 1 or not isinstance(self.store.structure, tree.Leaf):
            raise TypeError(f"{what}: the list, which grows in a loop on a tensor, has elements that are no tensors.")
        return columns[0]

    @property
    def tensor(self):
        """The elements, which are tensors, stacked along axis 0."""
        return self._only("stack").stacked(0)

    def length(self):
        """The number of elements, a 0-d int64 tensor."""
        return self.store.columns[0].length()

    def _spliced(self, begin, end, elements):
        columns = self.store.columns
        if isinstance(elements, DynamicList):
            new = elements.with_columns_for(self.store).store.columns
            columns = self.with_columns_for(elements.store).store.columns
        else:
            rows = [_leaves_like(e, self.store.structure) for e in elements]
            new = [[row[k] for row in rows] for k in range(len(columns))]
            columns = self._columns_for(new)
        self._set_columns(*(p.spliced(begin, end, n) for p, n in zip(columns, new, strict=True)))

    def _columns_for(self, new):
        """The columns of a kind that also holds new elements, a list of these for each column."""
        return [
            p if p.fits(n) else p.to_ragged(common_extents([p], [_tensor(v, p.element_type) for v in n]))
            for p, n in zip(self.store.columns, new, strict=True)
        ]

    def append(self, value):
        self._spliced(None, None, [value])

    def write(self, index, value):
        """Sets an element, or appends one at the end."""
        index = as_index(index)
        self._spliced(index, index + 1, [value])

    def stacked(self, axis=0):
        """The elements as one tensor with a new axis."""
        return self._only("stack").stacked(axis)

    def concatenated(self, axis=0):
        """The elements concatenated along an axis that they have."""
        return self._only("concat").concatenated(axis)

    def extend(self, values):
        self._spliced(None, None, values if isinstance(values, DynamicList) else list(values))

    def insert(self, index, value):
        index = as_index(index)
        self._spliced(index, index, [value])

    def _without(self, index):
        index = as_index(index)
        if not isinstance(index, _core.Tensor) and index == -1:
            return [p.select(slice(None, -1)) for p in self.store.columns]
        if not isinstance(index, _core.Tensor) and index < 0:
            index = index + self.length()
        return [p.spliced(index, index + 1, []) for p in self.store.columns]

    def pop(self, index=-1):
        element = self[index]
        self._set_columns(*self._without(index))
        return element

    def clear(self):
        self._set_columns(*(p.select(slice(None, 0)) for p in self.store.columns))

    def copy(self):
        return DynamicList(self.store)

    def reverse(self):
        self._set_columns(*(p.reversed() for p in self.store.columns))

    def __getitem__(self, index):
        if isinstance(index, slice):
            if index.step == -1 and index.start is None and index.stop is None:
                return DynamicList(ColumnStore(self.store.structure, [p.reversed() for p in self.store.columns]))
            return DynamicList(ColumnStore(self.store.structure, [p.select(index) for p in self.store.columns]))
        return tree.unflatten(self.store.structure, [p.get(index) for p in self.store.columns])

    def __setitem__(self, index, value):
        leaves = _leaves_like(value, self.store.structure)
        columns = self._columns_for([[v] for v in leaves])
        self._set_columns(*(p.with_element(index, v) for p, v in zip(columns, leaves, strict=True)))

    def __delitem__(self, index):
        if isinstance(index, slice):
            raise NotImplementedError(
                "to_static: a part of a list that grows in a loop on a tensor is deleted; keep the rest with a slice."
            )
        self._set_columns(*self._without(index))

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
        count = self.store.columns[0].tensors[-1].shape[0]
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


def _same_shape(tensors, input_symbols):
    """Whether some tensors have one shape, whose symbols are known outside of the region that made them."""
    if input_symbols is None:
        return True
    for extents in zip(*(t.shape for t in tensors), strict=True):
        texts = {str(e) for e in extents}
        if len(texts) > 1 or not set(re.findall(r"s\d+", texts.pop())) <= input_symbols:
            return False
    return True


def _sum(x, start=0):
    return x.tensor.sum(0) + start


def list_function(callee):
    """The function to call in the place of `callee` when its first argument is a DynamicList; None: there is none."""
    import paddle

    table = {
        len: DynamicList.length,
        sum: _sum,
        list: DynamicList.copy,
        max: data_movement(lambda x: x.tensor.max(0)),
        min: data_movement(lambda x: x.tensor.min(0)),
        reversed: lambda x: x[::-1],
        paddle.concat: lambda x, axis=0, name=None: x.concatenated(axis),
        paddle.stack: lambda x, axis=0, name=None: x.stacked(axis),
        paddle.add_n: lambda x, name=None: x.tensor.sum(0),
    }
    try:
        return table.get(callee)
    except TypeError:  # not hashable
        return None
