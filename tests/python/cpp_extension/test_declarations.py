# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Extensions that are declared wrongly, cannot be compiled, or are installed with setup()."""

import os
import subprocess
import sys
from pathlib import Path

import paddle
import pytest
from paddle.utils import cpp_extension

HEAD = '#include "paddle/extension/operator.h"\nusing paddle::Tensor;\nusing Tensors = std::vector<paddle::Tensor>;\n'
# All wrong declarations are in one source: the macro says which one is compiled.
WRONG = {
    "parameters": (
        "Tensors f(const Tensor& x) { return {x}; }\n"
        'PD_BUILD_OP(wrong).Inputs({"X", "Y"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(f));\n',
        r"PD_BUILD_OP\(wrong\): the kernel has 1 parameters; 2 inputs and 0 attributes are declared",
    ),
    "kinds": (
        "Tensors f(const Tensor& x, int a) { return {x}; }\n"
        'PD_BUILD_OP(wrong).Inputs({"X"}).Outputs({"Out"}).Attrs({"a: float"}).SetKernelFn(PD_KERNEL(f));\n',
        r'parameter 1 of the kernel is of kind int, but "a: float" is declared there',
    ),
    "kernel": (
        'PD_BUILD_OP(wrong).Inputs({"X"}).Outputs({"Out"});\n',
        r"it has no kernel",
    ),
    "shape": (
        "Tensors f(const Tensor& x, const Tensor& y) { return {x}; }\n"
        'PD_BUILD_OP(wrong).Inputs({"X", "Y"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(f));\n',
        r"operator wrong: it has no shape rule and is not of one input and one output",
    ),
    "gradient": (
        "Tensors f(const Tensor& x) { return {x}; }\n"
        'PD_BUILD_OP(wrong).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(f));\n'
        'PD_BUILD_GRAD_OP(wrong).Inputs({"Z"}).Outputs({paddle::Grad("X")}).SetKernelFn(PD_KERNEL(f));\n',
        r"operator wrong_grad: input Z is neither an input nor an output of wrong",
    ),
    "orphan": (
        "Tensors f(const Tensor& x) { return {x}; }\n"
        'PD_BUILD_GRAD_OP(wrong).Inputs({"X"}).Outputs({paddle::Grad("X")}).SetKernelFn(PD_KERNEL(f));\n',
        r"declares no operator wrong that it is the gradient of",
    ),
    "attribute": (
        "Tensors f(const Tensor& x, float a) { return {x}; }\n"
        'PD_BUILD_OP(wrong).Inputs({"X"}).Outputs({"Out"}).Attrs({"a = float"}).SetKernelFn(PD_KERNEL(f));\n',
        r'attribute "a = float" must read "name: type"',
    ),
    "inplace": (
        "void f(Tensor& x) {}\n"
        'PD_BUILD_OP(wrong).Inputs({"X"}).Outputs({"Out"}).SetInplaceMap({{"Y", "Out"}}).SetKernelFn(PD_KERNEL(f));\n',
        r"SetInplaceMap.* names no input and output",
    ),
    "taken": (
        "Tensors f(const Tensor& x) { return {x}; }\n"
        'PD_BUILD_OP(relu).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(f));\n',
        r"operator relu: an operator of that name exists",
    ),
}


def test_wrong_declarations_are_refused_with_the_reason(tmp_path):
    # Compiled side by side, then loaded one after the other: nothing of them is registered.
    jobs = []
    for name, (text, _) in WRONG.items():
        source = tmp_path / f"{name}.cc"
        source.write_text(HEAD + text)
        jobs.append(cpp_extension.compiler.Job([str(source)], cxx_flags=["-O0"]))
    for (name, (_, reason)), job in zip(WRONG.items(), jobs, strict=True):
        library = tmp_path / f"{name}.so"
        cpp_extension.compiler.build(job, str(library), str(tmp_path / name))
        with pytest.raises((ValueError, RuntimeError), match=reason):
            cpp_extension.load_op_meta_info_and_register_op(str(library))
    assert not hasattr(paddle._core.ops, "wrong")


def test_what_cannot_be_compiled_raises(tmp_path):
    source = tmp_path / "broken.cc"
    source.write_text('#include "paddle/extension.h"\nint f() { return missing_name; }\n')
    with pytest.raises(RuntimeError, match="missing_name"):
        cpp_extension.load(name="broken", sources=[str(source)], build_directory=str(tmp_path))
    with pytest.raises(RuntimeError, match="does not exist"):
        cpp_extension.load(name="broken", sources=[str(tmp_path / "none.cc")], build_directory=str(tmp_path))
    with pytest.raises(RuntimeError, match="no CUDA"):
        cpp_extension.load(name="broken", sources=[str(tmp_path / "kernel.cu")], build_directory=str(tmp_path))
    with pytest.raises(ValueError, match="identifier"):
        cpp_extension.load(name="a-b", sources=[str(source)])


def test_a_file_that_is_no_extension_is_an_os_error(tmp_path):
    (tmp_path / "text.so").write_text("not a library")
    with pytest.raises(OSError, match="cannot be loaded"):
        cpp_extension.load_op_meta_info_and_register_op(str(tmp_path / "text.so"))
    library = next((Path(paddle.__file__).parent / "libs").glob("libpaddle_core.so"))
    with pytest.raises(OSError, match="no library of operators"):
        cpp_extension.load_op_meta_info_and_register_op(str(library))


def test_build_directory_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("PADDLE_EXTENSION_DIR", str(tmp_path / "here"))
    assert cpp_extension.get_build_directory() == str(tmp_path / "here")
    assert (tmp_path / "here").is_dir()


def test_extensions_are_described():
    made = cpp_extension.CppExtension(["a.cc"], extra_compile_args={"cxx": ["-O1"], "nvcc": ["-O3"]})
    assert made.sources == ["a.cc"] and made.language == "c++" and made.extra_compile_args == ["-O1"]
    assert cpp_extension.CUDAExtension(["a.cc", "b.cu"]).sources == ["a.cc", "b.cu"]
    with pytest.raises(ValueError, match="name"):
        cpp_extension.setup(ext_modules=made)
    with pytest.raises(ValueError, match="ext_modules"):
        cpp_extension.setup(name="x", ext_modules=[made, made])


SETUP = """
from paddle.utils.cpp_extension import CppExtension, setup
setup(name="installed_ops", version="1.0", ext_modules=CppExtension(sources=["twice.cc"], extra_compile_args=["-O0"]))
"""
TWICE = HEAD + (
    "Tensors twice(const Tensor& x) { return {x + x}; }\n"
    'PD_BUILD_OP(installed_twice).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(twice));\n'
)
USE = """
import paddle, installed_ops
from installed_ops import installed_twice
print(installed_ops.__file__)
print(installed_twice(paddle.to_tensor([1.0, 2.0])).tolist())
"""


@pytest.mark.parametrize("how", ["wheel", "inplace"])
def test_setup_makes_a_package(tmp_path, how):
    (tmp_path / "setup.py").write_text(SETUP)
    (tmp_path / "twice.cc").write_text(TWICE)
    package = str(Path(paddle.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": package}
    command, target = ["build_ext", "--inplace"], tmp_path
    if how == "wheel":  # what pip builds: the tree that goes into the wheel
        command, target = ["install_lib", "--install-dir", str(tmp_path / "site")], tmp_path / "site"
    done = subprocess.run(
        [sys.executable, "setup.py", *command], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    environment["PYTHONPATH"] = os.pathsep.join([str(target), package])
    used = subprocess.run([sys.executable, "-c", USE], cwd="/", env=environment, capture_output=True, text=True)
    assert used.stdout.split("\n")[:2] == [str(target / "installed_ops.py"), "[2.0, 4.0]"], used.stderr


WITHOUT_SETUPTOOLS = """
import sys
sys.modules["setuptools"] = None  # import raises ModuleNotFoundError
from paddle.utils.cpp_extension import load
try:
    from paddle.utils.cpp_extension import setup
except ModuleNotFoundError as error:
    print(load.__name__, error.name)
"""


def test_loading_needs_no_setuptools():
    out = subprocess.run([sys.executable, "-c", WITHOUT_SETUPTOOLS], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["load", "setuptools"]
