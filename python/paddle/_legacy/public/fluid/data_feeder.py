# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Feeds of executors from rows of a batch, and checks of arguments."""

from ..base import data_feeder as _base
from ..base.data_feeder import check_dtype, check_type, check_variable_and_dtype, convert_dtype
from ..static.scope import DenseTensor


def check_shape(
    shape, op_name, expected_shape_type=(list, tuple), expected_element_type=(int,), expected_tensor_dtype=()
):
    """Raises TypeError unless `shape` is a list or tuple of integers or a tensor."""
    if not hasattr(shape, "dtype"):
        check_type(shape, "shape", expected_shape_type, op_name)


class DataFeeder(_base.DataFeeder):
    """Makes the feed of an executor from rows of a batch; see `paddle.base.DataFeeder`.

    A value for a variable with `lod_level` is a sequence (of sequences, for each level more); they become one LoDTensor.

    Args:
        feed_list: Variables or their names, in the order of the columns.
        place: The device of the feed.
        program: Where names are looked up; None: the default main program.

    Example:
        >>> import paddle
        >>> from paddle import fluid
        >>> paddle.enable_static()
        >>> with fluid.program_guard(fluid.Program()):
        ...     words = fluid.data("words", [None, 1], "int64", lod_level=1)
        ...     feeder = fluid.DataFeeder([words], fluid.CPUPlace())
        >>> feeder.feed([([1, 2],), ([3, 4, 5],)])["words"].lod()
        [[0, 2, 5]]
        >>> paddle.disable_static()
    """

    def __init__(self, feed_list, place=None, program=None):
        from ..static import default_main_program

        block = (program or default_main_program()).global_block()
        variables = [block.var(v) if isinstance(v, str) else v for v in feed_list]
        super().__init__(variables, place, program)
        self.feed_lod_level = [getattr(v, "lod_level", 0) or 0 for v in variables]

    def feed(self, iterable):
        """LoDTensors by name, from an iterable of rows with one value for each variable."""
        rows = list(iterable)
        if not any(self.feed_lod_level):
            return super().feed(rows)
        made, plain = {}, [i for i, level in enumerate(self.feed_lod_level) if not level]
        if plain:
            part = object.__new__(_base.DataFeeder)
            for name in ("feed_names", "feed_shapes", "feed_dtypes"):
                setattr(part, name, [getattr(self, name)[i] for i in plain])
            part.place = self.place
            made.update(_base.DataFeeder.feed(part, [[row[i] for i in plain] for row in rows]))
        for i, level in enumerate(self.feed_lod_level):
            if level:
                values = [row[i] for row in rows]
                made[self.feed_names[i]] = sequences(values, level, self.feed_dtypes[i], self.feed_shapes[i])
        return made

    def feed_parallel(self, iterable, num_places=None):
        """A generator of the feeds of several devices: one for each batch."""
        for batch in iterable:
            yield self.feed(batch)

    def decorate_reader(self, reader, multi_devices, num_places=None, drop_last=True):
        """A reader of feeds, from one of batches."""
        return lambda: (self.feed(batch) for batch in reader())


def sequences(values, level, dtype, shape):
    """Nested sequences as a DenseTensor: rows one behind the other, and the lengths of each level.

    Args:
        values: A list, with `level` nested lists below.
        level: Number of levels.
        dtype: Dtype of the elements.
        shape: Declared shape; that of one row stands behind its first extent.
    """
    import numpy

    from .. import _core
    from ..framework import modes

    lengths, rows = [], values
    for _ in range(level):
        lengths.append([len(part) for part in rows])
        rows = [one for part in rows for one in part]
    array = numpy.asarray(rows, dtype=dtype.name)
    if all(isinstance(n, int) and n > 0 for n in shape[1:]):
        array = array.reshape([len(rows), *shape[1:]])
    with modes.eager_region():
        made = DenseTensor(_core.to_tensor(array))
    made.set_recursive_sequence_lengths(lengths)
    return made


__all__ = ["DataFeeder", "check_dtype", "check_shape", "check_type", "check_variable_and_dtype", "convert_dtype"]
