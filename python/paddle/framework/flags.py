# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Global flags (`FLAGS_...`)."""

from .. import _core
from . import modes


def _kept():
    """The flags that are only kept, by name."""
    from . import tuning_flags

    return tuning_flags.values


def _typed(name, value, kind):
    """A value as the type of its flag."""
    if kind is bool and isinstance(value, str):
        value = {"true": True, "1": True, "false": False, "0": False}.get(value.lower(), value)
    if kind is str:
        return str(value)
    if not isinstance(value, (bool, int, float)):
        raise ValueError(f"set_flags: {name} has value {value!r}; it must be of type {kind.__name__}.")
    return kind(value)


def set_flags(flags):
    """Set flags of the process.

    `FLAGS_batch_invariant` makes results independent of company: an element of a product has bits that depend on its
    row, its column and the length of the sum, that of a normalisation or softmax on its row, that of attention on its
    query and the keys that it sees, for any number of rows and threads. `docs/performance.md` says what it costs.

    Args:
        flags: A dict of names and values.

    Raises:
        TypeError: flags is no dict.
        ValueError: There is no such flag, or it takes no such value.

    Example:
        >>> paddle.set_flags({"FLAGS_check_nan_inf": False})
    """
    if not isinstance(flags, dict):
        raise TypeError("set_flags: flags must be a dict of flag names and values.")
    known = _core.get_flags()
    own = {name: value for name, value in flags.items() if name in known or name not in _kept()}
    kept = {name: _typed(name, flags[name], type(_kept()[name])) for name in flags.keys() - own.keys()}
    _core.set_flags(own)
    if kept:
        _kept().update(kept)
    if "FLAGS_enable_pir_api" in kept:
        modes.set_pir_api(kept["FLAGS_enable_pir_api"])
    if "FLAGS_check_nan_inf" in flags:
        _core.check_nan_inf(_core.get_flags("FLAGS_check_nan_inf")["FLAGS_check_nan_inf"])
    if "FLAGS_force_decompose" in flags:
        _core.force_decompositions(_core.get_flags("FLAGS_force_decompose")["FLAGS_force_decompose"])


def get_flags(flags):
    """The values of flags of the process.

    Args:
        flags: One name or a list of names.

    Returns:
        A dict of names and values.

    Raises:
        ValueError: There is no such flag.

    Example:
        >>> paddle.get_flags("FLAGS_check_nan_inf")
        {'FLAGS_check_nan_inf': False}
    """
    if isinstance(flags, str):
        flags = [flags]
    if not isinstance(flags, (list, tuple)):
        raise TypeError("get_flags: flags must be a name or a list of names.")
    known = _core.get_flags()
    return {
        name: _kept()[name] if name not in known and name in _kept() else _core.get_flags([name])[name]
        for name in flags
    }


class Flags:
    """The flags as a mapping from names to values."""

    def __getitem__(self, name):
        return get_flags(name)[name]

    def __setitem__(self, name, value):
        set_flags({name: value})

    def __contains__(self, name):
        return name in _core.get_flags() or name in _kept()

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def keys(self):
        """The names of all flags."""
        return sorted({*_core.get_flags(), *_kept()})

    def get(self, name, default=None):
        """The value of a flag; `default` when there is none of that name."""
        return self[name] if name in self else default

    def is_public(self, name):
        """Whether programs may set a flag: all of them."""
        return name in self
