# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The logger of fleet."""

import functools
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


class DistributedLogger(logging.Logger):
    """A logger whose `info` first waits for what the device still computes, so that times in its lines are true."""

    def info(self, msg, *args, **kwargs):
        """Log a message at level INFO, of the line that calls.

        Args:
            msg: Text, with the places of args as in `logging`.
        """
        from paddle import device

        device.synchronize()
        kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
        super().info(msg, *args, **kwargs)


def _distributed_logger(name, level, handler):
    made = DistributedLogger(name, level)
    handler.setFormatter(logging.Formatter("[%(asctime)-15s] [%(levelname)8s] %(filename)s:%(lineno)s - %(message)s"))
    made.addHandler(handler)
    return made


@functools.cache
def get_sync_logger():
    """The logger that waits for the device, which writes to the console."""
    return _distributed_logger("sync", logging.INFO, logging.StreamHandler())


def get_rotate_file_logger(log_level, name="root"):
    """A logger that waits for the device and writes to `hybrid_parallel/worker_<rank>.log`, three files of 10 MB.

    Args:
        log_level: Name or number of the level.
        name: Its name is `<name>_rotate`.
    """
    import os
    from logging import handlers

    os.makedirs("hybrid_parallel", exist_ok=True)
    path = os.path.join("hybrid_parallel", f"worker_{os.environ.get('PADDLE_TRAINER_ID', '0')}.log")
    return _distributed_logger(
        name + "_rotate", log_level, handlers.RotatingFileHandler(path, maxBytes=10 << 20, backupCount=3)
    )


@functools.cache
def sync_rotate_logger():
    """`get_rotate_file_logger` of level INFO, made at the first call."""
    return get_rotate_file_logger("INFO", "sync")


def layer_to_str(base, *args, **kwargs):
    """A call as text: `layer_to_str("Linear", 3, 4, bias=False)` is "Linear(3, 4, bias=False)"."""
    return f"{base}({', '.join([*map(str, args), *(f'{k}={v}' for k, v in kwargs.items())])})"
