# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Loading of batches under its older path, from Python generators too."""

from .. import _core, io
from ..framework.modes import eager_region, in_dynamic_mode


class GeneratorLoader:
    """Iterates over the batches that a function of generators gives; made by `DataLoader.from_generator`."""

    def __init__(self, feed_list, return_list, drop_last):
        self._feed_list, self._return_list, self._drop_last = feed_list, return_list, drop_last
        self._batches, self._places = None, 1

    def _set(self, batches, places):
        self._batches = batches
        self._places = len(places) if isinstance(places, (list, tuple)) else 1
        return self

    def set_sample_generator(self, reader, batch_size, drop_last=True, places=None):
        """Take samples from a function that returns an iterator of them.

        Args:
            reader: The function.
            batch_size: Samples per batch.
            drop_last: Leave out a smaller batch at the end.
            places: Where batches are put.
        """
        if not isinstance(batch_size, int) or batch_size <= 0:
            raise AssertionError(f"set_sample_generator: batch_size has value {batch_size!r}; it must be positive.")
        return self.set_sample_list_generator(io.reader.batch(reader, batch_size, drop_last), places)

    def set_sample_list_generator(self, reader, places=None):
        """Take batches from a function that returns an iterator of lists of samples."""

        def batches():
            import numpy

            for samples in reader():
                columns = [numpy.stack([numpy.asarray(v) for v in column]) for column in zip(*samples, strict=True)]
                yield columns if in_dynamic_mode() else self._as_declared(columns)

        return self._set(batches, places)

    def _as_declared(self, columns):
        """Arrays in the dtypes of the variables that they are for."""
        kinds = [getattr(variable, "dtype", None) for variable in self._feed_list or ()]
        if len(kinds) != len(columns):
            return columns
        names = [None if kind is None or kind == _core.bfloat16 else kind.name for kind in kinds]
        return [c if name is None else c.astype(name) for c, name in zip(columns, names, strict=True)]

    def set_batch_generator(self, reader, places=None):
        """Take batches from a function that returns an iterator of lists of arrays or Tensors."""
        return self._set(reader, places)

    def __iter__(self):
        if self._batches is None:
            raise AssertionError("DataLoader.from_generator: no generator was set; call set_batch_generator first.")
        if not in_dynamic_mode() and self._feed_list:
            from ..io.static_batches import feeds

            made = feeds(iter(self._batches()), self._feed_list, self._places, self._return_list)
            return ([one] if self._return_list and self._places == 1 else one for one in made)
        return self._tensors()

    def _tensors(self):
        for batch in self._batches():
            with eager_region():
                entries = batch if isinstance(batch, (list, tuple)) else [batch]
                made = [v if isinstance(v, _core.Tensor) else _core.to_tensor(v) for v in entries]
            yield made

    def __call__(self):
        return iter(self)


class PyReader(GeneratorLoader):
    """A loader of what generators give, in the words of earlier versions.

    Args:
        feed_list: In static mode the variables that a batch is for.
        capacity: Kept: batches are made when they are asked for.
        use_double_buffer: Kept.
        iterable: True; loaders are iterated over.
        return_list: In static mode, whether batches are lists rather than dicts by name.

    Raises:
        NotImplementedError: `iterable` is False.
    """

    def __init__(self, feed_list=None, capacity=None, use_double_buffer=True, iterable=True, return_list=False):
        if not iterable:
            raise NotImplementedError("PyReader: iterable=False; iterate over the loader instead.")
        super().__init__(feed_list, return_list, True)

    def decorate_sample_generator(self, sample_generator, batch_size, drop_last=True, places=None):
        """See `set_sample_generator`."""
        self.set_sample_generator(sample_generator, batch_size, drop_last, places)

    def decorate_sample_list_generator(self, reader, places=None):
        """See `set_sample_list_generator`."""
        self.set_sample_list_generator(reader, places)

    def decorate_batch_generator(self, reader, places=None):
        """See `set_batch_generator`."""
        self.set_batch_generator(reader, places)


class DataLoader(io.DataLoader):
    """`paddle.io.DataLoader`, and loaders of what generators give."""

    @staticmethod
    def from_generator(
        feed_list=None,
        capacity=None,
        use_double_buffer=True,
        iterable=True,
        return_list=False,
        use_multiprocess=False,
        drop_last=True,
    ):
        """A loader that gets its batches from a generator.

        Args:
            feed_list: In static mode the variables that a batch is for.
            capacity: Kept: batches are made when they are asked for.
            use_double_buffer: Kept.
            iterable: True; loaders are iterated over.
            return_list: In static mode, whether batches are lists rather than dicts by name.
            use_multiprocess: Kept.
            drop_last: Leave out an incomplete group of batches where there are several places.

        Raises:
            NotImplementedError: `iterable` is False.

        Example:
            >>> import numpy as np
            >>> from paddle.base.io import DataLoader
            >>> loader = DataLoader.from_generator(capacity=2)
            >>> _ = loader.set_batch_generator(lambda: ([np.ones((2, 3))] for _ in range(2)))
            >>> [list(x.shape) for (x,) in loader()]
            [[2, 3], [2, 3]]
        """
        if not iterable:
            raise NotImplementedError("DataLoader.from_generator: iterable=False; iterate over the loader instead.")
        return GeneratorLoader(feed_list, return_list, drop_last)


__all__ = ["DataLoader", "GeneratorLoader", "PyReader"]
