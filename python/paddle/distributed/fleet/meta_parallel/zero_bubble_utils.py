# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Weight gradients put off until a pipeline has time for them."""

import queue


class WeightGradStore:
    """A queue of functions that compute weight gradients."""

    enabled = False
    cache = []
    funcs_queue = queue.Queue()

    @classmethod
    def put(cls, func):
        """Keep a function for the next flush."""
        cls.cache.append(func)

    @classmethod
    def flush(cls):
        """Close the current batch of functions."""
        cls.funcs_queue.put(cls.cache)
        cls.cache = []

    @classmethod
    def pop(cls):
        """Run the oldest closed batch."""
        if cls.funcs_queue.empty():
            raise RuntimeError("WeightGradStore.pop: the queue is empty; call flush first.")
        for func in cls.funcs_queue.get():
            func()

    @classmethod
    def clear(cls):
        """Forget everything."""
        cls.cache = []
        cls.funcs_queue = queue.Queue()
