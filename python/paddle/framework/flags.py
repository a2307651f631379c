# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Global flags (`FLAGS_...`)."""

from .. import _core


def set_flags(flags):
    """Set flags from a dict of names and values."""
    if not isinstance(flags, dict):
        raise TypeError("set_flags: flags must be a dict of flag names and values.")
    _core.set_flags(flags)
    if "FLAGS_check_nan_inf" in flags:
        _core.check_nan_inf(_core.get_flags("FLAGS_check_nan_inf")["FLAGS_check_nan_inf"])


def get_flags(flags):
    """A dict of the values of one flag or a list of flags."""
    if isinstance(flags, str):
        flags = [flags]
    if not isinstance(flags, (list, tuple)):
        raise TypeError("get_flags: flags must be a name or a list of names.")
    return _core.get_flags(list(flags))
