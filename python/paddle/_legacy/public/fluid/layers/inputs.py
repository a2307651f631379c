# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Inputs of programs, readers that feed them, and measures."""

from ... import _core
from ...static import metric as _metric
from ...static.program import data as _data
from ..operators import of_rank_one, require_program, set_offsets

ops = _core.ops


def data(name, shape, append_batch_size=True, dtype="float32", lod_level=0, type=None, stop_gradient=True):
    """An input of the program; the number of rows is not in `shape`.

    Args:
        name: Its name in `feed`.
        shape: Its shape without the rows; an extent that varies is -1. With one of those it is the whole shape.
        append_batch_size: Whether an axis for the rows is put in front.
        dtype: Its dtype.
        lod_level: Number of levels of sequences in its rows.
        type: Not read.
        stop_gradient: Whether it gets no gradient.

    Returns:
        A variable of shape [-1, *shape].

    Example:
        >>> import paddle
        >>> from paddle import fluid
        >>> paddle.enable_static()
        >>> with fluid.program_guard(fluid.Program()):
        ...     x = fluid.layers.data("x", shape=[3, 4])
        >>> list(x.shape)
        [-1, 3, 4]
        >>> paddle.disable_static()
    """
    extents = [-1 if n is None else int(n) for n in shape]
    if append_batch_size and all(n >= 0 for n in extents):
        extents = [-1, *extents]
    made = data_v2(name, extents, dtype, lod_level)
    made.stop_gradient = stop_gradient
    return made


def data_v2(name, shape, dtype="float32", lod_level=0):
    """An input of the program (`fluid.data`).

    Args:
        name: Its name in `feed`.
        shape: Its shape; None or -1 for dynamic extents.
        dtype: Its dtype.
        lod_level: Number of levels of sequences in its rows.
    """
    require_program("fluid.data")
    made = _data(name, shape, dtype, lod_level)
    if lod_level and "_offsets" not in made.__dict__:
        set_offsets(made, [_data(f"{name}@LOD{level}", [-1], "int64") for level in range(lod_level)])
    return made


def accuracy(input, label, k=1, correct=None, total=None):
    """The share of rows whose label, of shape [N, 1], is among the k largest entries; float32 of shape [1]."""
    if correct is None and total is None:
        indices = ops.topk(input, k, -1, True, True)[1]
        hit = ops.any(indices == ops.cast(label.reshape([-1, 1]), indices.dtype), [1], False)
        return ops.cast(hit, _core.float32).mean().reshape([1])
    return of_rank_one(_metric.accuracy(input, label, k, correct, total))


def auc(input, label, curve="ROC", num_thresholds=2**12 - 1, topk=1, slide_steps=1):
    """The area under the curve over all runs, over the last `slide_steps`, and the counts; see `paddle.static.auc`."""
    return _metric.auc(input, label, curve, num_thresholds, topk, slide_steps)


def chunk_eval(input, label, chunk_scheme, num_chunk_types, excluded_chunk_types=None, seq_length=None):
    """Precision, recall and F1 of chunks (the pieces that tags such as B-LOC, I-LOC mark).

    Args:
        input: Predicted tags: rows of sequences, or [N, T] with seq_length.
        label: True tags of the same form.
        chunk_scheme: 'IOB', 'IOE', 'IOBES' or 'plain'.
        num_chunk_types: Number of kinds of chunks.
        excluded_chunk_types: Kinds that do not count.
        seq_length: Lengths.

    Returns:
        precision, recall, F1 (float32), numbers of predicted, of true and of right chunks (int64), each of shape [1].
    """
    from ..chunks import counts

    found, true, right = counts(input, label, chunk_scheme, num_chunk_types, excluded_chunk_types or [], seq_length)
    one = ops.full([1], 1, _core.int64)

    def share(part, whole):
        return ops.cast(part, _core.float32) / ops.cast(ops.maximum(whole, one), _core.float32)

    precision, recall = share(right, found), share(right, true)
    return precision, recall, share(right * 2, found + true), found, true, right


def py_reader(capacity, shapes, dtypes, lod_levels=None, name=None, use_double_buffer=True):
    """A reader of inputs that it declares itself; `read_file` gives them.

    Args:
        capacity: Not read: batches are made when they are asked for.
        shapes: Shapes of the inputs.
        dtypes: Their dtypes.
        lod_levels: Levels of sequences in their rows.
        name: Prefix of their names.
        use_double_buffer: Not read.

    Returns:
        A `fluid.io.PyReader` with `start` and `reset`.
    """
    from ...utils import unique_name
    from ..io import PyReader

    prefix = name or unique_name.generate("py_reader")
    levels = lod_levels or [0] * len(shapes)
    rows = zip(shapes, dtypes, levels, strict=True)
    made = [data_v2(f"{prefix}_{i}", list(s), d, level) for i, (s, d, level) in enumerate(rows)]
    return PyReader(made, capacity, use_double_buffer, iterable=False)


def create_py_reader_by_data(capacity, feed_list, name=None, use_double_buffer=True):
    """A reader of inputs that are declared already; see `py_reader`."""
    from ..io import PyReader

    return PyReader(list(feed_list), capacity, use_double_buffer, iterable=False)


def double_buffer(reader, place=None, name=None):
    """The reader itself."""
    return reader


def read_file(reader):
    """The inputs of a reader; the one itself where there is one."""
    listed = reader._feed_list
    return listed[0] if len(listed) == 1 else list(listed)


__all__ = "accuracy auc chunk_eval create_py_reader_by_data data double_buffer py_reader read_file".split()
