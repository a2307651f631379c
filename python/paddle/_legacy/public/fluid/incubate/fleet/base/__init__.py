# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Roles of processes by their older path."""

from ..... import _paths

_paths.attach(__name__)
