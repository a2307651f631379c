# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The examples in docstrings of the package, executed: what stands behind `>>>` prints what stands below it."""

import ast
import doctest
import types

import paddle
import pytest

from tests.docs.blocks import ROOT

PACKAGE = ROOT / "python" / "paddle"
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def examples():
    """A DocTest for each docstring with an example, found in the text: nothing is imported for it."""
    parser = doctest.DocTestParser()
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text()
        if ">>>" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.Module)):
                doc = ast.get_docstring(node)
                if doc and ">>>" in doc:
                    name = f"{path.relative_to(PACKAGE).with_suffix('').as_posix()}:{getattr(node, 'name', '')}"
                    line = node.body[0].lineno - 1
                    yield parser.get_doctest(doc, {"paddle": paddle}, name, str(path), line)


def examples_of_bindings():
    """The same for the tensor type and its methods that are written in C++; operators have tests of their own."""
    parser = doctest.DocTestParser()
    kinds = (types.MethodDescriptorType, types.GetSetDescriptorType)
    members = {name: m for name, m in vars(paddle.Tensor).items() if isinstance(m, kinds)}
    for name, member in {"": paddle.Tensor, **members}.items():
        if ">>>" in (member.__doc__ or ""):
            yield parser.get_doctest(member.__doc__, {"paddle": paddle}, f"Tensor:{name}", "tensor_docs.h", 0)


@pytest.mark.parametrize("example", [*examples(), *examples_of_bindings()], ids=lambda e: e.name)
def test_an_example_prints_what_it_shows(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    paddle.seed(0)
    told = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    runner.run(example, out=told.append)
    assert runner.failures == 0, "".join(told)
