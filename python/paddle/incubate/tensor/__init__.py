# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensor functions whose interface may still change."""

from ...geometric import segment_max, segment_mean, segment_min, segment_sum
from . import manipulation
