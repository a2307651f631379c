# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of layers: normalisation, recurrent layers, losses, fused blocks."""

from .... import _core

ops = _core.ops

__all__ = [
    "accuracy",
    "affine_channel",
    "batch_norm",
    "fused_dropout_add",
    "fused_gemm_epilogue",
    "margin_cross_entropy",
    "rnn",
    "spectral_norm",
    "sync_batch_norm_",
    "temporal_shift",
    "top_p_sampling",
    "weight_dequantize",
]


def batch_norm(
    x,
    mean,
    variance,
    scale,
    bias,
    is_test,
    momentum,
    epsilon,
    data_format,
    use_global_stats,
    trainable_statistics=False,
):
    """Normalisation by the statistics of the batch, or by the running ones; these are updated in training."""
    return ops.batch_norm_(
        x,
        mean,
        variance,
        scale,
        bias,
        is_test,
        momentum,
        epsilon,
        data_format,
        use_global_stats,
        trainable_statistics,
    )


def sync_batch_norm_(
    x,
    mean,
    variance,
    scale,
    bias,
    is_test,
    momentum,
    epsilon,
    data_format,
    use_global_stats,
    trainable_statistics=False,
):
    """`batch_norm` with the statistics of the batches of all processes; here there is one process."""
    from ....distributed import get_world_size

    if get_world_size() > 1:
        raise NotImplementedError(
            f"sync_batch_norm_: there are {get_world_size()} processes; this form is for one. Use paddle.nn.SyncBatchNorm."
        )
    return batch_norm(
        x,
        mean,
        variance,
        scale,
        bias,
        is_test,
        momentum,
        epsilon,
        data_format,
        use_global_stats,
        trainable_statistics,
    )


def spectral_norm(weight, u, v, dim=0, power_iters=1, eps=1e-12):
    """A weight divided by its largest singular value."""
    from ....nn.layer.norm import divided_by_sigma

    return divided_by_sigma(weight, u, v, dim, power_iters, eps)


def affine_channel(x, scale, bias, data_layout="NCHW"):
    """x * scale + bias, one pair for each channel."""
    sizes = [1, -1, *[1] * (x.ndim - 2)] if data_layout == "NCHW" else [-1]
    return x * ops.reshape(scale, sizes) + ops.reshape(bias, sizes)


def temporal_shift(x, seg_num, shift_ratio=0.25, data_format="NCHW"):
    """Channels shifted by a step in time, forth and back."""
    from ....nn import functional as F

    return F.temporal_shift(x, seg_num, shift_ratio, data_format=data_format)


def _states(pre_state, mode):
    """Rows of the initial states, one (of an LSTM a pair) for each layer and direction."""
    rows = [ops.unbind(part, 0) for part in pre_state]
    return list(zip(*rows, strict=True)) if mode == "LSTM" else [(row, None) for row in rows[0]]


def _one_direction(x, weights, biases, state, length, mode, reverse):
    (w_in, w_state), (b_in, b_state) = weights, biases
    if mode != "GRU" and b_in is not None and b_state is not None:
        # summed first, as the layers sum them: a loaded program gives the bits of the layer
        b_in, b_state = None, b_state + b_in
    gates = ops.matmul(x, w_in, False, True)
    if b_in is not None:
        gates = gates + b_in
    return ops.recurrence(gates, *state, w_state, b_state, length, mode, reverse)[:3]


def rnn(
    x,
    pre_state,
    weight_list,
    sequence_length,
    dropout_state_in,
    dropout_prob=0.0,
    is_bidirec=False,
    input_size=10,
    hidden_size=100,
    num_layers=1,
    mode="RNN_TANH",
    seed=0,
    is_test=False,
):
    """Layers of a recurrent network over all steps.

    Args:
        x: [steps, batch, size].
        pre_state: [h] or, for mode "LSTM", [h, c]; each [layers * directions, batch, hidden_size].
        weight_list: For each layer and direction the weights of inputs and states, then, in that order, the biases.
        sequence_length: Steps of each sample, [batch], or None.

    Returns:
        (outputs [steps, batch, directions * hidden_size], dropout_state_in, last states as pre_state).
    """
    directions = 2 if is_bidirec else 1
    count = num_layers * directions
    pairs = [tuple(weight_list[k : k + 2]) for k in range(0, len(weight_list), 2)]
    weights, biases = pairs[:count], pairs[count:] or [(None, None)] * count
    length = None if sequence_length is None else ops.cast(sequence_length, _core.int64)
    states, finals = _states(pre_state, mode), []
    for layer in range(num_layers):
        if layer > 0 and dropout_prob > 0 and not is_test:
            x = ops.dropout(x, None, dropout_prob, False, "upscale_in_train", seed, seed != 0)[0]
        outs = []
        for direction in range(directions):
            k = layer * directions + direction
            out, *last = _one_direction(x, weights[k], biases[k], states[k], length, mode, direction == 1)
            outs.append(out)
            finals.append(last)
        x = outs[0] if directions == 1 else ops.concat(outs, -1)
    last_states = [ops.stack([final[part] for final in finals], 0) for part in range(len(pre_state))]
    return x, dropout_state_in, last_states


def accuracy(x, indices, label):
    """The share of samples whose label is among the indices: (share, hits, samples)."""
    hits = ops.any(indices == ops.cast(label, indices.dtype), [1], False)
    correct = ops.cast(ops.sum(ops.cast(hits, _core.int32), [], None, False), _core.int32)
    total = ops.full([], indices.shape[0], _core.int32)
    return ops.cast(correct, _core.float32) / ops.cast(total, _core.float32), correct, total


def margin_cross_entropy(
    logits,
    label,
    return_softmax=False,
    ring_id=0,
    rank=0,
    nranks=1,
    margin1=1.0,
    margin2=0.5,
    margin3=0.0,
    scale=64.0,
):
    """Cross entropy with margins on the angles of the classes, of one process: (softmax, loss)."""
    from ....nn import functional as F

    if nranks != 1:
        raise NotImplementedError(
            f"margin_cross_entropy: nranks has value {nranks}; it must be 1. Use paddle.nn.functional.margin_cross_entropy "
            "with group for classes that are spread over processes."
        )
    loss, softmax = F.margin_cross_entropy(
        logits, label, margin1, margin2, margin3, scale, group=False, return_softmax=True, reduction=None
    )
    return softmax, loss


def top_p_sampling(x, ps, threshold=None, topp_seed=None, seed=-1, k=0, mode="truncated"):
    """One index of each row, drawn among the likeliest: (probability, index, k probabilities, k indices)."""
    from ....tensor.search import top_p_sampling as sample

    return sample(x, ps, threshold, topp_seed, seed, k, mode, return_top=True)


def fused_gemm_epilogue(x, y, bias, trans_x=False, trans_y=False, activation="none"):
    """activation(x @ y + bias): (result, the sum where a gradient needs it)."""
    total = ops.matmul(x, y, trans_x, trans_y) + bias
    if activation in ("none", ""):
        return total, None
    if activation not in ("relu", "gelu"):
        raise ValueError(
            f"fused_gemm_epilogue: activation has value {activation!r}; it must be 'none', 'relu' or 'gelu'."
        )
    return (ops.relu(total) if activation == "relu" else ops.gelu(total, False)), total


def fused_dropout_add(x, y, seed_tensor, p=0.5, is_test=False, mode="upscale_in_train", seed=0, fix_seed=False):
    """dropout(x) + y: (sum, state of the generator, which is None here)."""
    return ops.dropout(x, seed_tensor, p, is_test, mode, seed, fix_seed)[0] + y, None


def weight_dequantize(x, scale, algo="weight_only_int8", group_size=-1):
    """Floating-point weights of quantised ones, in the dtype of scale."""
    from ....nn.quant import weight_dequantize as dequantize

    return dequantize(x, scale, algo, scale.dtype, group_size)
