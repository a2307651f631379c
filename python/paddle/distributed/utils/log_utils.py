# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Loggers of jobs."""

import logging


def get_logger(log_level, name="root"):
    """A logger that writes to standard error with time, level and place.

    Args:
        log_level: Name or number of the level.
        name: Name of the logger.
    """
    logger = logging.getLogger(name)
    logger.setLevel(log_level)
    logger.propagate = False
    if not any(getattr(handler, "_of_jobs", False) for handler in logger.handlers):
        handler = logging.StreamHandler()
        handler._of_jobs = True
        form = "[%(asctime)-15s] [%(levelname)8s] %(filename)s:%(lineno)s - %(message)s"
        handler.setFormatter(logging.Formatter(form))
        logger.addHandler(handler)
    return logger
