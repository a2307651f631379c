# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Training with parameter servers by its older path: `fleet` is that of `paddle.distributed.fleet`."""

from ..... import _paths

_paths.attach(__name__)
