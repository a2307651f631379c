# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The logger of the high-level interface."""

import logging
import os
import sys

_FORMAT = "%(asctime)s - %(name)s - %(levelname)s - %(message)s"


def setup_logger(output=None, name="hapi", log_level=logging.INFO):
    """A logger that writes to the standard output and, where it is asked for, to a file.

    Args:
        output: A file (ending in .txt or .log), or a folder in which log.txt is written; None: no file.
        name: Name of the logger.
        log_level: Messages below this level are left out.

    Returns:
        A `logging.Logger`; it gets its handlers once.

    Example:
        >>> from paddle.hapi.logger import setup_logger
        >>> logger = setup_logger(name="training", log_level=30)
        >>> logger.info("left out")
    """
    logger = logging.getLogger(name)
    logger.propagate = False
    logger.setLevel(log_level)
    if not logger.handlers:
        logger.addHandler(logging.StreamHandler(stream=sys.stdout))
    if output is not None:
        path = output if output.endswith((".txt", ".log")) else os.path.join(output, "log.txt")
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if not any(getattr(handler, "baseFilename", None) == os.path.abspath(path) for handler in logger.handlers):
            logger.addHandler(logging.FileHandler(path))
    for handler in logger.handlers:
        handler.setFormatter(logging.Formatter(_FORMAT))
    return logger
