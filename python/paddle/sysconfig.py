# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the headers and libraries of this package are."""

import os

__all__ = ["get_include", "get_lib"]


def get_include():
    """The folder of the C++ headers, where a package with headers is installed."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")


def get_lib():
    """The folder of the shared libraries."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "libs")
