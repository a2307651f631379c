# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`split`: a product or an embedding in a static program, whose weight may lie on several processes."""

from ....framework.modes import in_dynamic_mode
from ....framework.parameter import create_parameter


def split(x, size, operation, axis=0, num_partitions=1, gather_out=True, weight_attr=None, bias_attr=None, name=None):
    """A linear layer or an embedding, with new parameters, in the program that is recorded.

    Args:
        x: The input, [..., size[0]] for 'linear', int64 indices for 'embedding'.
        size: The shape of the weight, a pair.
        operation: 'linear' or 'embedding'.
        axis: The axis of the weight that would be split: 0 or 1.
        num_partitions: Number of shards; 1 in paddle.
        gather_out: Whether every process gets the whole result.
        weight_attr, bias_attr: ParamAttr; bias_attr False for none.

    Raises:
        ValueError: It is called in eager mode: use paddle.nn.Linear or paddle.nn.Embedding there.
        NotImplementedError: num_partitions is not 1.
    """
    from ....nn import functional as F

    assert operation in ("linear", "embedding"), (
        f"split: operation has value {operation!r}; it must be 'linear' or 'embedding'."
    )
    assert len(size) == 2 and axis in (0, 1), f"split: size is {size} and axis {axis}; a pair and 0 or 1 are needed."
    if in_dynamic_mode():
        raise ValueError(
            "split: it works in static programs; use paddle.nn.Linear, paddle.nn.Embedding or the parallel layers."
        )
    if num_partitions != 1:
        raise NotImplementedError(
            f"split: num_partitions is {num_partitions}; paddle has no communication between processes."
        )
    weight = create_parameter(list(size), "float32" if operation == "embedding" else x.dtype, attr=weight_attr)
    if operation == "embedding":
        return F.embedding(x, weight)
    bias = None
    if bias_attr is not False:
        bias = create_parameter([size[1]], x.dtype, attr=bias_attr, is_bias=True)
    return F.linear(x, weight, bias)
