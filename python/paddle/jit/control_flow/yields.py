# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What generators give that are functions which make lists."""

from .grown import GrownList


def yielded(made):
    """What a call of such a generator gives."""
    return iter(made) if isinstance(made, list) else made


def listed(values):
    """What `yield from` gives on, to be added to a list."""
    return values if isinstance(values, GrownList) else list(values)
