# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Viterbi decoding against all sequences; the housing data from a local file."""

import itertools

import numpy as np
import paddle
import pytest
from paddle.text import UCIHousing, ViterbiDecoder, viterbi_decode


def best(scores, transitions, bounds):
    """The best of all sequences, one by one."""
    found = (-np.inf, None)
    for tags in itertools.product(range(scores.shape[1]), repeat=len(scores)):
        value = sum(scores[i, tag] for i, tag in enumerate(tags))
        value += sum(transitions[a, b] for a, b in itertools.pairwise(tags))
        if bounds:
            value += transitions[-1, tags[0]] + transitions[-2, tags[-1]]
        found = max(found, (value, tags))
    return found


@pytest.mark.parametrize("bounds", [True, False])
def test_the_best_of_all_sequences_is_found(bounds):
    rng = np.random.default_rng(0)
    scores, transitions = rng.normal(size=(3, 5, 4)).astype("float32"), rng.normal(size=(4, 4)).astype("float32")
    lengths = np.array([4, 1, 3])
    decoder = ViterbiDecoder(paddle.to_tensor(transitions), include_bos_eos_tag=bounds)
    values, paths = decoder(paddle.to_tensor(scores), paddle.to_tensor(lengths))
    assert paths.shape == [3, 4] and paths.dtype == paddle.int64
    for i, n in enumerate(lengths):
        value, tags = best(scores[i, :n], transitions, bounds)
        assert float(values[i]) == pytest.approx(value, rel=1e-5)
        assert paths[i].tolist() == [*tags, *[0] * (4 - n)]


def test_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match="transition_params"):
        viterbi_decode(paddle.ones([1, 2, 3]), paddle.ones([2, 2]), paddle.to_tensor([2]))
    with pytest.raises(ValueError, match="lengths"):
        viterbi_decode(paddle.ones([1, 2, 3]), paddle.ones([3, 3]), paddle.to_tensor([5]))


def test_housing_features_are_scaled(tmp_path):
    values = np.random.default_rng(1).random((10, 14))
    np.savetxt(tmp_path / "housing.data", values)
    train, test = (UCIHousing(str(tmp_path / "housing.data"), mode) for mode in ("train", "test"))
    assert len(train) == 8 and len(test) == 2
    features, price = test[1]
    column = values[:, :-1]
    np.testing.assert_allclose(features, ((column - column.mean(0)) / np.ptp(column, 0))[9], rtol=1e-5)
    assert price == pytest.approx(values[9, 13], rel=1e-6) and features.dtype == np.float32


@pytest.mark.parametrize("content", [b"\xff\xfe\x00 1 2", b"1 2 price"])
def test_housing_names_a_damaged_file(tmp_path, content):
    (tmp_path / "housing.data").write_bytes(content)
    with pytest.raises(ValueError, match=r"UCIHousing: .*housing\.data holds something else") as raised:
        UCIHousing(str(tmp_path / "housing.data"))
    assert type(raised.value) is ValueError
