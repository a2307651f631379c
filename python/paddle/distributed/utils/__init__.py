# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Helpers of jobs: loggers, free ports, rows for experts."""

from ... import _lazy

__getattr__ = _lazy.attribute_hook(__name__, ("launch_utils", "log_utils", "moe_utils"), {})
