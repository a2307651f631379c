# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The edit distance of sequences."""

from ... import _core
from ...tensor._args import check_tensor

ops = _core.ops


def edit_distance(input, label, normalized=True, ignored_tokens=None, input_length=None, label_length=None):
    """The fewest insertions, deletions and substitutions that make a label out of a prediction (Levenshtein 1966).

    Args:
        input: Predicted tokens, int64 [N, T].
        label: Labels, int64 [N, S].
        normalized: Whether a distance is divided by the length of its label.
        ignored_tokens: Tokens that are left out first.
        input_length: Lengths of the predictions, int64 [N]; None: T.
        label_length: Lengths of the labels, int64 [N]; None: S.

    Returns:
        The number of sequences, int64 [1], and the distances, float32 [N, 1]: the order in which PaddlePaddle gives
        them.

    Raises:
        ValueError: The shapes do not fit, or a normalized label has no tokens.

    Example:
        >>> predicted, label = paddle.to_tensor([[1, 2, 3]]), paddle.to_tensor([[1, 3, 4]])
        >>> paddle.nn.functional.loss.edit_distance(predicted, label, normalized=False)[1].tolist()
        [[2.0]]
    """
    check_tensor("edit_distance", input=input, label=label)
    if input.ndim != 2 or label.ndim != 2 or input.shape[0] != label.shape[0]:
        raise ValueError(
            f"edit_distance: input has shape {list(input.shape)} and label {list(label.shape)}; they must be matrices "
            f"with as many rows."
        )
    predictions = _sequences("input_length", input, input_length, ignored_tokens)
    labels = _sequences("label_length", label, label_length, ignored_tokens)
    import numpy

    distances = [_distance(*pair) for pair in zip(predictions, labels, strict=True)]
    if normalized:
        if not all(len(tokens) for tokens in labels):
            raise ValueError("edit_distance: a label has no tokens; pass normalized=False.")
        distances = [d / len(tokens) for d, tokens in zip(distances, labels, strict=True)]
    made = _core.to_tensor(numpy.array(distances, "float32").reshape(-1, 1), place=input.place)
    return ops.full([1], len(distances), "int64", input.place), made


def _sequences(name, tokens, lengths, ignored):
    import numpy

    rows = tokens.numpy()
    counts = [rows.shape[1]] * len(rows) if lengths is None else lengths.numpy().reshape(-1).tolist()
    if len(counts) != len(rows) or any(not 0 <= n <= rows.shape[1] for n in counts):
        raise ValueError(
            f"edit_distance: {name} has values {counts}; there must be {len(rows)}, from 0 to {rows.shape[1]}."
        )
    kept = [row[:n] for row, n in zip(rows, counts, strict=True)]
    return [row[~numpy.isin(row, ignored)] for row in kept] if ignored else kept


def _distance(prediction, label):
    """A row of the table of distances for each token of the prediction."""
    import numpy

    steps = numpy.arange(len(label) + 1)
    row = steps
    for i, token in enumerate(prediction):
        # Without insertions; a running minimum of (value - position) then adds any number of them.
        best = numpy.minimum(row[1:] + 1, row[:-1] + (label != token))
        row = numpy.minimum.accumulate(numpy.concatenate([[i + 1], best]) - steps) + steps
    return int(row[-1])
