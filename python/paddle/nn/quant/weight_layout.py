# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory layouts of weight-only quantized matrices.

A quantized weight is stored in the order in which the tensor-core kernels of a GPU generation read
it, so that files written for those kernels load here and back.  Every layout is a sequence of
reshapes and transposes of the codes [K, N]; `unpack` runs it backwards.
"""

from ... import tensor

_TILE = 64  # rows of one tile of interleaved columns


class Layout:
    """The order of the codes of one bit width for one GPU generation.

    Args:
        bits: 8 or 4.
        arch: Compute capability times ten; 70 has a layout of its own, all later ones share one.
    """

    def __init__(self, bits, arch):
        self.bits = bits
        self.volta = arch == 70
        self.columns = 2 if bits == 8 else 4  # columns of a tile that lie side by side
        self.lanes = 2 if bits == 8 else 4  # groups of eight rows that one register holds

    def pack(self, codes):
        """int32 codes [K, N] -> int8 [N, K] for 8 bits, [N / 2, K] for 4 bits."""
        k, n = codes.shape
        if self.volta:
            order = codes.reshape([-1, self.columns, 2]).transpose([0, 2, 1])
        else:
            order = codes.T.reshape([n, k // (8 * self.lanes), self.lanes, 8]).transpose([0, 1, 3, 2])
            order = order.reshape([n // self.columns, self.columns, k // _TILE, _TILE]).transpose([0, 2, 1, 3])
        biased = order + 2 ** (self.bits - 1)
        if self.bits == 4:
            pairs = biased.reshape([-1, 2])
            biased = pairs[:, 0] + 16 * pairs[:, 1]
        as_signed = biased - 256 * (biased > 127).astype("int32")
        return as_signed.astype("int8").reshape([n * self.bits // 8, k])

    def unpack(self, packed):
        """int8 as `pack` made it -> int8 codes [K, N]."""
        rows, k = packed.shape
        n = rows * 8 // self.bits
        order = packed.flatten()
        if self.bits == 4:
            order = tensor.stack([order & 15, (order >> 4) & 15], axis=-1) - 8
        else:
            order = order ^ -128  # undoes the bias of 128 modulo 256
        if self.volta:
            return order.reshape([-1, 2, self.columns]).transpose([0, 2, 1]).reshape([k, n])
        order = order.reshape([n // self.columns, k // _TILE, self.columns, _TILE]).transpose([0, 2, 1, 3])
        order = order.reshape([n, k // (8 * self.lanes), 8, self.lanes]).transpose([0, 1, 3, 2])
        return order.reshape([n, k]).T

    def check(self, operator, k, n):
        """Refuses a matrix that the tiles do not divide."""
        if k % _TILE:
            raise ValueError(
                f"{operator}: the first dimension of x must be a multiple of {_TILE}, got shape [{k}, {n}]; pad the weight."
            )
