# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention where each query sees the keys that a sparse pattern names."""

import math

from .... import tensor
from ... import _layout
from ...product import masked_matmul, matmul
from ...tensor import is_sparse
from .activation import softmax


def attention(query, key, value, sparse_mask, key_padding_mask=None, attn_mask=None, name=None):
    """softmax(query key^T / sqrt(D)) value, where the softmax is over the places that sparse_mask stores.

    Args:
        query, key, value: Dense Tensors of shape [B, heads, L, D].
        sparse_mask: Sparse Tensor in CSR form, of shape [B * heads, L, L]; its values do not matter.
        key_padding_mask: Tensor of shape [B, L]; keys where it is 0 are left out.
        attn_mask: Tensor of shape [L, L]; pairs of query and key where it is 0 are left out.
        name: Unused.

    Returns:
        A Tensor of shape [B, heads, L, D].

    Raises:
        TypeError: sparse_mask is not sparse.
        ValueError: The shapes do not fit.
    """
    if not is_sparse(sparse_mask):
        raise TypeError(
            "sparse.nn.functional.attention: sparse_mask is not a sparse tensor; convert it with to_sparse_csr()."
        )
    shape = list(query.shape)
    if len(shape) != 4 or list(key.shape) != shape or list(value.shape) != shape:
        raise ValueError(
            f"sparse.nn.functional.attention: query, key and value have shapes {shape}, {list(key.shape)} and "
            f"{list(value.shape)}; they must be equal and 4-D."
        )
    batch, heads, length, width = shape
    query, key, value = (one.reshape([batch * heads, length, width]) for one in (query, key, value))
    scores = masked_matmul(query / math.sqrt(width), key.transpose([0, 2, 1]), sparse_mask)
    index = _layout.coords(sparse_mask)
    kept = None
    if key_padding_mask is not None:
        kept = _layout.at_index(key_padding_mask, index[[0, 2]] // [[heads], [1]]) != 0
    if attn_mask is not None:
        allowed = _layout.at_index(attn_mask, index[1:]) != 0
        kept = allowed if kept is None else tensor.logical_and(kept, allowed)
    if kept is not None:
        floor = tensor.full_like(scores.values(), float("-inf"))
        scores = scores._with_values(tensor.where(kept, scores.values(), floor))
    return matmul(softmax(scores), value).reshape(shape)
