# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of lists that Tensor has too, running products in place, nucleus sampling, sparse and dense axes."""

import numpy as np
import paddle
import pytest

A = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
B = A + 10


def test_functions_of_lists_are_called_through_tensor():
    a, b = paddle.to_tensor(A), paddle.to_tensor(B)
    np.testing.assert_array_equal(paddle.Tensor.stack([a, b], axis=1).numpy(), np.stack([A, B], 1))
    np.testing.assert_array_equal(paddle.Tensor.concat([a, b], 1).numpy(), np.concatenate([A, B], 1))
    index = paddle.to_tensor([[1], [0]], "int32")
    np.testing.assert_array_equal(paddle.Tensor.multiplex([a, b], index).numpy(), [[11, 12], [3, 4]])
    one, two = paddle.Tensor.broadcast_tensors([paddle.ones([1, 2]), paddle.zeros([3, 1])])
    assert one.shape == two.shape == [3, 2]
    assert paddle.Tensor.create_parameter([2, 3], "float64").shape == [2, 3]
    made = paddle.Tensor.create_tensor("int32", "made")
    assert made.dtype == paddle.int32 and made.name == "made"


def test_frames_of_a_signal_and_back():
    x = paddle.to_tensor(np.sin(np.arange(64)).astype("float64"))
    spectrum = x.stft(16, hop_length=4)
    frame = np.fft.rfft(np.sin(np.arange(64))[12:28])  # the sixth frame starts at 5 * 4 - 8
    np.testing.assert_allclose(spectrum.numpy()[:, 5], frame, atol=1e-12)
    np.testing.assert_allclose(spectrum.istft(16, hop_length=4, length=64).numpy(), x.numpy(), atol=1e-12)


def test_running_products_in_place_take_a_new_shape_and_dtype():
    x = paddle.to_tensor(A)
    assert x.cumprod_(1) is x
    np.testing.assert_array_equal(x.numpy(), [[1, 2], [3, 12]])
    paddle.cumprod_(x, dtype="float64")
    assert x.dtype == paddle.float64
    np.testing.assert_array_equal(x.numpy(), [1, 2, 6, 72])


def test_running_products_in_place_have_a_gradient():
    x = paddle.to_tensor([2.0, 3.0], stop_gradient=False)
    y = x * 1
    y.cumprod_(0)
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [4, 2])  # of x0 + x0 x1


def test_the_fraction_is_written_to_out():
    x, out = paddle.to_tensor([1.25, -2.5]), paddle.zeros([2])
    paddle.frac(input=x, out=out)
    np.testing.assert_array_equal(out.numpy(), [0.25, -0.5])


def test_numbers_of_sparse_and_dense_axes():
    dense = paddle.ones([2, 3])
    assert (dense.sparse_dim(), dense.dense_dim()) == (0, 2)
    coo = paddle.sparse.sparse_coo_tensor([[0, 1, 1]], [[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]], [2, 2])
    assert (coo.sparse_dim(), coo.dense_dim()) == (1, 1)
    np.testing.assert_array_equal(coo.coalesce().values().numpy(), [[1, 2], [5, 7]])
    csr = dense.to_sparse_csr()
    assert (csr.sparse_dim(), csr.dense_dim()) == (2, 0)
    with pytest.raises(NotImplementedError, match="dense"):
        dense.coalesce()


def test_nucleus_sampling_draws_the_tokens_that_reach_the_sum():
    p = paddle.to_tensor([[0.1, 0.5, 0.4], [0.3, 0.1, 0.6]] * 200)
    paddle.seed(3)
    values, tokens = p.top_p_sampling(paddle.to_tensor([0.8, 0.5] * 200))
    first, second = tokens.numpy()[::2, 0], tokens.numpy()[1::2, 0]
    assert set(first) == {1, 2} and set(second) == {2}
    assert abs(np.mean(first == 1) - 5 / 9) < 0.12
    np.testing.assert_array_equal(values.numpy(), np.take_along_axis(p.numpy(), tokens.numpy(), 1))


def test_nucleus_sampling_has_a_threshold_seeds_and_the_best_tokens():
    p, all_ = paddle.to_tensor([[0.1, 0.5, 0.4]] * 8), paddle.ones([8, 1])
    _, tokens = p.top_p_sampling(all_, threshold=paddle.full([8], 0.45))
    assert set(tokens.numpy().ravel()) == {1}
    seeds = paddle.to_tensor([[7], [7], [8], [9], [10], [11], [12], [13]])
    _, tokens, best_values, best = p.top_p_sampling(all_, topp_seed=seeds, k=2, return_top=True)
    again = p.top_p_sampling(all_, topp_seed=seeds)[1]
    np.testing.assert_array_equal(tokens.numpy(), again.numpy())
    assert tokens.numpy()[0] == tokens.numpy()[1]
    np.testing.assert_array_equal(best.numpy(), [[1, 2]] * 8)
    np.testing.assert_allclose(best_values.numpy(), [[0.5, 0.4]] * 8)
    _, tokens = p.top_p_sampling(paddle.zeros([8]), mode="non-truncated")
    assert set(tokens.numpy().ravel()) == {1}


def test_parts_of_other_kinds_of_tensors():
    x = paddle.ones([2])
    assert x.get_selected_rows() is None
    for name in ("rows", "get_map_tensor", "set_vocab", "set_string_list"):
        with pytest.raises(SystemError, match=f"{name}: the tensor is dense"):
            getattr(x, name)()


def test_modules_of_functions_show_methods_that_write_and_borrowed_names():
    x = paddle.tensor.manipulation.fill_(paddle.ones([2]), 3.0)
    assert x.tolist() == [3.0, 3.0]
    assert paddle.tensor.creation.create_global_var([], 0.5, "float32").item() == 0.5
    assert paddle.tensor.linalg.matrix_exp(paddle.zeros([2, 2])).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert paddle.tensor.stft is paddle.signal.stft
    assert paddle.nn.clip.GradientClipByNorm is paddle.nn.ClipGradByNorm
    with pytest.raises(AttributeError):
        paddle.tensor.manipulation.nothing_  # noqa: B018
