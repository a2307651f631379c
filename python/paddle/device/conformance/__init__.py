# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The conformance suite of device plugins; see README.md."""

from .report import examine

__all__ = ["examine"]
