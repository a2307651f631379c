# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of names of docs/user/migrating.md: what its expressions give, here and in PyTorch where that is installed."""

import importlib.util
import re

import numpy as np
import paddle
import pytest

from tests.docs.blocks import ROOT, blocks

PAGE = "docs/user/migrating.md"
TABLE = (ROOT / PAGE).read_text().split("| PyTorch | here | |\n|---|---|---|\n")[1]
ROWS = [
    [re.findall(r"`([^`]+)`", cell) for cell in line.split(" | ")[:2]] for line in TABLE.split("\n\n")[0].splitlines()
]
RANDOM = ("seed", "xavier")


def square(x):
    return (x * x).sum()


def names(library, tensor, integers, optimizer):
    """What the expressions of a column may use."""
    nn = library.nn
    model = nn.Linear(3, 4)
    return {
        "nn": nn, "model": model, "state": model.state_dict(), "p": list(model.parameters()), "optimizer": optimizer(model),
        "x": tensor([[1.0, -2.0, 3.0], [0.5, 5.0, -1.0]]), "i": integers([[2], [0]]), "j": integers([1, 0]),
        "a": np.ones(3, "float32"), "f": square,
    }  # fmt: skip


def of_paddle():
    def tensor(values):
        return paddle.to_tensor(values, stop_gradient=False)

    known = names(paddle, tensor, paddle.to_tensor, lambda m: paddle.optimizer.SGD(0.1, parameters=m.parameters()))
    return {"paddle": paddle, **known}


def of_torch():
    import torch

    def tensor(values):
        return torch.tensor(values, requires_grad=True)

    known = names(torch, tensor, torch.tensor, lambda m: torch.optim.SGD(m.parameters(), lr=0.1))
    return {"torch": torch, **known}


def arrays(value):
    """The numbers of a result as a list of arrays; None where it is something else, or partly."""
    parts = value if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(part, (int, float)) or hasattr(part, "detach") for part in parts):
        return None
    return [part.detach().numpy() if hasattr(part, "detach") else np.asarray(part) for part in parts]


def test_the_table_was_read():
    assert len(ROWS) > 30
    assert all(len(theirs) == len(ours) for theirs, ours in ROWS)


@pytest.mark.parametrize("theirs, ours", ROWS, ids=lambda cell: cell[0])
def test_expressions_give_the_same(theirs, ours):
    results = [eval(expression, of_paddle()) for expression in ours]
    if importlib.util.find_spec("torch") is None:
        return
    for expression, result in zip(theirs, results, strict=True):
        expected = arrays(eval(expression, of_torch()))
        if expected is not None and not any(word in expression for word in RANDOM):
            for a, b in zip(arrays(result), expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-6, err_msg=expression)


def test_weights_of_pytorch(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    (block,) = [block for block in blocks(PAGE) if "def load_torch_state" in block.text]
    known = {}
    block.run(known)
    paddle.seed(0)
    torch.manual_seed(0)

    def network(nn, suffix, **rnn):
        normalised = [getattr(nn, f"Conv1{suffix}")(3, 6, 3), getattr(nn, f"BatchNorm1{suffix}")(6), nn.LayerNorm(8)]
        return nn.ModuleList(
            [nn.Sequential(*normalised), nn.LSTM(8, 5, 2, **rnn), nn.Linear(5, 2), nn.Embedding(4, 10)]
        )

    def run(parts, x, ids):
        convolved, recurrent, last, table = parts
        return last(recurrent(convolved(x + table(ids)))[0])

    module = network(torch.nn, "d", batch_first=True)
    model = network(paddle.nn, "D")
    rng = np.random.default_rng(0)
    x, ids = rng.standard_normal((4, 3, 10)).astype("float32"), rng.integers(0, 4, (4, 3))
    run(module, torch.tensor(x), torch.tensor(ids))  # other running statistics than those of the start
    known["load_torch_state"](model, {name: t.numpy() for name, t in module.state_dict().items()})
    module.eval()
    model.eval()
    expected = run(module, torch.tensor(x), torch.tensor(ids)).detach().numpy()
    found = run(model, paddle.to_tensor(x), paddle.to_tensor(ids)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
