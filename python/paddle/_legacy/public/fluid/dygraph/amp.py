# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Mixed precision by the names of PaddlePaddle 2.0."""

import enum

from ...amp import GradScaler
from ...amp import auto_cast as amp_guard


class AmpScaler(GradScaler):
    """See `paddle.amp.GradScaler`."""


class OptimizerState(enum.Enum):
    """What a scaler has done with an optimizer."""

    INIT, UNSCALED, STEPPED = 0, 1, 2


__all__ = ["AmpScaler", "amp_guard"]
