# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the datasets share: the backend, the mode, and images of archives."""

import os
import tarfile
import threading

from ...utils import try_import
from ..image import get_image_backend


def checked_backend(owner, backend):
    """'pil' or 'cv2'; the global backend for None."""
    backend = get_image_backend() if backend is None else backend
    if backend not in ("pil", "cv2"):
        raise ValueError(f"{owner}: backend has value {backend!r}; it must be 'pil' or 'cv2'.")
    return backend


def checked_mode(owner, mode, allowed):
    """The mode in lower case."""
    if not isinstance(mode, str) or mode.lower() not in allowed:
        raise AssertionError(f"{owner}: mode has value {mode!r}; it must be one of {', '.join(allowed)}.")
    return mode.lower()


def pillow(owner):
    """The module PIL.Image."""
    text = f"{owner}: Pillow is not installed; pip install pillow, or pass backend='cv2' for arrays."
    return try_import("PIL.Image", text)


class Archive:
    """Members of a tar file by name; each process has its own open file, and pickles have none."""

    def __init__(self, path):
        self._path = path
        self._open()

    def _open(self):
        self._owner, self._lock = os.getpid(), threading.Lock()
        self._file = tarfile.open(self._path)

    def read(self, name):
        """The bytes of a member; KeyError when there is none."""
        if self._owner != os.getpid():
            self._open()
        with self._lock:
            return self._file.extractfile(name).read()

    def __reduce__(self):
        return Archive, (self._path,)
