# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings that come from environment variables, and guards that set them for a while."""

import os

from . import strtobool


class EnvironmentVariable:
    """A typed environment variable.

    Args:
        name: Its name.
        default: The value while it is not set.

    Example:
        >>> from paddle.utils.environments import EnvironmentVariableGuard, IntegerEnvironmentVariable
        >>> depth = IntegerEnvironmentVariable("MY_DEPTH", 2)
        >>> with EnvironmentVariableGuard(depth, 5):
        ...     depth.get()
        5
        >>> depth.get()
        2
    """

    kind = object  # the type of its values

    def __init__(self, name, default):
        self.name, self.default = name, default

    def parse(self, text):
        """The value of the text of the environment."""
        return text

    def text(self, value):
        """The text in the environment for a value."""
        return str(value)

    def get(self):
        """The value: of the environment, else the default."""
        found = os.environ.get(self.name)
        return self.default if found is None else self.parse(found)

    def set(self, value):
        """Put a value into the environment.

        Raises:
            AssertionError: It has another type.
        """
        if not isinstance(value, self.kind) or (isinstance(value, bool) and self.kind is int):
            raise AssertionError(
                f"{self.name}: value has type {type(value).__name__}; it must be a {self.kind.__name__}."
            )
        os.environ[self.name] = self.text(value)

    def delete(self):
        """Take it out of the environment."""
        os.environ.pop(self.name, None)

    def __repr__(self):
        return f"Env({self.name}={self.get()!r})"


class StringEnvironmentVariable(EnvironmentVariable):
    """Text."""

    kind = str


class BooleanEnvironmentVariable(EnvironmentVariable):
    """y, yes, t, true, on, 1, or n, no, f, false, off, 0."""

    kind = bool

    def parse(self, text):
        return strtobool(text)

    def text(self, value):
        return str(value).lower()

    def __bool__(self):
        raise ValueError(f"{self.name}: ask for its value with get().")


class IntegerEnvironmentVariable(EnvironmentVariable):
    """A whole number; the default where the environment holds something else."""

    kind = int

    def parse(self, text):
        try:
            return int(text)
        except ValueError:
            return self.default


class StringListEnvironmentVariable(EnvironmentVariable):
    """Texts with commas between them."""

    kind = list

    def parse(self, text):
        return [part.strip() for part in text.split(",") if part.strip()]

    def text(self, value):
        return ",".join(value)


class EnvironmentVariableGuard:
    """Inside, a variable has another value.

    Args:
        variable: The EnvironmentVariable.
        value: The value.
    """

    def __init__(self, variable, value):
        self._variable = variable
        self._before = os.environ.get(variable.name)
        variable.set(value)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self._before is None:
            self._variable.delete()
        else:
            os.environ[self._variable.name] = self._before
        return False
