# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs of several processes of PaddlePaddle 1: `paddle.distributed.fleet` takes their place."""

from .. import _legacy


class DistributeTranspilerConfig:
    """Settings of PaddlePaddle 1 for training with parameter servers; they are kept."""

    def __init__(self):
        self.slice_var_up, self.split_method, self.min_block_size = True, None, 8192
        self.enable_dc_asgd, self.mode, self.sync_mode, self.runtime_split_send_recv = False, "pserver", True, False


DistributeTranspiler = _legacy.absent_names(__name__)["DistributeTranspiler"]


def memory_optimize(input_program, skip_opt_set=None, print_log=False, level=0, skip_grads=True):
    """Nothing: the compiler plans memory."""


def release_memory(input_program, skip_opt_set=None):
    """Nothing: memory is freed when it is not needed any more."""


__all__ = ["DistributeTranspiler", "DistributeTranspilerConfig", "memory_optimize", "release_memory"]
