# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Inference: run exported programs through named handles."""

from .. import _legacy, _paths
from .config import Config, PassBuilder
from .kinds import DataType, PlaceType, PrecisionType, get_num_bytes_of_data_type
from .predictor import Predictor, PredictorPool, Tensor, convert_to_mixed_precision, create_predictor
from .xpu_config import XpuConfig


def get_version():
    """The version of this library as text."""
    from .. import _core

    return _core.inference.version()


def get_trt_compile_version():
    """(0, 0, 0): paddle has no TensorRT."""
    return (0, 0, 0)


def get_trt_runtime_version():
    """(0, 0, 0): paddle has no TensorRT."""
    return (0, 0, 0)


def _get_phi_kernel_name(op_name):
    """The name that an operator of PaddlePaddle 2 has today: 'add' for 'elementwise_add'."""
    return _legacy.new_type(op_name)


__all__ = [
    "Config",
    "DataType",
    "PlaceType",
    "PrecisionType",
    "Predictor",
    "PredictorPool",
    "Tensor",
    "XpuConfig",
    "_get_phi_kernel_name",
    "convert_to_mixed_precision",
    "create_predictor",
    "get_num_bytes_of_data_type",
    "get_trt_compile_version",
    "get_trt_runtime_version",
    "get_version",
]

_paths.attach(__name__)
