# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`top_p_sampling`: a token a row among the most probable ones (Holtzman et al. 2020, nucleus sampling)."""

from ._args import convert, ops


def _uniform(rows, seeds, seed):
    """A number in [0, 1) a row: from the generator, from one seed, or from a seed a row."""
    float64 = convert("float64")
    if seeds is None:
        return ops.uniform([rows, 1], float64, 0.0, 1.0, max(seed, 0))
    seeds = [int(s) for s in ops.reshape(seeds, [-1]).tolist()]
    return ops.concat([ops.uniform([1, 1], float64, 0.0, 1.0, s) for s in seeds], 0)


def top_p_sampling(x, ps, threshold=None, topp_seed=None, seed=-1, k=0, mode="truncated", return_top=False, name=None):
    """Draw a token a row among the most probable ones, whose probabilities sum up to `ps`.

    Args:
        x: Probabilities [rows, tokens], float32, float16 or bfloat16.
        ps: The sum a row, [rows] or [rows, 1]; the token that reaches it takes part.
        threshold: Smallest probability that takes part, a row; the most probable token always does.
        topp_seed: A seed a row, int64 [rows, 1].
        seed: One seed for all rows; a negative one draws from the generator.
        k: How many of the most probable tokens `return_top` gives.
        mode: 'truncated' draws among the tokens above; 'non-truncated' among all tokens, where ps is not 0.
        return_top: Whether to give the k most probable tokens too.

    Returns:
        (probabilities [rows, 1], tokens int64 [rows, 1]), with return_top also (probabilities [rows, k], tokens
        [rows, k]).
    """
    if x.ndim != 2:
        raise ValueError(f"top_p_sampling: x has shape {list(x.shape)}; it must be [rows, tokens].")
    if mode not in ("truncated", "non-truncated"):
        raise ValueError(f"top_p_sampling: mode has value {mode!r}; it must be 'truncated' or 'non-truncated'.")
    rows, tokens = x.shape
    if return_top and not 0 < k <= tokens:
        raise ValueError(f"top_p_sampling: k has value {k}; with return_top it must be in [1, {tokens}].")
    float64 = convert("float64")
    sorted_, order = ops.argsort(ops.cast(x.detach(), float64), -1, True, True)
    ps = ops.reshape(ops.cast(ps, float64), [-1, 1])
    before = ops.cumsum(sorted_, -1) - sorted_
    kept = before < ps if mode == "truncated" else ops.logical_or(sorted_ > 0, before < 0)
    if threshold is not None:
        kept = ops.logical_and(kept, sorted_ >= ops.reshape(ops.cast(threshold, float64), [-1, 1]))
    first = ops.expand(ops.equal(ops.arange(0, tokens, 1, order.dtype), 0), [rows, tokens])
    kept = ops.logical_or(kept, first)
    if mode == "non-truncated":  # ps of 0 asks for the most probable token
        kept = ops.where(ops.expand(ps > 0, [rows, tokens]), kept, first)
    running = ops.cumsum(ops.where(kept, sorted_, ops.full_like(sorted_, 0)), -1)
    threshold = _uniform(rows, topp_seed, seed) * running[:, -1:]
    place = ops.sum(ops.cast(running <= threshold, order.dtype), [-1], None, True)
    last = ops.sum(ops.cast(kept, order.dtype), [-1], None, True) - 1
    token = ops.take_along_axis(order, ops.minimum(place, last), -1)
    found = (ops.take_along_axis(x, token, -1), token)
    if not return_top:
        return found
    best = order[:, :k]
    return (*found, ops.take_along_axis(x, best, -1), best)
