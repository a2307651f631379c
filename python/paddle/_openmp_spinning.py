# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""How long threads spin before they sleep, between two loops.

libgomp's default is several milliseconds. When another process has a core, threads that spin keep the thread they wait
for from running, and a program slows down many times. A tenth of a millisecond covers the time between two operators.
libgomp reads its environment when it is loaded, so this surrounds the import of `_core`; what the user set stays.
"""

import os

SPINS = "5000"
_SETTINGS = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")


class Brief:
    """Lets threads spin briefly: sets the environment for a `with` block, while libgomp is loaded."""

    def __enter__(self):
        self.mine = not any(name in os.environ for name in _SETTINGS)
        if self.mine:
            os.environ["GOMP_SPINCOUNT"] = SPINS

    def __exit__(self, *_):
        if self.mine:
            del os.environ["GOMP_SPINCOUNT"]
