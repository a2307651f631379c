# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Home of `parallelize` as PaddlePaddle has it."""
