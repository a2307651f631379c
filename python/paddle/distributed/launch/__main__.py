# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The command `python -m paddle.distributed.launch`."""

from .main import launch

launch()
