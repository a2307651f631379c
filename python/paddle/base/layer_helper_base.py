# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`LayerHelperBase` under its older path."""

from ..framework.layer_helper import LayerHelper as LayerHelperBase

__all__ = ["LayerHelperBase"]
