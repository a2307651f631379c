# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of devices that paddle does not have."""


def absent_functions(module, where, reason):
    """A function that makes the absent functions of a module.

    Args:
        module: Name of the module.
        where: When their calls raise, as in "on the CPU".
        reason: The sentence of the error, behind the name of the function.

    Returns:
        A function of a name and of what the result would be, which gives a function that raises ValueError.
    """

    def absent(name, what):
        def read(device=None):
            raise ValueError(f"{name}: {reason}")

        read.__name__ = read.__qualname__ = name
        read.__module__ = module
        read.__doc__ = f"ValueError {where}: {what}."
        return read

    return absent
