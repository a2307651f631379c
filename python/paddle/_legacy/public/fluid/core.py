# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.fluid.core`: `paddle.base.core`, and the predictor of PaddlePaddle 1 (`AnalysisConfig`, `PaddleTensor`)."""

import enum

from .. import _core
from ..inference import Config as _Config
from . import absent

VarBase = _core.Tensor


class PaddleDType(enum.IntEnum):
    """Dtypes of PaddleTensors."""

    FLOAT32, INT64, INT32, UINT8 = 0, 1, 2, 3


class PaddleBuf:
    """The elements of a PaddleTensor.

    Args:
        data: An array, or a list of numbers.
    """

    def __init__(self, data=()):
        import numpy

        self._array = numpy.ascontiguousarray(data)

    def reset(self, data):
        """Hold other elements."""
        self.__init__(data)

    def empty(self):
        """Whether there are none."""
        return self._array.size == 0

    def length(self):
        """Number of bytes."""
        return self._array.nbytes

    def float_data(self):
        """The elements as a list of floats."""
        return self._array.astype("float32").ravel().tolist()

    def int64_data(self):
        """The elements as a list of ints."""
        return self._array.astype("int64").ravel().tolist()

    int32_data = int64_data

    def tolist(self, dtype="float32"):
        """The elements as a list."""
        return self._array.astype(dtype).ravel().tolist()


class PaddleTensor:
    """A tensor that goes into or comes out of a predictor: `name`, `shape`, `data`, `dtype`, `lod`.

    Args:
        data: An array; None for none yet.
        name: Its name.

    Example:
        >>> import numpy as np
        >>> from paddle.fluid.core import PaddleTensor
        >>> tensor = PaddleTensor(np.array([[1, 2]], "int64"))
        >>> tensor.shape, tensor.data.int64_data(), tensor.lod
        ([1, 2], [1, 2], [])
    """

    def __init__(self, data=None, name=""):
        import numpy

        array = numpy.zeros([0], "float32") if data is None else numpy.asarray(data)
        self.name, self.shape, self.data, self.lod = name, list(array.shape), PaddleBuf(array), []

    @property
    def dtype(self):
        """A PaddleDType."""
        return PaddleDType[str(self.data._array.dtype).upper()]

    @dtype.setter
    def dtype(self, kind):
        self.data = PaddleBuf(self.data._array.astype(PaddleDType(kind).name.lower()))

    def as_ndarray(self):
        """The elements as an array."""
        return self.data._array.reshape(self.shape)


class AnalysisConfig(_Config):
    """The settings of a predictor; see `paddle.inference.Config`."""

    class Precision(enum.IntEnum):
        """Dtypes in which a predictor may calculate."""

        Float32, Int8, Half = 0, 1, 2


class NativeConfig:
    """The settings of a predictor without analysis: `model_dir`, or `prog_file` and `param_file`."""

    def __init__(self):
        self.model_dir, self.prog_file, self.param_file, self.use_gpu, self.device = "", "", "", False, 0
        self.fraction_of_gpu_memory = -1.0


class PaddlePredictor:
    """Runs an exported program on PaddleTensors; `create_paddle_predictor` makes one."""

    def __init__(self, config):
        from ..inference import create_predictor

        if isinstance(config, NativeConfig):
            config = (
                AnalysisConfig(config.model_dir)
                if config.model_dir
                else AnalysisConfig(config.prog_file, config.param_file)
            )
        self._config, self._predictor = config, create_predictor(config)

    def run(self, inputs):
        """What the program gives.

        Args:
            inputs: PaddleTensors in the order of the inputs; those that have names go by them.

        Returns:
            A list of PaddleTensors.
        """
        names = self._predictor.get_input_names()
        if len(inputs) != len(names):
            raise ValueError(f"PaddlePredictor.run: there are {len(inputs)} inputs; the program takes {names}.")
        for name, tensor in zip(names, inputs, strict=True):
            handle = self._predictor.get_input_handle(tensor.name if tensor.name in names else name)
            handle.copy_from_cpu(tensor.as_ndarray())
            if tensor.lod:
                handle.set_lod([list(level) for level in tensor.lod])
        self._predictor.run()
        made = []
        for name in self._predictor.get_output_names():
            handle = self._predictor.get_output_handle(name)
            one = PaddleTensor(handle.copy_to_cpu(), name)
            one.lod = [list(level) for level in handle.lod()]
            made.append(one)
        return made

    def get_input_names(self):
        """Names of the inputs."""
        return self._predictor.get_input_names()

    def get_output_names(self):
        """Names of the outputs."""
        return self._predictor.get_output_names()

    def get_input_tensor(self, name):
        """The handle of an input."""
        return self._predictor.get_input_handle(name)

    def get_output_tensor(self, name):
        """The handle of an output."""
        return self._predictor.get_output_handle(name)

    def zero_copy_run(self):
        """Run on what the handles of the inputs hold."""
        return self._predictor.run()

    def clone(self):
        """Another predictor of the same program."""
        made = object.__new__(PaddlePredictor)
        made._config, made._predictor = self._config, self._predictor.clone()
        return made


AnalysisPredictor = PaddlePredictor


def create_paddle_predictor(config):
    """A predictor of PaddleTensors; see `PaddlePredictor.run`.

    Args:
        config: An AnalysisConfig or NativeConfig.
    """
    return PaddlePredictor(config)


class _Operators:
    """Operators by their names in PaddlePaddle 2: inputs first, then names and values of attributes."""

    def __getattr__(self, name):
        from .. import _legacy_C_ops

        return getattr(_legacy_C_ops, name)


ops = _Operators()


def save_op_compatible_info(desc):
    """Nothing: programs are written in the form of PaddlePaddle 3."""


def __getattr__(name):
    from ..base import core

    try:
        return getattr(core, name)
    except AttributeError as reason:
        raise absent.error(__name__, name) from reason
