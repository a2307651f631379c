# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`python -m paddle.distributed.launch script.py`: run a script in the processes of a job."""

import sys
import types

from .main import launch


class _CallableModule(types.ModuleType):
    """`paddle.distributed.launch` is both a package and its function."""

    def __call__(self):
        self.launch()


sys.modules[__name__].__class__ = _CallableModule
