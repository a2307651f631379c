# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Collectives under the names of earlier versions."""

from .communication import *  # noqa: F403
