# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""In-place writes: memory, versions, and gradients through views of views."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest


def leaf(values):
    return paddle.to_tensor(values, stop_gradient=False)


def test_views_share_memory():
    x = paddle.zeros([2, 3])
    x[0].reshape([3])[1] = 5.0
    np.testing.assert_array_equal(x.numpy(), [[0, 5, 0], [0, 0, 0]])


def test_a_leaf_that_needs_a_gradient_refuses_writes():
    x = leaf([1.0, 2.0])
    with pytest.raises(ValueError, match="leaf"):
        x.add_(paddle.ones([2]))
    with pytest.raises(ValueError, match="leaf"):
        x[0] = 1.0
    with paddle.no_grad():
        x.add_(paddle.ones([2]))
    np.testing.assert_allclose(x.numpy(), [2.0, 3.0])


VIEWS = {
    "reshape": lambda x: x.reshape([6]),
    "flatten": lambda x: x.flatten(),
    "slice": lambda x: x[0],
    "chain": lambda x: x.reshape([6])[:4],
    "reshape_": lambda x: x[0].reshape_([3, 1]).flatten(),
}


@pytest.mark.parametrize("view", list(VIEWS.values()), ids=list(VIEWS))
def test_a_view_of_a_leaf_is_written_and_the_leaf_keeps_its_gradient(view):
    x = leaf([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    y = view(x)
    y[0] = 9.0
    y[1:3] *= 2.0
    np.testing.assert_array_equal(x.numpy(), [[9, 2, 4], [3, 4, 5]])
    assert x.is_leaf and not y.stop_gradient
    ((y * y).sum() + (x * x).sum()).backward()
    rest = np.array([[18.0, 4.0, 8.0], [6.0, 8.0, 10.0]])
    through_y = np.array([0.0, 8.0, 16.0, 6.0, 8.0, 10.0])
    through_y[y.size :] = 0
    np.testing.assert_allclose(x.grad.numpy(), rest + through_y.reshape(2, 3))


def test_views_of_a_written_view_of_a_leaf_follow_it():
    x, w = leaf([1.0, 2.0, 3.0, 4.0]), leaf([5.0])
    y = x[:3]
    y[0] = w[0] * 2.0
    z = y[:2]
    z.scale_(3.0)
    y.sum().backward()
    np.testing.assert_array_equal(x.numpy(), [30.0, 6.0, 3.0, 4.0])
    np.testing.assert_array_equal(x.grad.numpy(), [0.0, 3.0, 1.0, 0.0])
    np.testing.assert_array_equal(w.grad.numpy(), [6.0])


def test_a_leaf_made_of_a_view_is_a_leaf_as_others():
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    x.stop_gradient = False
    with pytest.raises(ValueError, match="leaf"):
        x[0] = 1.0
    y = x.reshape([6])
    y[0] = 9.0
    y.sum().backward()
    assert x.is_leaf and not x.stop_gradient
    np.testing.assert_array_equal(x.numpy(), [[9, 1, 2], [3, 4, 5]])
    np.testing.assert_array_equal(x.grad.numpy(), [[0, 1, 1], [1, 1, 1]])


@pytest.mark.parametrize("key", [slice(None), Ellipsis, slice(0, 3), (slice(None, None, 1),)], ids=str)
@pytest.mark.parametrize("history", [False, True])
def test_gradient_of_a_leaf_that_is_written_whole(key, history):
    x, w = leaf([1.0, 2.0, 3.0]), leaf([4.0, 5.0, 6.0])
    y = x * 2.0 if history else paddle.zeros([3])
    y[key] = w
    (y * y).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), [8.0, 10.0, 12.0])
    assert not history or (x.grad is None or not x.grad.numpy().any())


def test_gradient_of_a_leaf_that_is_copied_into_a_tensor():
    for copy in (paddle.assign, lambda w, y: y.reshape([3, 1])[:, 0].__setitem__(..., w)):
        w, y = leaf([4.0, 5.0, 6.0]), paddle.zeros([3])
        copy(w, y)
        (y * y).sum().backward()
        np.testing.assert_allclose(w.grad.numpy(), [8.0, 10.0, 12.0])


def test_gradient_through_a_write_to_a_view():
    x, w = leaf([1.0, 2.0, 3.0]), leaf([10.0])
    y = x * 2.0
    y[1:2] = w * w
    (y * y).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [8.0, 0.0, 24.0])
    np.testing.assert_allclose(w.grad.numpy(), [2 * 100.0 * 20.0])


def test_a_sibling_view_follows_a_write():
    x, w = leaf([1.0, 2.0, 3.0]), leaf([5.0])
    y = x * 1.0
    early = y[0:2]
    y[1:2] = w
    np.testing.assert_allclose(early.numpy(), [1.0, 5.0])
    (early * early).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [2.0, 0.0, 0.0])
    np.testing.assert_allclose(w.grad.numpy(), [10.0])


def test_a_write_to_a_constant_buffer_records():
    w = leaf([3.0])
    buffer = paddle.zeros([4])
    head = buffer[0:2]
    head[0:1] = w * 2.0
    (buffer * buffer).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), [24.0])


def test_inplace_operator_on_a_result():
    x = leaf([1.0, 2.0])
    y = x * 3.0
    y.add_(paddle.ones([2]))
    (y * y).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [2 * 4 * 3.0, 2 * 7 * 3.0])


def test_a_value_changed_after_it_was_saved_is_told():
    x = leaf([1.0, 2.0])
    y = x * 1.0
    z = (y * y).sum()
    with paddle.no_grad():
        y.add_(paddle.ones([2]))
    with pytest.raises(RuntimeError, match="in place"):
        z.backward()


def test_transposed_and_reshaped_views_pass_writes_on():
    x, w = leaf(np.arange(6, dtype="float32").reshape(2, 3)), leaf([7.0, 8.0])
    y = x * 1.0
    y.transpose([1, 0])[0] = w
    np.testing.assert_allclose(y.numpy()[:, 0], [7.0, 8.0])
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [[0, 1, 1], [0, 1, 1]])
    np.testing.assert_allclose(w.grad.numpy(), [1.0, 1.0])


def test_the_version_rises_once_per_write():
    x = paddle.zeros([3])
    before = x.inplace_version
    x.add_(paddle.ones([3]))
    x[0] = 4.0
    assert x.inplace_version == before + 2


def test_overlapping_write_reads_the_old_values():
    x = paddle.to_tensor(np.arange(5, dtype="float32"))
    x[1:] = x[:-1].clone()
    np.testing.assert_array_equal(x.numpy(), [0, 0, 1, 2, 3])


def test_an_operator_that_reads_what_it_overwrites_keeps_the_old_values():
    x, t = leaf([[0.0, 1.0], [2.0, 3.0]]), leaf([5.0, 7.0])
    y = x * 1.0
    y[:, 0].multiply_(t * 1.0)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [[5.0, 1.0], [7.0, 1.0]])
    np.testing.assert_allclose(t.grad.numpy(), [0.0, 2.0])


def test_a_tensor_multiplied_by_itself_in_place():
    x = leaf([1.0, 2.0, 3.0])
    y = x * 2.0
    y.multiply_(y)
    y.multiply_(y[0:1])
    y.sum().backward()
    # y = 4 x^2 * 4 x0^2
    np.testing.assert_allclose(x.grad.numpy(), [64.0 + 32.0 * (4 + 9), 64.0, 96.0])


def test_second_derivative_through_a_write_to_a_view():
    x = leaf([1.0, 2.0])
    y = x * x
    y[1:].multiply_(x[1:] * 1.0)
    (g,) = paddle.grad(y.sum(), x, create_graph=True)
    (h,) = paddle.grad(g.sum(), x)
    np.testing.assert_allclose(g.numpy(), [2.0, 12.0])
    np.testing.assert_allclose(h.numpy(), [2.0, 12.0])


def test_an_augmented_assignment_makes_a_new_tensor():
    x = paddle.ones([2])
    y = x
    y += 1
    y *= 3
    y -= x
    y /= 5
    assert x.tolist() == [1.0, 1.0] and y.tolist() == [1.0, 1.0] and y is not x
    weights = paddle.ones([2])
    weights.stop_gradient = False
    total = F.relu(weights)
    total += weights
    total.sum().backward()
    assert weights.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("write", ["item", "operator", "product"])
def test_a_broadcast_tensor_has_its_own_memory_when_it_is_written(write):
    x = paddle.ones([1, 3])
    x.stop_gradient = False
    y = paddle.expand(x, [2, 3])
    if write == "item":
        y[0] = 5.0
    elif write == "operator":
        y.add_(paddle.to_tensor([[4.0], [0.0]]) * paddle.ones([2, 3]))
    else:
        y.multiply_(paddle.to_tensor([[5.0], [1.0]]) * paddle.ones([2, 3]))
    y.sum().backward()
    assert y.tolist() == [[5.0] * 3, [1.0] * 3] and x.tolist() == [[1.0] * 3]
    assert x.grad.tolist() == [[{"item": 1.0, "operator": 2.0, "product": 6.0}[write]] * 3]


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.reshape_([-1]),
        lambda x: x.squeeze_(),
        lambda x: x.unsqueeze_(0),
        lambda x: x.flatten_(),
        lambda x: x.transpose_([1, 0]),
        lambda x: x.cast_("float64"),
        lambda x: paddle.assign(paddle.ones([5]), x),
        lambda x: x.exp_(),
    ],
)
def test_every_change_in_place_counts(change):
    x = paddle.ones([3, 1])
    change(x)
    assert x.inplace_version == 1
    x[0] = 2
    assert x.inplace_version == 2
    change(x.reshape([3, 1]) if x.size == 3 and x.ndim != 2 else x)


def test_a_shape_changed_in_place_after_the_use():
    x = paddle.ones([3, 1], "float32")
    x.stop_gradient = False
    y = x * 2
    z = y * y
    y.squeeze_()
    with pytest.raises(RuntimeError, match="tensor_version:1 != wrapper_version_snapshot:0"):
        z.sum().backward()


def test_a_long_chain_of_views_ends_and_is_freed():
    x = base = paddle.zeros([4])
    for _ in range(60_000):  # each shares the steps of the one before; copies of them would take minutes
        x = x.reshape([4])
    x[0] = 1.0
    assert base.tolist() == [1, 0, 0, 0]
    del x  # all the steps, of which none may be freed inside of another


def test_steps_that_views_share_are_replayed_by_each():
    base = paddle.ones([2, 2])
    base.stop_gradient = False
    y = base * 2
    row = y[0]
    first, second = row[:1], row[1:]
    first.add_(paddle.to_tensor([3.0]))
    second.multiply_(paddle.to_tensor([5.0]))
    assert y.tolist() == [[5.0, 10.0], [2.0, 2.0]]
    y.sum().backward()
    assert base.grad.tolist() == [[2.0, 10.0], [2.0, 2.0]]


def written_between_reshapes(leaf, source, rounds):
    """Round after round another shape of the same tensor, and a write to it that both have a gradient."""
    x = leaf * 1.0
    for i in range(rounds):
        x = x.reshape([2, 2]).flatten().unsqueeze(0).squeeze(0).reshape([-1])
        x[i % 4] = source[i % 3] * (i + 1)
    return x


def test_writes_between_reshapes_replay_no_more_steps_the_more_there_were():
    def calls(rounds):
        leaf, source = paddle.ones([4]), paddle.ones([3])
        leaf.stop_gradient = source.stop_gradient = False
        paddle._core.count_operators(True)
        written_between_reshapes(leaf, source, rounds)
        return sum(paddle._core.count_operators(False).values())

    few, more, many = calls(20), calls(40), calls(80)
    assert many - more == 2 * (more - few)  # each round calls as many operators as any other


def test_writes_between_reshapes_have_the_values_and_gradients_of_new_tensors():
    rounds = 7
    leaf = paddle.to_tensor([1.0, 2.0, 3.0, 4.0], stop_gradient=False)
    source = paddle.to_tensor([0.5, -1.5, 2.0], stop_gradient=False)
    weights = np.array([3.0, -1.0, 0.5, 2.0], "float32")
    out = written_between_reshapes(leaf, source, rounds)
    (out * paddle.to_tensor(weights)).sum().backward()
    values, by_leaf, by_source = leaf.numpy().copy(), weights.copy(), np.zeros(3, "float32")
    last = {i % 4: i for i in range(rounds)}  # the round that wrote each element last
    for place, i in last.items():
        values[place] = source.numpy()[i % 3] * (i + 1)
        by_leaf[place] = 0.0
        by_source[i % 3] += weights[place] * (i + 1)
    np.testing.assert_allclose(out.numpy(), values)
    np.testing.assert_allclose(leaf.grad.numpy(), by_leaf)
    np.testing.assert_allclose(source.grad.numpy(), by_source)


def test_a_reshape_of_a_part_stays_a_view_of_that_part():
    base = paddle.zeros([2, 6])
    base.stop_gradient = False
    y = base * 1.0
    part = y[1].reshape([2, 3]).reshape([3, 2])
    part[2, 1] = 5.0
    part.reshape([6])[0] = 7.0
    assert y.tolist() == [[0.0] * 6, [7.0, 0.0, 0.0, 0.0, 0.0, 5.0]]
    y.sum().backward()
    assert base.grad.tolist() == [[1.0] * 6, [0.0, 1.0, 1.0, 1.0, 1.0, 0.0]]


@pytest.mark.parametrize("change", [lambda z: z.reshape_([4]), lambda z: z.transpose_([1, 0])])
def test_a_view_of_a_tensor_that_was_given_another_shape_in_place(change):
    x = paddle.to_tensor(np.arange(4.0, dtype="float32").reshape(2, 2), stop_gradient=False)
    z = x * 1
    before = z[0]
    change(z)
    (before * paddle.to_tensor([1.0, 10.0])).sum().backward(retain_graph=True)
    assert x.grad.tolist() == [[1.0, 10.0], [0.0, 0.0]]  # nothing was written yet
    x.clear_gradient()
    after = z[1:]
    z[0] = 5.0
    for use in (lambda: before.sum(), lambda: before.__setitem__(0, 1.0)):
        with pytest.raises(RuntimeError, match="Make the view after the in-place operator"):
            use()
    after.sum().backward()
    expected = [[0.0, 1.0], [1.0, 1.0]] if z.ndim == 1 else [[0.0, 1.0], [0.0, 1.0]]
    assert x.grad.tolist() == expected
