# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Parallel training without annotations: of a job of one process, the training itself."""


def to_distributed(model, optimizer, dataloader, device_num, node_num=1, config=None):
    """A model, its optimizer and its data, distributed over all devices.

    Args:
        model: A Layer.
        optimizer: Its optimizer.
        dataloader: A DataLoader.
        device_num: Number of devices of all nodes.
        node_num: Number of nodes.
        config: Kept for compatibility; one process has nothing to choose.

    Returns:
        The three; for one device they are what was given.

    Raises:
        ValueError: There is to be more than one device: a job has one process here.

    Example:
        >>> import paddle
        >>> model = paddle.nn.Linear(2, 1)
        >>> optimizer = paddle.optimizer.SGD(parameters=model.parameters())
        >>> data = paddle.io.DataLoader(paddle.io.TensorDataset([paddle.ones([4, 2])]), batch_size=2)
        >>> model, optimizer, data = paddle.distributed.to_distributed(model, optimizer, data, device_num=1)
    """
    if device_num != 1 or node_num != 1:
        raise ValueError(
            f"to_distributed: device_num is {device_num} and node_num {node_num}; paddle has no transport between "
            f"processes, so both must be 1."
        )
    return model, optimizer, dataloader


def enable_auto_dp():
    """Split batches over all processes in `to_static` and `Engine`; a job of one process keeps them whole."""


def create_nccl_config(nccl_config=None):
    """The settings of a group of GPUs for `new_group`: None, as paddle has no NCCL.

    Args:
        nccl_config: Dict of settings.

    Raises:
        ValueError: `nccl_config` is no dict.
    """
    if nccl_config is not None and not isinstance(nccl_config, dict):
        raise ValueError(f"create_nccl_config: nccl_config is a {type(nccl_config).__name__}; it must be a dict.")
