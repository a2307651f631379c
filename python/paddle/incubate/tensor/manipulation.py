# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Copies between the memory of an accelerator and of the host that run beside the computation."""


def _absent(name):
    raise AttributeError(f"{name}: asynchronous copies belong to GPUs; paddle runs on the CPU alone.")


def create_async_load():
    """The object that runs asynchronous copies.

    Raises:
        AttributeError: Paddle has no accelerator.
    """
    _absent("create_async_load")


def async_offload(src_tensor, async_load):
    """Copies a tensor to host memory.

    Raises:
        AttributeError: Paddle has no accelerator.
    """
    _absent("async_offload")


def async_offload_with_offset(src_tensor, dst_tensor, src_offset, dst_offset, offload_size, async_loader):
    """Copies a range of a tensor to host memory.

    Raises:
        AttributeError: Paddle has no accelerator.
    """
    _absent("async_offload_with_offset")


def async_reload(src_tensor, async_load):
    """Copies a tensor back to the accelerator.

    Raises:
        AttributeError: Paddle has no accelerator.
    """
    _absent("async_reload")
