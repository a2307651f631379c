# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of PaddlePaddle 2 by their names, slots and attributes, as `append_op`, `core.Operator` and
`_legacy_C_ops` call them.

`call.py` runs one. Most are translated as those of a `.pdmodel` file are (`pir/legacy`); those that are
functions of this package are listed in `table.py`, which `composites`, `fused`, `quantizers` and `updates` fill.
"""
