# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Recomputation of activations in backward."""

from .recompute import recompute, recompute_sequential
from .recompute_hybrid import recompute_hybrid
