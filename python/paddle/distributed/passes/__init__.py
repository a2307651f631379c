# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Passes over lists of static programs."""

from .pass_base import PassContext, PassManager, new_pass

__all__ = ["PassContext", "PassManager", "new_pass"]
