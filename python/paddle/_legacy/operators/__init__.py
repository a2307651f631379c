# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of PaddlePaddle 2: their names, slots and attributes, and what they are today."""
