# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The seed of the random state."""

from .framework.random import Generator

__all__ = ["initial_seed"]


def initial_seed():
    """The seed that the random state was started with."""
    return Generator("cpu").initial_seed()
