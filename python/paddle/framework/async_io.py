# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`async_save`: files that a thread writes while the program goes on."""

import io
import os
import threading

from .. import _core
from . import modes
from .io import save


class _Writer(threading.Thread):
    """Writes bytes to a file; `finish` waits for it and raises what went wrong."""

    def __init__(self, data, path):
        super().__init__(name=f"async_save {path}")
        self._data, self._path, self._error = data, path, None

    def run(self):
        try:
            folder = os.path.dirname(self._path)
            if folder:
                os.makedirs(folder, exist_ok=True)
            with open(self._path, "wb") as file:
                file.write(self._data)
        except OSError as error:
            self._error = error

    def finish(self):
        self.join()
        if self._error is not None:
            raise self._error


_writers = []


def async_save(obj, path, protocol=4, sync_other_task=False, **configs):
    """As `save`, where a thread writes the file; values that change after the call do not change it.

    Args:
        obj: A Tensor or a dict, such as a state dict.
        path: A file name; folders are made.
        protocol: 2, 3 or 4.
        sync_other_task: Whether to wait first for the files of earlier calls.
        configs: Options of `save`.

    Raises:
        TypeError: `obj` is neither a Tensor nor a dict.
        ValueError: The path is no file name, `save` refuses the object or an option, or static mode is on.
    """
    if not modes.in_dynamic_mode():
        raise ValueError("async_save: static mode is on; call paddle.disable_static() first, or use paddle.save.")
    if not isinstance(obj, (dict, _core.Tensor)):
        raise TypeError(f"async_save: obj has type {type(obj).__name__}; it must be a Tensor or a dict.")
    if not isinstance(path, (str, os.PathLike)) or os.path.basename(os.fspath(path)) == "":
        raise ValueError(f"async_save: path has value {path!r}; it must end with a file name.")
    if sync_other_task:
        clear_async_save_task_queue()
    data = io.BytesIO()
    save(obj, data, protocol, **configs)
    _writers[:] = [writer for writer in _writers if writer.is_alive() or writer._error is not None]
    writer = _Writer(data.getbuffer(), os.fspath(path))
    _writers.append(writer)
    writer.start()


def clear_async_save_task_queue():
    """Wait until all files of `async_save` are written; an OSError of one of them is raised here."""
    while _writers:
        _writers.pop(0).finish()
