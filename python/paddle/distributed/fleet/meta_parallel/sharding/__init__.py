# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers and scalers of state that is split over a group (ZeRO)."""

from .group_sharded_optimizer_stage2 import GroupShardedOptimizerStage2
from .group_sharded_utils import GroupShardedScaler
