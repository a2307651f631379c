# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Inference: run exported programs through named handles."""

from .config import Config, PassBuilder
from .kinds import DataType, PlaceType, PrecisionType, get_num_bytes_of_data_type
from .predictor import Predictor, PredictorPool, Tensor, convert_to_mixed_precision, create_predictor


def get_version():
    """The version of this library as text."""
    from .. import _core

    return _core.inference.version()


def get_trt_compile_version():
    """(0, 0, 0): this build has no TensorRT."""
    return (0, 0, 0)


def get_trt_runtime_version():
    """(0, 0, 0): this build has no TensorRT."""
    return (0, 0, 0)
