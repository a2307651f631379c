# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Message passing under the names from before `paddle.geometric`."""

from ..geometric import send_u_recv


def graph_send_recv(x, src_index, dst_index, pool_type="sum", out_size=None, name=None):
    """`paddle.geometric.send_u_recv`."""
    return send_u_recv(x, src_index, dst_index, pool_type, out_size)
