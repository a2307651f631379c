# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors that are made when they are written, so that a large model is in memory once."""

import contextlib
import os
import shutil
import tempfile
from typing import NamedTuple

import numpy


class StoredWeight(NamedTuple):
    """A tensor that is read when it is wanted.

    Attributes:
        shape: Its shape.
        read: A function that returns a float32 array.
    """

    shape: tuple
    read: object

    def map(self, change, shape=None):
        """The weight whose array is change(array), of another shape where one is given."""
        return StoredWeight(self.shape if shape is None else tuple(shape), lambda: change(self.read()))


class StoredTensor(NamedTuple):
    """A tensor of a safetensors file.

    Attributes:
        dtype: Its name, such as "float16".
        shape: Its shape.
        read: A function that returns an array of these numbers; of bfloat16 and 8-bit floats, of their bits.
    """

    dtype: str
    shape: tuple
    read: object


def rows_joined(weights):
    """The StoredWeight whose rows are those of several, one after another."""
    rows = sum(weight.shape[0] for weight in weights)
    return StoredWeight((rows, *weights[0].shape[1:]), lambda: numpy.concatenate([weight.read() for weight in weights]))


@contextlib.contextmanager
def written_whole(path, is_folder=False):
    """A path beside `path` to write to; it gets its name when all is written, and is removed when something fails."""
    path = os.path.abspath(os.fspath(path))
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"there is no folder {folder!r} to write {os.path.basename(path)!r} to.")
    beside = tempfile.mkdtemp(prefix=f".{os.path.basename(path)}.", dir=folder)
    try:
        made = beside if is_folder else os.path.join(beside, "file")
        yield made
        if is_folder:
            os.chmod(made, 0o755)
        os.replace(made, path)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
