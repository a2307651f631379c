# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Device plugins: shared libraries that keep the interface of `paddle_device.h`. They are looked for when a device other
than the CPU is first asked for, not at import:

- `PADDLE_DEVICE_PLUGINS`: paths of libraries, joined as in PATH
- `CUSTOM_DEVICE_ROOT`: a folder; every library `*.so` in it
- entry points of the group `paddle.device_plugins`: each is the path of a library, or a function that gives it
"""

import os
import warnings

from .. import _core


def load_plugin(path):
    """Load a device plugin.

    Args:
        path: Path of its shared library.

    Returns:
        The place of its first device; that of before when the library is loaded already.

    Raises:
        OSError: The file cannot be loaded, or is no plugin.
        RuntimeError: It does not keep the interface, or is of another version; the text names the function.
        ValueError: Its device type has a name that is taken.
    """
    return _core.load_plugin(os.fspath(path))


def loaded_plugins():
    """The loaded plugins.

    Returns:
        A dict of the device type's name, to a dict with the `path` of the library, its `version`, and the version of
        the `interface` that it was built with, a pair of numbers.
    """
    discovered = (_core.custom_device_types(), _core.loaded_plugins())[1]
    return {
        name: {"path": path, "version": version, "interface": interface}
        for name, path, version, interface in discovered
    }


def discover():
    """Load what the environment and installed packages name; called once, by the core.

    Raises:
        OSError, RuntimeError, ValueError: A library of PADDLE_DEVICE_PLUGINS cannot be used.
    """
    for path in filter(None, os.environ.get("PADDLE_DEVICE_PLUGINS", "").split(os.pathsep)):
        load_plugin(path)
    root = os.environ.get("CUSTOM_DEVICE_ROOT")
    if root and os.path.isdir(root):
        for name in sorted(n for n in os.listdir(root) if n.endswith(".so")):
            _load_or_warn(os.path.join(root, name), f"{name} of CUSTOM_DEVICE_ROOT")
    for entry in _entry_points():
        _load_or_warn(entry, f"the entry point {entry.name} of paddle.device_plugins")


def _entry_points():
    from importlib import metadata

    return metadata.entry_points(group="paddle.device_plugins")


def _load_or_warn(source, what):
    """A plugin that was found, and not asked for, hinders nobody when it cannot be used."""
    try:
        if not isinstance(source, str):
            source = source.load()
            source = source() if callable(source) else source
        load_plugin(source)
    except Exception as error:
        warnings.warn(f"{what} is not used: {error}", RuntimeWarning, stacklevel=2)
