# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Predictor`: a loaded program with handles for its inputs and outputs."""

import os
import tempfile

from .. import _core
from ..framework.modes import no_grad
from .kinds import DataType, PlaceType

_TYPES = {kind.name.lower(): kind for kind in DataType}


class Tensor:
    """Handle on an input or output of a Predictor."""

    def __init__(self, name, is_input):
        self._name, self._is_input = name, is_input
        self._value, self._shape, self._lod = None, None, []

    def name(self):
        """Name of the input or output."""
        return self._name

    def reshape(self, shape):
        """Announce the shape of the data to come."""
        self._shape = [int(s) for s in shape]

    def copy_from_cpu(self, data):
        """Copy a NumPy array (or a Tensor) in."""
        self._take(data, copy=True)

    def share_external_data(self, data):
        """Use the memory of a NumPy array (or a Tensor), which must stay unchanged during the run."""
        self._take(data, copy=False)

    def _take(self, data, copy):
        if not self._is_input:
            raise RuntimeError(f"copy_from_cpu: {self._name!r} is an output; only inputs can be set.")
        if not isinstance(data, _core.Tensor):
            if not hasattr(data, "__array__"):
                raise TypeError(
                    f"copy_from_cpu: data for {self._name!r} is a {type(data).__name__}; pass a NumPy array or a Tensor."
                )
            data = _core.to_tensor(data)
        elif copy:
            data = data.detach().clone()
        self._value, self._shape = data, list(data.shape)

    def copy_to_cpu(self):
        """The value as a NumPy array of its own."""
        return self._get("copy_to_cpu").numpy().copy()

    def to_tensor(self):
        """The value as a Tensor."""
        return self._get("to_tensor")

    def _get(self, operation):
        if self._value is None:
            raise RuntimeError(f"{operation}: {self._name!r} has no value; run the predictor first.")
        return self._value

    def shape(self):
        """The shape as a list."""
        if self._value is not None:
            return list(self._value.shape)
        return list(self._shape or [])

    def type(self):
        """The DataType."""
        return _TYPES[str(self._get("type").dtype).rpartition(".")[2]]

    def place(self):
        """The PlaceType."""
        return PlaceType.CPU

    def lod(self):
        """Offsets of sequences, as they were set."""
        return self._lod

    def set_lod(self, lod):
        """Keep offsets of sequences; programs of this version take none."""
        self._lod = list(lod)


class Predictor:
    """Runs a program: fill the input handles, call `run`, read the output handles.

    One Predictor belongs to one thread at a time; `clone` gives another thread its own, with the
    same parameters.

    Args:
        config: A Config.
    """

    def __init__(self, config):
        self._config = config
        self._program = _load(config)
        self._make_handles()

    def _make_handles(self):
        self._inputs = {name: Tensor(name, True) for name in self._program.input_names}
        self._outputs = {name: Tensor(name, False) for name in self._program.output_names}

    def clone(self, stream=None):
        """A Predictor with handles of its own on the same program and parameters."""
        other = Predictor.__new__(Predictor)
        other._config, other._program = self._config, self._program
        other._make_handles()
        return other

    def get_input_names(self):
        """Names of the inputs, in order."""
        return list(self._inputs)

    def get_output_names(self):
        """Names of the outputs, in order."""
        return list(self._outputs)

    def get_input_handle(self, name):
        """Handle on an input."""
        return self._handle(self._inputs, "input", name)

    def get_output_handle(self, name):
        """Handle on an output."""
        return self._handle(self._outputs, "output", name)

    @staticmethod
    def _handle(handles, kind, name):
        if name not in handles:
            raise ValueError(f"get_{kind}_handle: there is no {kind} {name!r}; {kind}s: {list(handles)}.")
        return handles[name]

    def run(self, inputs=None):
        """Run the program.

        Args:
            inputs: Tensors or arrays in the order of the inputs; None: what the handles hold.

        Returns:
            The outputs as Tensors when `inputs` is given, else True.
        """
        if inputs is not None:
            if len(inputs) != len(self._inputs):
                raise ValueError(
                    f"run: {len(inputs)} inputs; the program takes {len(self._inputs)}: {list(self._inputs)}."
                )
            for handle, data in zip(self._inputs.values(), inputs, strict=True):
                handle.share_external_data(data)
        values = [handle._get("run") for handle in self._inputs.values()]
        with no_grad():
            results = self._program.run(values)
        for handle, result in zip(self._outputs.values(), results, strict=True):
            handle._value = result
        return results if inputs is not None else True

    def clear_intermediate_tensor(self):
        """Forget the outputs; intermediate values are gone when `run` returns."""
        for handle in self._outputs.values():
            handle._value = None

    def try_shrink_memory(self):
        """Forget inputs and outputs; returns the number of bytes given up."""
        handles = [*self._inputs.values(), *self._outputs.values()]
        size = sum(h._value.nbytes for h in handles if h._value is not None)
        for handle in handles:
            handle._value = None
        return size


def _load(config):
    threads = config._threads
    if threads:
        _core.set_num_threads(threads)
    if not config.model_from_memory():
        return _core.pir.SavedProgram.load(*config.files())
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("model", "parameters")]
        for path, content in zip(paths, config._buffers, strict=True):
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode("latin-1"))
        return _core.pir.SavedProgram.load(*paths)


def create_predictor(config):
    """The Predictor of a Config."""
    return Predictor(config)


class PredictorPool:
    """Predictors that share one program, for a fixed number of threads.

    Args:
        config: A Config.
        size: Number of Predictors.
    """

    def __init__(self, config, size):
        first = Predictor(config)
        self._predictors = [first, *(first.clone() for _ in range(size - 1))]

    def retrieve(self, idx):
        """The Predictor number `idx`."""
        return self._predictors[idx]
