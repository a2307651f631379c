# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Versions: `full_version` is the level of PaddlePaddle's API, `core` that of this distribution."""

__all__ = ["cuda", "cuda_archs", "cudnn", "hip", "nccl", "show", "tensorrt", "xpu", "xpu_xccl", "xpu_xhpc", "xpu_xre"]


full_version = "3.3.1"
major, minor, patch = full_version.split(".")
rc = "0"
commit = "unknown"
istaged = True
with_gpu = "OFF"
cuda_version = "False"
cudnn_version = "False"
hip = "False"


def __getattr__(name):
    if name == "core":
        from importlib import metadata

        try:
            value = metadata.version("paddle-core")
        except metadata.PackageNotFoundError:
            value = "unknown"
        globals()["core"] = value
        return value
    raise AttributeError(f"module 'paddle.version' has no attribute '{name}'")


def show():
    """Print the API level and the version of this distribution."""
    for name in ("full_version", "major", "minor", "patch", "rc"):
        print(f"{name}:", globals()[name])
    for name in ("cuda", "cudnn"):
        print(f"{name}:", globals()[name]())
    print("hip:", None)
    for name in ("nccl", "xpu_xre", "xpu_xccl", "xpu_xhpc", "cinn"):
        print(f"{name}:", globals()[name]())
    print("tensorrt_version:", tensorrt())
    print("cuda_archs:", cuda_archs())
    print("core:", __getattr__("core"))


class _Version(str):
    """A version that is a text, and gives it when it is called."""

    __slots__ = ()

    def __call__(self):
        """The version."""
        return str(self)


# The CUDA version that the package was built with, 'False' without one.
cuda = _Version(cuda_version)


def cudnn():
    """The cuDNN version that the package was built with, 'False' without one."""
    return cudnn_version


def cuda_archs():
    """The GPU architectures that the package was built for, a list; [] without CUDA."""
    return []


def nccl():
    """The NCCL version, '0' without one."""
    return "0"


def tensorrt():
    """The TensorRT version, 'None' without one."""
    return "None"


def cinn():
    """The version of the compiler, which is that of the package."""
    return full_version


def xpu():
    """The XPU version, 'False' without one."""
    return "False"


def xpu_xccl():
    """The XCCL version, 'False' without one."""
    return "False"


def xpu_xhpc():
    """The XHPC version, 'False' without one."""
    return "False"


def xpu_xre():
    """The XRE version, 'False' without one."""
    return "False"
