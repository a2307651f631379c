# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of recommendation models."""

from .nn import batch_fc, partial_concat, partial_sum, shuffle_batch
from .trees import tdm_child, tdm_sampler

__all__ = ["batch_fc", "partial_concat", "partial_sum", "shuffle_batch", "tdm_child", "tdm_sampler"]
