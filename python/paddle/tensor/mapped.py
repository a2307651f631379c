# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`MmapStorage`: tensors over ranges of a file, which the system reads when they are used."""

import mmap

from ..framework.dtypes import convert


class MmapStorage:
    """The first bytes of a file as memory. Writing into a tensor over it leaves the file as it is.

    Args:
        filename: Path of the file.
        nbytes: Number of bytes.

    Raises:
        RuntimeError: The file cannot be opened, or is shorter.
    """

    def __init__(self, filename, nbytes):
        try:
            with open(filename, "rb") as file:
                self._bytes = mmap.mmap(file.fileno(), nbytes, access=mmap.ACCESS_COPY)
        except OSError as error:
            raise RuntimeError(f"MmapStorage: {filename} cannot be opened: {error.strerror}.") from None
        except ValueError:
            raise RuntimeError(f"MmapStorage: {filename} has fewer than nbytes = {nbytes} bytes.") from None

    def get_slice(self, dtype="uint8", start=0, stop=-1, step=1):
        """A tensor over bytes of the file, without a copy.

        Args:
            dtype: Its dtype.
            start: The first byte.
            stop: The byte behind the last one; -1 for one element.
            step: Bytes of an element.

        Raises:
            ValueError: The elements are not inside of the bytes.
        """
        import numpy

        from .exchange import from_numpy

        dtype = convert(dtype)
        count = 1 if stop == -1 else max(stop - start, 0) // step if step > 0 else -1
        if count < 0 or start < 0 or start + count * dtype.itemsize > len(self._bytes) or stop > len(self._bytes):
            raise ValueError(
                f"get_slice: start is {start}, stop {stop} and step {step}; elements of {dtype.itemsize} bytes must lie "
                f"inside of {len(self._bytes)} bytes."
            )
        raw = numpy.frombuffer(self._bytes, "uint8", count * dtype.itemsize, start)
        return from_numpy(raw.view(dtype.name)) if dtype.name != "bfloat16" else from_numpy(raw).view(dtype)
