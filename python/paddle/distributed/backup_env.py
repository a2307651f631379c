# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Environment variables as they were when the package was loaded."""

import os

__all__ = ["getenv_or_backup"]

_backup = dict(os.environ)


def getenv_or_backup(name, default=None):
    """The value of a variable now, else the one it had, else `default`."""
    return os.environ.get(name, _backup.get(name, default))
