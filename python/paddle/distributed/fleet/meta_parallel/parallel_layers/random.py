# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Random states of model parallelism under their path in `meta_parallel`."""

from ...layers.mpu.random import (
    RNGStatesTracker,
    get_rng_state_tracker,
    model_parallel_random_seed,
)
