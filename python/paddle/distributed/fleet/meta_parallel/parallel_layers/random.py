# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Random states of model parallelism under their path in `meta_parallel`."""

from ...layers.mpu.random import RNGStatesTracker as RNGStatesTracker
from ...layers.mpu.random import get_rng_state_tracker as get_rng_state_tracker
from ...layers.mpu.random import model_parallel_random_seed as model_parallel_random_seed
