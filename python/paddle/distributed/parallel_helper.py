# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether the job of several processes has been initialised."""

from .communication.group import is_initialized


def _is_parallel_ctx_initialized():
    return is_initialized()
