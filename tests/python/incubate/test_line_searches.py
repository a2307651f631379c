# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Line searches of minimize_bfgs and minimize_lbfgs: the tries they make, noted from PaddlePaddle 3.3.1."""

import numpy as np
import paddle
import pytest
from paddle.incubate.optimizer.functional import minimize_bfgs, minimize_lbfgs


def quartic(x):
    return ((x - 1) ** 4).sum()


def bell(x):
    return -paddle.exp(-x * x).sum()


def mean_sigmoid(x):
    return paddle.nn.functional.sigmoid(x).mean()


def tries(minimize, function, start, **settings):
    """Steps along the first gradient, the number of calls that is given, and the last position."""
    seen, start = [], np.array(start)

    def watched(x):
        seen.append(x.numpy().copy())
        return function(x)

    x = paddle.to_tensor(start, stop_gradient=False)
    function(x).backward()
    down = -x.grad.numpy()
    found = minimize(watched, paddle.to_tensor(start), dtype="float64", **settings)
    return [float((s - start) @ down / (down @ down)) for s in seen], found[1].item(), found[2].numpy()


@pytest.mark.parametrize("minimize", [minimize_bfgs, minimize_lbfgs])
@pytest.mark.parametrize(
    ("function", "start", "settings", "steps", "calls"),
    [
        (quartic, [3.0, -2.0], {}, [0, 0, 1, 0.351501, 0.134414, 0.059863, 0.030203], 6),
        (bell, [1.5], {}, [0, 0, 1, 2, 4, 8, 4.511739], 6),
        (bell, [0.3, 0.8], {}, [0, 0, 1], 3),
        (mean_sigmoid, [1.1, 2.2], {"initial_step_length": 20.0}, [0, 0, 20, 10, 10], 5),
        (mean_sigmoid, [1.1, 2.2], {"initial_step_length": 0.4}, [0, 0, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10], 9),
    ],
)
def test_steps_of_the_first_search(minimize, function, start, settings, steps, calls):
    found, told, _ = tries(minimize, function, start, max_iters=1, **settings)
    np.testing.assert_allclose(found, steps, atol=1e-6)
    assert told == calls


def test_a_search_that_ends_without_a_step_stays():
    found, told, x = tries(minimize_lbfgs, mean_sigmoid, [1.1, 2.2], max_iters=1, max_line_search_iters=2)
    assert found == pytest.approx([0, 0, 1, 2]) and told == 4 and x.tolist() == [1.1, 2.2]


def test_a_try_close_to_an_end_is_moved_to_the_middle():
    found, told, x = tries(minimize_lbfgs, bell, [1.5], max_iters=3, initial_step_length=3.0)
    noted = [0, 0, 3, 6, 5.10444, 5.10444, -1.263301, 1.92057, 3.512505, 4.761114, 4.761114, 4.708665, 4.743868]
    np.testing.assert_allclose(found, noted, atol=1e-5)
    assert told == 10 and abs(x.item()) < 1e-6


def test_differences_of_both_methods_give_the_minimum():
    for minimize in (minimize_bfgs, minimize_lbfgs):
        done, _, x = minimize(lambda v: ((v - 3) ** 2 * paddle.to_tensor([1.0, 9.0])).sum(), paddle.zeros([2]))[:3]
        assert done.item() or np.allclose(x.numpy(), 3, atol=1e-4)
        np.testing.assert_allclose(x.numpy(), [3, 3], atol=1e-4)
