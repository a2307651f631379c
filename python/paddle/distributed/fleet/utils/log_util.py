# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The logger of fleet."""

import logging

logger = logging.getLogger("fleet")
logger.propagate = False
if not logger.handlers:
    _handler = logging.StreamHandler()
    _handler.setFormatter(logging.Formatter("[%(asctime)-15s] [%(levelname)8s] %(filename)s:%(lineno)s - %(message)s"))
    logger.addHandler(_handler)
logger.setLevel(logging.WARNING)


def set_log_level(level):
    """Set the level by name or number."""
    logger.setLevel(level.upper() if isinstance(level, str) else level)


def get_log_level_code():
    """The level as a number."""
    return logger.getEffectiveLevel()


def get_log_level_name():
    """The level's name."""
    return logging.getLevelName(get_log_level_code())
