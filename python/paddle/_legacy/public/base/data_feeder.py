# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments, and feeds for executors, under their older path."""

from .. import _core
from ..framework import modes
from ..framework.data_checks import check_dtype, check_type, check_variable_and_dtype, convert_dtype


class DataFeeder:
    """Makes the feed of an executor from rows of a minibatch.

    Args:
        feed_list: Variables or their names, in the order of the columns.
        place: The device of the feed.
        program: Where names are looked up; None: the default main program.

    Raises:
        TypeError: A member of `feed_list` is neither a variable nor a name.

    Example:
        >>> import paddle
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 2])
        ...     feeder = paddle.base.DataFeeder([x], paddle.CPUPlace())
        >>> feeder.feed([([1, 2],), ([3, 4],)])["x"].shape()
        [2, 2]
        >>> paddle.disable_static()
    """

    def __init__(self, feed_list, place, program=None):
        from ..static import default_main_program

        block = (program or default_main_program()).global_block()
        variables = [block.var(v) if isinstance(v, str) else v for v in feed_list]
        for variable in variables:
            if not isinstance(variable, _core.Tensor):
                raise TypeError(f"DataFeeder: feed_list holds a {type(variable).__name__}; pass variables or names.")
        self.feed_names = [v.name for v in variables]
        self.feed_shapes = [list(getattr(v, "_declared", v.shape)) for v in variables]
        self.feed_dtypes = [v.dtype for v in variables]
        self.place = place

    def feed(self, iterable):
        """DenseTensors by name, from an iterable of rows with one value for each variable.

        Raises:
            AssertionError: A row has another number of values.
        """
        import numpy

        from ..static.scope import DenseTensor

        columns = [[] for _ in self.feed_names]
        for row in iterable:
            if len(row) != len(columns):
                raise AssertionError(f"DataFeeder.feed: a row has {len(row)} values for {len(columns)} variables.")
            for column, value in zip(columns, row, strict=True):
                column.append(numpy.asarray(value))
        fed = {}
        with modes.eager_region():
            for name, shape, dtype, column in zip(
                self.feed_names, self.feed_shapes, self.feed_dtypes, columns, strict=True
            ):
                values = numpy.stack(column)
                rows_are_batches = values.ndim > len(shape) > 0
                known = [-1 if rows_are_batches else values.shape[0], *shape[1:]]
                if known.count(-1) <= 1 and list(values.shape) != known:
                    values = values.reshape(known)
                fed[name] = DenseTensor(_core.to_tensor(values, dtype=dtype))
        return fed


__all__ = ["DataFeeder", "check_dtype", "check_type", "check_variable_and_dtype", "convert_dtype"]


def convert_float_to_uint16(data, data_format="NCHW"):
    """The upper halves of float32 numbers, which are bfloat16 numbers that are cut off, as an array of uint16.

    Args:
        data: An array.
        data_format: 'NHWC' turns an array of images to 'NCHW' first.
    """
    import numpy

    data = numpy.asarray(data, dtype="float32")
    if data_format == "NHWC":
        data = numpy.transpose(data, [0, 3, 1, 2])
    return (numpy.ascontiguousarray(data).view(numpy.uint32) >> 16).astype(numpy.uint16).reshape(data.shape)


def convert_uint16_to_float(data):
    """The float32 numbers whose upper halves are the elements of an array of uint16."""
    import numpy

    wide = numpy.asarray(data).astype(numpy.uint32) << 16
    return wide.view(numpy.float32)
