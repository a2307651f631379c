# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Loggers."""

import logging


def get_logger(name, level, fmt=None):
    """A logger of its own that writes to stderr.

    Args:
        name: Its name.
        level: Its level.
        fmt: Format of a line; None: the message alone.
    """
    logger = logging.getLogger(name)
    logger.setLevel(level)
    if not logger.handlers:
        handler = logging.StreamHandler()
        if fmt:
            handler.setFormatter(logging.Formatter(fmt=fmt, datefmt="%a %b %d %H:%M:%S"))
        logger.addHandler(handler)
    logger.propagate = False
    return logger


__all__ = ["get_logger"]
