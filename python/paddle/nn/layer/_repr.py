# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The text of a layer's settings."""


def named(text, name):
    """A text of settings with the name that the layer was given, if any."""
    if not name:
        return text
    return f"{text}, name={name}" if text else f"name={name}"
