# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Addresses for the processes of a job."""

import contextlib
import socket

from .log_utils import get_logger

__all__ = ["find_free_ports", "get_host_name_ip", "get_logger"]


def find_free_ports(num):
    """Numbers of ports of this machine that nobody uses now, as a set.

    Args:
        num: How many.
    """
    with contextlib.ExitStack() as held:
        found = set()
        for _ in range(num):
            one = held.enter_context(socket.socket())
            one.bind(("", 0))
            found.add(one.getsockname()[1])
        return found


def get_host_name_ip():
    """(name, address) of this machine; None where it has no address."""
    try:
        name = socket.gethostname()
        return name, socket.gethostbyname(name)
    except OSError:
        return None
