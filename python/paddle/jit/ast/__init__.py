# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The syntax trees of functions, rewritten so that `paddle.jit.control_flow` decides what their branches and loops
do."""
