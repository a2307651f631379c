# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The address of a server, taken before its weights are read, so that a port that is in use is known at once."""

import socket


def bind(host, port):
    """A socket bound to an address, which accepts nothing yet.

    Raises:
        OSError: The address cannot be had.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise OSError(f"--host {host}: {error.strerror or error}") from None
    family, kind, protocol, _, address = found[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except OSError as error:
        made.close()
        raise OSError(f"--host {host} --port {port}: {error.strerror or error}") from None
    made.setblocking(False)
    return made
