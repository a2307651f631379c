# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Training by several processes by its older path; see `paddle.distributed.fleet`."""

from .... import _paths

_paths.attach(__name__)
