# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`LayerHelper` under its module's own name."""

from ..framework.layer_helper import LayerHelper

__all__ = ["LayerHelper"]
