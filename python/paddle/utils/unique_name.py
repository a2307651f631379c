# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Unique names: `generate('linear')` gives linear_0, linear_1, ...; `guard` starts anew."""

import contextlib

__all__ = ["generate", "guard", "switch"]


class UniqueNameGenerator:
    """Counts per key, with a prefix before each name."""

    def __init__(self, prefix=None):
        self.ids = {}
        self.prefix = prefix or ""

    def __call__(self, key):
        number = self.ids.get(key, 0)
        self.ids[key] = number + 1
        return f"{self.prefix}{key}_{number}"


_generator = UniqueNameGenerator()
_checker = set()


def generate(key):
    """A name that was not given before, made of a key and a number.

    Args:
        key: The first part of the name.

    Example:
        >>> with paddle.utils.unique_name.guard():
        ...     [paddle.utils.unique_name.generate("fc") for _ in range(2)]
        ['fc_0', 'fc_1']
    """
    return _generator(key)


def generate_with_ignorable_key(key):
    """The same as `generate`."""
    return _generator(key)


def switch(new_generator=None, new_para_name_checker=None):
    """Install a generator and a checker of names; gives the previous pair.

    Args:
        new_generator: A UniqueNameGenerator; None: a new one.
        new_para_name_checker: Kept and given back by the next call; None: a new one.
    """
    global _generator, _checker
    previous = _generator, _checker
    _generator = UniqueNameGenerator() if new_generator is None else new_generator
    _checker = set() if new_para_name_checker is None else new_para_name_checker
    return previous


@contextlib.contextmanager
def guard(new_generator=None):
    """Count from zero inside, and go on with the previous counts after.

    Args:
        new_generator: None, a name prefix, or a UniqueNameGenerator.

    Example:
        >>> names = paddle.utils.unique_name
        >>> with names.guard():
        ...     first = names.generate("fc")
        >>> with names.guard():
        ...     again = names.generate("fc")
        >>> first, again
        ('fc_0', 'fc_0')
    """
    if isinstance(new_generator, bytes):
        new_generator = new_generator.decode()
    if isinstance(new_generator, str):
        new_generator = UniqueNameGenerator(new_generator)
    previous = switch(new_generator)
    try:
        yield
    finally:
        switch(*previous)
