# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Loading of batches under its older path."""

from .reader import DataLoader, PyReader

__all__ = ["DataLoader", "PyReader"]
