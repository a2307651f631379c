# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Mistakes that many programs make: one sentence says what was called, what it was given and what to do."""

import re

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle import nn

X = paddle.ones([2, 3])
IMAGE = paddle.ones([1, 4, 8, 8])


class Samples(paddle.io.Dataset):
    """Four samples; `make` gives each."""

    def __init__(self, make):
        self.make = make

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.make(index)


def broken(index):
    if index == 2:
        raise OSError("picture 2 is gone")
    return np.ones(2, "float32")


def leaf():
    made = paddle.ones([2])
    made.stop_gradient = False
    return made


def backward_twice():
    loss = (leaf() * leaf()).sum()
    loss.backward()
    loss.backward()


def overwritten_before_backward():
    y = leaf() * 1
    z = y * y
    y.add_(paddle.ones([2]))
    z.sum().backward()


def state_of_another_model():
    small, large = nn.Linear(3, 2), nn.Linear(4, 2)
    old = paddle.optimizer.Adam(parameters=small.parameters())
    small(X).sum().backward()
    old.step()
    state = {key.replace(small.weight.name, large.weight.name): value for key, value in old.state_dict().items()}
    new = paddle.optimizer.Adam(parameters=large.parameters())
    new.set_state_dict(state)
    large(paddle.ones([2, 4])).sum().backward()
    new.step()


def damaged(folder):
    path = folder / "damaged.pdparams"
    path.write_bytes(b"hello world")
    return paddle.load(str(path))


def adam(*args, **kwargs):
    return lambda folder: paddle.optimizer.Adam(*args, **kwargs)


def batches(make, **options):
    return lambda folder: list(paddle.io.DataLoader(Samples(make), batch_size=2, **options))


# what went wrong: (call with a folder, exception, regular expressions in the text)
MISTAKES = {
    "width of a linear layer": (
        lambda _: nn.Linear(4, 2)(X),
        ValueError,
        [r"^linear: x has shape \[2, 3\] and weight has shape \[4, 2\]", r"\(3\) must equal .* \(4\)"],
    ),
    "an array for a layer": (
        lambda _: nn.Linear(3, 2)(np.ones([2, 3], "float32")),
        TypeError,
        ["^linear: argument x must be a Tensor", "got numpy.ndarray", r"pass paddle\.to_tensor\(x\)"],
    ),
    "a list for a layer": (
        lambda _: nn.Embedding(3, 2)([1, 2]),
        TypeError,
        ["^embedding: argument x must be a Tensor, got list", r"pass paddle\.to_tensor\(x\)"],
    ),
    "a size that is text": (lambda _: nn.Linear("3", 2), TypeError, [r"shape has value \['3', 2\] in linear_\d+"]),
    "channels of a convolution": (
        lambda _: nn.Conv2D(3, 8, 3)(IMAGE),
        ValueError,
        [r"^conv2d: input has shape \[1, 4, 8, 8\]", r"channels \(4\) must equal"],
    ),
    "rank of a convolution": (
        lambda _: nn.Conv2D(3, 8, 3)(paddle.ones([3, 8, 8])),
        ValueError,
        [r"^conv2d: x has shape \[3, 8, 8\]; it must have 4 dimensions"],
    ),
    "an image smaller than the filter": (
        lambda _: nn.Conv2D(4, 8, 9)(IMAGE),
        ValueError,
        [r"^conv2d: .*covers 9 elements and the padded input has 8; enlarge"],
    ),
    "channels of a batch norm": (
        lambda _: nn.BatchNorm2D(3)(IMAGE),
        ValueError,
        [r"^batch_norm: mean has shape \[3\] and x has 4 channels"],
    ),
    "an id beyond the table": (
        lambda _: nn.Embedding(3, 2)(paddle.to_tensor([3])),
        IndexError,
        [r"^embedding: x holds id 3 but weight has 3 rows; ids must be in \[0, 3\)"],
    ),
    "ids that are floats": (
        lambda _: nn.Embedding(3, 2)(X),
        TypeError,
        ["^embedding: x has dtype float32; ids must be int32 or int64; cast it"],
    ),
    "a product of matrices": (
        lambda _: X @ paddle.ones([4, 5]),
        ValueError,
        [r"^matmul: x has shape \[2, 3\] and y has shape \[4, 5\]", "pass transpose_y=True"],
    ),
    "an array among tensors": (
        lambda _: paddle.concat([X, np.ones([2, 3])]),
        TypeError,
        ["^concat: element 1 of argument x must be a Tensor", r"paddle\.to_tensor\(x\[1\]\)"],
    ),
    "another number of elements": (
        lambda _: X.reshape([4, 4]),
        ValueError,
        [r"^reshape: x has shape \[2, 3\] and shape has value \[4, 4\]", r"\(6 and 16\)"],
    ),
    "chunks that do not divide": (
        lambda _: paddle.chunk(paddle.ones([5, 2]), 2),
        ValueError,
        ["^chunk: chunks has value 2 and axis 0 has size 5", "tensor_split"],
    ),
    "a value too long for its place": (
        lambda _: paddle.ones([2, 3]).__setitem__(0, paddle.ones([5])),
        ValueError,
        [r"^__setitem__: the value has shape \[5\] and the place that it is written to \[3\]", "broadcast"],
    ),
    "labels for other rows": (
        lambda _: F.cross_entropy(paddle.ones([4, 10]), paddle.ones([5], "int64")),
        ValueError,
        [r"^cross_entropy: label has shape \[5\] and input \[4, 10\]", r"must have shape \[4\] or \[4, 1\]"],
    ),
    "a label beyond the classes": (
        lambda _: F.cross_entropy(X, paddle.to_tensor([0, 3])),
        IndexError,
        [r"^cross_entropy: label has value 3; a class index must lie in \[0, 3\)"],
    ),
    "a condition on many elements": (lambda _: bool(X > 0), AssertionError, [r"^bool\(\): .*\[2, 3\].*\.any\(\)"]),
    "softmax of integers": (
        lambda _: F.softmax(paddle.ones([2], "int64")),
        TypeError,
        ["^softmax: x has dtype int64", r"x\.astype\('float32'\)"],
    ),
    "a state of another batch": (
        lambda _: nn.GRU(3, 4)(paddle.ones([2, 5, 3]), paddle.ones([1, 3, 4])),
        ValueError,
        [r"^GRU: initial_states has shape \[1, 3, 4\]; it must be \[1, 2, 4\]"],
    ),
    "a state of another size": (
        lambda _: nn.LSTM(3, 4)(paddle.ones([2, 5, 3]), (paddle.ones([1, 2, 4]), paddle.ones([1, 2, 5]))),
        ValueError,
        [r"^LSTM: initial_states has shape \[1, 2, 5\]; it must be \[1, 2, 4\]"],
    ),
    "a name instead of a layer": (
        lambda _: nn.Sequential(nn.Linear(2, 2), "relu"),
        AssertionError,
        ["^Sequential: sublayer '1' has type str; pass a Layer"],
    ),
    "super().__init__() forgotten": (
        lambda _: type("Net", (nn.Layer,), {"__init__": lambda self: setattr(self, "fc", nn.ReLU())})(),
        ValueError,
        [r"^Net: super\(\).__init__\(\) must be called"],
    ),
    "keys of another model": (
        lambda _: nn.Linear(3, 2).load_state_dict({"w": X}),
        RuntimeError,
        [r"^load_state_dict: missing keys \['weight', 'bias'\], unexpected keys \['w'\]", "strict=False"],
    ),
    "state of another model": (
        lambda _: state_of_another_model(),
        ValueError,
        [r"^Adam: moment1 of parameter linear_\d+\.w_0 has shape \[3, 2\] .* and \[4, 2\] here; load"],
    ),
    "samples of different lengths": (
        batches(lambda i: np.ones(i + 1, "float32")),
        ValueError,
        [r"^DataLoader: samples of a batch have shapes \[1\] and \[2\]", "padding", "collate_fn"],
    ),
    "a sample that raises": (batches(broken), OSError, ["^picture 2 is gone$"]),
    "a second backward": (lambda _: backward_twice(), RuntimeError, ["^backward: the graph", "retain_graph=True"]),
    "a gradient of another shape": (
        lambda _: (leaf() * 2).backward(paddle.ones([3])),
        AssertionError,
        [r"^backward: grad_tensor has shape \[3\] and the tensor \[2\]; they must be equal"],
    ),
    "a write to a leaf": (lambda _: leaf().add_(paddle.ones([2])), ValueError, ["^add_: ", r"paddle\.no_grad\(\)"]),
    "a value changed before backward": (
        lambda _: overwritten_before_backward(),
        RuntimeError,
        ["^backward: a tensor that the gradient of multiply reads was changed in place", r"clone\(\)"],
    ),
    "an input that is not reached": (
        lambda _: paddle.grad((leaf() * 2).sum(), leaf()),
        ValueError,
        ["^grad: input 0 is not reachable", "allow_unused=True"],
    ),
    "no parameters": (adam(0.1), AttributeError, ["^Adam: parameters is None; pass those of the model"]),
    "parameters in the place of the rate": (
        adam([paddle.ones([2])]),
        AttributeError,
        ["^Adam: parameters is None and learning_rate a list", r"parameters=model\.parameters\(\)"],
    ),
    "the model for its parameters": (
        adam(0.1, parameters=nn.Linear(2, 2)),
        TypeError,
        [r"^Adam: parameters is a Linear; pass its parameters\(\)"],
    ),
    "a group without params": (
        adam(0.1, parameters=[{"weights": [nn.Linear(2, 2).weight]}]),
        AssertionError,
        [r"^Adam: a group of parameters has the keys \['weights'\]", "'params'"],
    ),
    "a file that is not there": (
        lambda folder: paddle.load(str(folder / "no.pdparams")),
        ValueError,
        ["^load: there is no file .*no.pdparams"],
    ),
    "a file that is no state": (damaged, ValueError, ["^load: .*damaged.pdparams'?: the file is damaged"]),
    "a folder for a file": (lambda folder: paddle.save(X, f"{folder}/"), ValueError, ["^save: path has value"]),
    "a model that is not there": (
        lambda folder: paddle.jit.load(str(folder / "net")),
        ValueError,
        [r"^jit\.load: .*net\.json does not exist"],
    ),
    "a layer without sizes of its inputs": (
        lambda folder: paddle.jit.save(nn.Linear(2, 2), str(folder / "net")),
        ValueError,
        [r"^jit\.save: .*pass input_spec"],
    ),
    "no layer": (
        lambda folder: paddle.jit.save(5, str(folder / "net")),
        TypeError,
        [r"^jit\.save: layer has type int; pass a Layer or a function"],
    ),
    "rows of different lengths": (
        lambda _: paddle.to_tensor([[1, 2], [3]]),
        ValueError,
        ["^to_tensor: data has rows of lengths 2 and 1"],
    ),
    "a dtype that is none": (lambda _: paddle.ones([2], "float31"), TypeError, ["'float31' is no data type"]),
    "a device that is not there": (lambda _: paddle.set_device("gpu"), ValueError, ["'gpu'.*pass one of 'cpu'"]),
    "fit before prepare": (
        lambda _: paddle.Model(nn.Linear(2, 2)).fit(Samples(lambda i: (np.ones(2, "float32"), 0)), verbose=0),
        AssertionError,
        [r"^Model\.fit: .*call prepare"],
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named(name, tmp_path):
    call, kind, texts = MISTAKES[name]
    with pytest.raises(kind) as raised:
        call(tmp_path)
    message = str(raised.value)
    for text in texts:
        assert re.search(text, message), message
    assert len(message) < 300 and "\n" not in message


def test_a_worker_that_fails_shows_where():
    with pytest.raises(OSError, match="picture 2 is gone") as raised:
        list(paddle.io.DataLoader(Samples(broken), batch_size=2, num_workers=1))
    assert "DataLoader worker 0 raised" in str(raised.value) and "in broken\n" in str(raised.value)
