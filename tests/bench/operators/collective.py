# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of collectives and placing operators in a job of one rank: what a call costs without other ranks. PyTorch's column
is empty."""

from . import normal, row

MESH = ([1], [0], "x", [0])
ROWS = [
    row("mesh_all_reduce", [normal()], lambda o, x: o.mesh_all_reduce(x, [0], 0)),
    row("mesh_all_gather", [normal()], lambda o, x: o.mesh_all_gather(x, [0], 0, 0, 1024)),
    row("mesh_reduce_scatter", [normal()], lambda o, x: o.mesh_reduce_scatter(x, [0], 0, 0, 0)),
    row("mesh_all_to_all", [normal()], lambda o, x: o.mesh_all_to_all(x, [0], 0, 0, 1, 1024)),
    row("mesh_broadcast", [normal()], lambda o, x: o.mesh_broadcast(x, [0], 0)),
    row("reshard", [normal()], lambda o, x: o.unshard(o.reshard(x, *MESH))),
    row("unshard", [normal()], lambda o, x: o.unshard(x)),
    row("local_part", [normal()], lambda o, x: o.local_part(x)),
    row("whole_of_parts", [normal()], lambda o, x: o.unshard(o.whole_of_parts(x, [1024, 1024], *MESH))),
]
