# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The cache of interpreted bytecode: it is empty, as Python itself runs functions and segments are kept with them."""


class OpcodeExecutorCache:
    """One empty cache serves the process."""

    _one = None

    def __new__(cls):
        if cls._one is None:
            cls._one = super().__new__(cls)
            cls._one.cache, cls._one.translate_count = {}, 0
        return cls._one

    def clear(self):
        """Forget what is in it: nothing."""
