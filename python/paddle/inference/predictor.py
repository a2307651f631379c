# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Predictor`: a loaded program with handles for its inputs and outputs."""

from collections.abc import Iterable
from typing import SupportsIndex

from .. import _core
from ..framework import modes
from .config import Config
from .kinds import DataType, PlaceType

_TYPES = {kind.name.lower(): kind for kind in DataType}


class Tensor:
    """Handle on an input or output of a Predictor: `get_input_handle` and `get_output_handle` give it.

    Example:
        >>> paddle.jit.save(paddle.nn.ReLU(), "relu", [paddle.static.InputSpec([None], name="x")])
        >>> config = paddle.inference.Config("relu.json", "relu.pdiparams")
        >>> predictor = paddle.inference.create_predictor(config)
        >>> x = predictor.get_input_handle("x")
        >>> x.copy_from_cpu(paddle.to_tensor([-1.0, 2.0]).numpy())
        >>> x.shape(), x.type()
        ([2], <DataType.FLOAT32: ...>)
        >>> _ = predictor.run()
        >>> predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu().tolist()
        [0.0, 2.0]
    """

    def __init__(self, io):
        self._io = io

    def name(self):
        """Name of the input or output."""
        return self._io.name

    def reshape(self, shape):
        """Announce the shape of the data to come.

        Args:
            shape: A list of ints.

        Raises:
            TypeError: It is no list of integers below 2^31.
        """
        sizes = list(shape) if isinstance(shape, Iterable) else [None]
        if not all(isinstance(n, SupportsIndex) and n.__index__() < 2**31 for n in sizes):
            raise TypeError(f"reshape: shape has value {shape!r}; it must be a list of integers below 2**31.")
        self._io.announce([n.__index__() for n in sizes])

    def copy_from_cpu(self, data):
        """Copy values in.

        Args:
            data: A NumPy array or a Tensor of the dtype of the input; its shape is that of the input from here on.

        Raises:
            RuntimeError: This is an output.
        """
        self._io.set(data, True)

    def share_external_data(self, data):
        """Use the memory of a NumPy array (or a Tensor), which must stay unchanged during the run."""
        self._io.set(data, False)

    def share_external_data_by_ptr_name(self, data, shape, dtype, place):
        """Use the memory at an address, which must stay as it is during the run.

        Args:
            data: The address of host memory, as an int.
            shape: The shape of the elements that lie there in order.
            dtype: Their DataType.
            place: PlaceType.CPU.

        Raises:
            ValueError: `place` is another device, or an extent is negative.
            NotImplementedError: NumPy has no such dtype.
        """
        import ctypes
        import math

        import numpy

        if place is not PlaceType.CPU:
            raise ValueError(f"share_external_data_by_ptr_name: place is {place}; paddle reads host memory.")
        if dtype is DataType.BFLOAT16:
            raise NotImplementedError(
                "share_external_data_by_ptr_name: dtype is BFLOAT16, which arrays do not have; share float32 memory."
            )
        shape, kind = [int(n) for n in shape], numpy.dtype(dtype.name.lower())
        if any(n < 0 for n in shape):
            raise ValueError(f"share_external_data_by_ptr_name: shape is {shape}; no extent may be negative.")
        size = math.prod(shape) * kind.itemsize
        memory = (ctypes.c_ubyte * size).from_address(data) if size else b""
        self.share_external_data(numpy.frombuffer(memory, kind).reshape(shape))

    def copy_to_cpu(self):
        """The values as a NumPy array of its own.

        Raises:
            RuntimeError: There is no value yet: nothing was copied in, or `run` was not called.
        """
        return self._io.array().copy()

    def to_tensor(self):
        """The value as a Tensor."""
        return self._io.get("to_tensor")

    def shape(self):
        """The shape as a list; [0] before the first values."""
        return self._io.shape()

    def type(self):
        """The DataType."""
        name = str(self._io.get("type").dtype).rpartition(".")[2]
        if name not in _TYPES:
            raise TypeError(f"type: '{self._io.name}' is a tensor of {name}, for which there is no DataType.")
        return _TYPES[name]

    def place(self):
        """The PlaceType."""
        return PlaceType.CPU

    def lod(self):
        """Where the sequences among the rows begin: as set for an input, as the model made them for an output."""
        return self._io.lod

    def set_lod(self, lod):
        """Say where the sequences among the rows begin, a list for each level: `[[0, 2, 5]]` is one of 2 rows and one
        of 3. Models of PaddlePaddle 1 read it."""
        self._io.lod = [list(level) for level in lod]


def _callable(hookfunc, method):
    if not callable(hookfunc):
        raise TypeError(
            f"{method}: hookfunc has type {type(hookfunc).__name__}; it must be callable with (op, name, tensor)."
        )
    return lambda op, name, tensor: hookfunc(op, name, tensor)


class Predictor:
    """Runs a loaded program: fill the input handles, call `run`, read the output handles.

    One Predictor belongs to one thread at a time; `clone` gives another thread its own, with the same parameters.

    Args:
        config: A Config.

    Raises:
        ValueError: The files are not there, are damaged, or do not fit each other.
        NotImplementedError: The program holds operators that paddle does not have; they are named.

    Example:
        >>> paddle.jit.save(paddle.nn.ReLU(), "relu", [paddle.static.InputSpec([None], name="x")])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("relu.json", "relu.pdiparams"))
        >>> predictor.get_input_names()
        ['x']
        >>> predictor.run([paddle.to_tensor([-1.0, 2.0])])[0].tolist()
        [0.0, 2.0]
    """

    def __init__(self, config):
        self._native = _core.inference.Predictor(config._native)

    def clone(self, stream=None):
        """A Predictor with handles of its own on the same program and parameters."""
        other = Predictor.__new__(Predictor)
        other._native = self._native.clone()
        return other

    def get_input_names(self):
        """Names of the inputs, a list of str in the order in which `run` takes them."""
        return [io.name for io in self._native.inputs]

    def get_output_names(self):
        """Names of the outputs, a list of str in the order in which `run` gives them."""
        return [io.name for io in self._native.outputs]

    def get_input_handle(self, name):
        """The handle that takes the values of an input.

        Args:
            name: Its name, one of `get_input_names()`.

        Returns:
            A `paddle.inference.Tensor`: `copy_from_cpu(array)` gives it values.

        Raises:
            RuntimeError: There is no such input.
        """
        return Tensor(self._native.input(name))

    def get_output_handle(self, name):
        """The handle that gives the values of an output after `run`.

        Args:
            name: Its name, one of `get_output_names()`.

        Returns:
            A `paddle.inference.Tensor`: `copy_to_cpu()` gives an array.

        Raises:
            RuntimeError: There is no such output.
        """
        return Tensor(self._native.output(name))

    def run(self, inputs=None):
        """Run the program.

        Args:
            inputs: Tensors or arrays in the order of the inputs, or in any order when all are Tensors whose names are
                those of the inputs; None: what the handles hold.

        Returns:
            The outputs as Tensors when `inputs` is given, else True.

        Example:
            >>> paddle.jit.save(paddle.nn.ReLU(), "relu", [paddle.static.InputSpec([None])])
            >>> config = paddle.inference.Config("relu.json", "relu.pdiparams")
            >>> predictor = paddle.inference.create_predictor(config)
            >>> predictor.run([paddle.to_tensor([-1.0, 2.0])])[0].tolist()
            [0.0, 2.0]
        """
        native = self._native
        if inputs is not None:
            ios = native.inputs
            if len(inputs) != len(ios):
                names = [io.name for io in ios]
                raise ValueError(f"run: {len(inputs)} inputs; the program takes {len(ios)}: {names}.")
            named = {getattr(data, "name", None): data for data in inputs}
            if named.keys() == {io.name for io in ios}:
                inputs = [named[io.name] for io in ios]
            for io, data in zip(ios, inputs, strict=True):
                io.set(data, False)
        if modes.recording_program() is None:
            native.run()
        else:
            with modes.eager_region():
                native.run()
        return True if inputs is None else [io.get("run") for io in native.outputs]

    def register_input_hook(self, hookfunc):
        """Call a function with each tensor that an operator reads, from the next run on, before the operator runs.

        Args:
            hookfunc: Called with the operator (`"pd_op.relu:3"`: the fourth operation of the program, or of the branch
                or loop that it is in), the name of the tensor (of an input, parameter or output that of the
                program) and the Tensor. What it writes into the Tensor, the program goes on with. Hooks are called in
                the order of their registration; an error of one ends the run. A clone has none.

        Raises:
            TypeError: hookfunc cannot be called.

        An optimised program has fused operators; `Config.switch_ir_optim(False)` shows those of the file::

            predictor.register_output_hook(lambda op, name, value: print(op, name, value.shape))
        """
        self._native.add_hook(False, _callable(hookfunc, "register_input_hook"))

    def register_output_hook(self, hookfunc):
        """Call a function with each tensor that an operator has made, from the next run on.

        Args:
            hookfunc: As for `register_input_hook`.

        Raises:
            TypeError: hookfunc cannot be called.
        """
        self._native.add_hook(True, _callable(hookfunc, "register_output_hook"))

    def clear_intermediate_tensor(self):
        """Nothing is left to do: intermediate values are gone when `run` returns, inputs and outputs stay."""

    def try_shrink_memory(self):
        """Give free memory back to the system when there is much of it; returns the bytes given up."""
        return self._native.shrink()


def create_predictor(config):
    """The Predictor of a Config: it reads the model and optimises it.

    Args:
        config: A `paddle.inference.Config`.

    Returns:
        A Predictor.

    Raises:
        TypeError: config is no Config.
        ValueError: The files are not there, are damaged, or do not fit each other.
        NotImplementedError: The program holds operators that paddle does not have; they are named.

    Example: see `Predictor`.
    """
    if not isinstance(config, Config):
        raise TypeError(f"create_predictor: config has type {type(config).__name__}; it must be a Config.")
    return Predictor(config)


class PredictorPool:
    """Predictors that share one program, for a fixed number of threads.

    Args:
        config: A Config.
        size: Number of Predictors.
    """

    def __init__(self, config, size):
        if size < 1:
            raise ValueError(f"PredictorPool: size has value {size}; it must be at least 1.")
        first = Predictor(config)
        self._predictors = [first, *(first.clone() for _ in range(size - 1))]

    def retrieve(self, idx):
        """The Predictor number `idx`."""
        return self._predictors[idx]


def convert_to_mixed_precision(
    model_file,
    params_file,
    mixed_model_file,
    mixed_params_file,
    mixed_precision,
    backend,
    keep_io_types=True,
    black_list=set(),
    **kwargs,
):
    """Write a copy of a model whose float32 parameters are stored in 16 bits; half the size.

    Operators compute in float32 as before: the difference is the rounding of the parameters. The operations are those of
    the file; those of a `.pdmodel` become the ones that `.json` files have.

    Args:
        model_file: The program.
        params_file: Its parameters.
        mixed_model_file: The new program, `.json`.
        mixed_params_file: Its parameters.
        mixed_precision: PrecisionType.Half or PrecisionType.Bfloat16.
        backend: Accepted: the model that is written runs on every device.
        keep_io_types: Whether inputs and outputs of float32 stay so; else they have 16 bits too.
        black_list: Operators whose parameters stay as they are.
        kwargs: `white_list`: the only operators whose parameters are stored in 16 bits.
    """
    _core.inference.convert_to_mixed_precision(
        model_file,
        params_file,
        mixed_model_file,
        mixed_params_file,
        mixed_precision.value,
        keep_io_types,
        set(black_list),
        set(kwargs.get("white_list", ())),
    )
