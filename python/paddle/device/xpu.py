# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The XPU functions in a build without XPUs: there is none, and what asks for one raises."""

from .. import _legacy


def device_count():
    """Number of XPUs."""
    return 0


_absent = _legacy.absent_names(__name__)
globals().update(_absent)
__all__ = ["device_count", *sorted(_absent)]
