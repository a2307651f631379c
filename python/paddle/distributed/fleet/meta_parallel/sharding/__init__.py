# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers, optimizers and scalers of state that is split over a group (ZeRO)."""

from .group_sharded_optimizer_stage2 import GroupShardedOptimizerStage2
from .group_sharded_stage2 import GroupShardedStage2
from .group_sharded_stage3 import GroupShardedStage3
from .group_sharded_utils import GroupShardedScaler
