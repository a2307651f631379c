# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Export to ONNX."""

__all__ = ["export"]
__path__ = []  # holds modules of _paths.py


def export(layer, path, input_spec=None, opset_version=9, **configs):
    """Write a layer as an ONNX model; it needs the converter of the package paddle2onnx.

    Args:
        layer: The layer.
        path: Name of the file, without .onnx.
        input_spec: List of InputSpec or Tensors.
        opset_version: Version of the operator set.
        configs: Options of the converter.

    Raises:
        ValueError: path does not end with a file name.
        ImportError: paddle2onnx is not installed.
    """
    import os
    import tempfile

    from .utils import try_import

    if os.path.basename(path) == "":
        raise ValueError(f"export: path has value {path!r}; it must end with a file name.")
    converter = try_import("paddle2onnx", "export: paddle2onnx is not installed; pip install paddle2onnx.")
    from . import jit

    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "model")
        jit.save(layer, prefix, input_spec=input_spec)
        converter.export(
            prefix + ".json", prefix + ".pdiparams", save_file=path + ".onnx", opset_version=opset_version, **configs
        )
