# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Variables without a value."""


def unbound_local_error(name, why=""):
    """The error that Python raises where a variable without a value is read."""
    return UnboundLocalError(f"cannot access local variable {name!r} where it is not associated with a value{why}")


class Undefined:
    """A variable that has no value yet; every use raises."""

    def __init__(self, name, why="", refusal=""):
        """A variable without a value.

        Args:
            name: Its name.
            why: The end of the message: why it has none although code gave it one.
            refusal: The message of a ValueError that is raised instead.
        """
        self.__dict__.update(_name=name, _why=why or refusal, _refusal=refusal)

    @property
    def why(self):
        """Why it has no value although code gave it one; empty when none did."""
        return self._why

    def _raise(self, *args, **kwargs):
        if self._refusal:
            raise ValueError(self._refusal)
        raise unbound_local_error(self._name, self._why)

    __getattr__ = __setattr__ = __call__ = __getitem__ = __iter__ = __len__ = __bool__ = __float__ = __int__ = _raise
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __lt__ = __gt__ = _raise
    __matmul__ = __le__ = __ge__ = __neg__ = __index__ = _raise


class Missing:
    """What a snapshot holds for an attribute or variable that does not exist."""
