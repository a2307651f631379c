# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Texts by which the log of a training run tells what went wrong with its numbers."""

from .. import _core

AADIFF_ERROR = "PaddleRecall error(101): AAdiff"
LOSS_NAN_ERROR = "PaddleRecall error(102): LossNan"
SHARDING_PAD_NON_ZERO_ERROR = "PaddleRecall error(103): ShardingPadNonZero"
LOSS_INF_ERROR = "PaddleRecall error(104): LossInf"


def check_naninf(tensor):
    """LOSS_NAN_ERROR or LOSS_INF_ERROR when a tensor holds a NaN or an infinity, else None."""
    if bool(_core.ops.any(_core.ops.isnan(tensor))):
        return LOSS_NAN_ERROR
    return LOSS_INF_ERROR if bool(_core.ops.any(_core.ops.isinf(tensor))) else None
