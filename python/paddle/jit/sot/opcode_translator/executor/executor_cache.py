# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What functions that run in segments have captured, all together."""

from ....static_function import StaticFunction


class OpcodeExecutorCache:
    """The segments of all functions; there is one in a process."""

    _one = None

    def __new__(cls):
        if cls._one is None:
            cls._one = super().__new__(cls)
        return cls._one

    @property
    def cache(self):
        """The number of segments that each function has captured."""
        return {f: f.get_traced_count() for f in StaticFunction.in_segments if f.get_traced_count()}

    @property
    def translate_count(self):
        """The number of segments."""
        return sum(self.cache.values())

    def clear(self):
        """Forgets them: the next calls capture anew."""
        for function in list(StaticFunction.in_segments):
            function.forget_segments()
