# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.save` and `paddle.load`: pickles of state dicts and nested objects, and single tensors.

Loading never runs code from a file: only the globals that such files need are known, and
anything else raises ValueError.
"""

import io as _io
import os
import pickle

from .. import _core
from ..utils import unique_name
from . import modes, safetensors_file, tensor_record
from .memory import from_bits
from .nested import _parse_every_object, _to_LodTensor, _transformed_from_lodtensor  # noqa: F401
from .parameter import EagerParamBase
from .unpickle import load_file, loads, loads_first

_NAME_TABLE = "StructuredToParameterName@@"
_BIG_TABLE = "UnpackBigParamInfor@@"
_MAX_BYTES = 2**30 - 1
Tensor = _core.Tensor


def save(obj, path, protocol=4, **configs):
    """Write an object to a file.

    Args:
        obj: A state dict, a Tensor, or numbers, strings and arrays in nested containers.
        path: A file name (folders are made) or a binary file object.
        protocol: 2, 3 or 4.
        configs: use_binary_format=True writes one Tensor without pickle; safetensors=True writes a dict of tensors in
            that format, and other objects as without it.

    Raises:
        ValueError: The path has no file name, or the protocol or an option is unknown.

    Example:
        >>> model = paddle.nn.Linear(2, 1)
        >>> paddle.save(model.state_dict(), "linear.pdparams")
        >>> sorted(paddle.load("linear.pdparams"))
        ['bias', 'weight']
    """
    unknown = set(configs) - {"use_binary_format", "pickle_protocol", "safetensors"}
    if unknown:
        raise ValueError(f"save: unknown option {', '.join(sorted(unknown))}.")
    if not isinstance(configs.get("use_binary_format", False), bool):
        raise TypeError(
            f"save: use_binary_format has value {configs['use_binary_format']!r}; it must be True or False."
        )
    protocol = configs.get("pickle_protocol", protocol)
    if not isinstance(protocol, int):
        raise ValueError(f"save: protocol has type {type(protocol).__name__}; it must be an int.")
    if protocol not in (2, 3, 4):
        raise ValueError(f"save: protocol has value {protocol}; it must be 2, 3 or 4.")
    if isinstance(path, (str, os.PathLike)):
        path = os.fspath(path)
        if os.path.basename(path) == "":
            raise ValueError(f"save: path has value {path!r}; it must end with a file name.")
        write = _writer(obj, protocol, configs)
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        with open(path, "wb") as f:
            write(f)
    elif isinstance(path, _io.BytesIO) or hasattr(path, "write"):
        _writer(obj, protocol, configs)(path)
    else:
        raise ValueError(f"save: path has type {type(path).__name__}; it must be a name or a file object.")


class _Nowhere:
    def write(self, data):
        return len(data)


def _writer(obj, protocol, configs):
    """A function that writes the file to a stream. What cannot be written is found here, before a file is opened;
    arrays are made while it is written, one at a time."""
    if hasattr(obj, "global_block"):
        from ..static.loaded import content_of

        content = content_of(obj)
        return lambda stream: stream.write(content)
    if configs.get("use_binary_format"):
        if not isinstance(obj, Tensor):
            raise NotImplementedError("save: use_binary_format is True and obj is no Tensor; pass one Tensor.")
        content = tensor_record.encode(obj)
        return lambda stream: stream.write(content)
    if configs.get("safetensors") and safetensors_file.holds(obj):
        content = safetensors_file.encode(obj)
        return lambda stream: stream.write(content)
    is_state = _is_state_dict(obj)
    obj = _state_dict(obj, protocol) if is_state else _checked(obj)

    def write(stream, with_values=True):
        pickler = pickle.Pickler(stream, protocol)
        pickler.dispatch_table = _dispatch(protocol, is_state, with_values)
        pickler.dump(obj)

    try:
        write(_Nowhere(), with_values=False)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise type(error)(
            f"save: obj holds what no file can: {error}; save tensors, numbers, texts, lists and dicts."
        ) from None
    return write


def _array(tensor):
    """The values as the array that is on disk: bfloat16 as uint16, float8 as int8."""
    import numpy

    name = tensor.dtype.name
    values = numpy.ascontiguousarray(tensor.detach().numpy())
    values = values.reshape(tensor.shape)
    if name == "bfloat16":
        return values.view(numpy.uint16)
    if name.startswith("float8"):
        return values.view(numpy.int8)
    return values


def _holds_tensor(value):
    if isinstance(value, Tensor):
        return True
    if isinstance(value, dict):
        return any(_holds_tensor(v) for v in value.values())
    return isinstance(value, (list, tuple)) and any(_holds_tensor(v) for v in value)


def _is_state_dict(obj):
    return isinstance(obj, dict) and all(
        isinstance(v, Tensor) or (isinstance(v, dict) and not _holds_tensor(v)) for v in obj.values()
    )


def _state_dict(obj, protocol):
    made, names = {}, {}
    for key, value in obj.items():
        if isinstance(value, Tensor):
            # A sparse tensor is an instance of Tensor, its type no subclass.
            made[key] = value if protocol >= 4 and issubclass(type(value), Tensor) else _array(value)
            names[key] = value.name
        else:
            made[key] = value
    made[_NAME_TABLE] = names
    return _cut_big(made) if protocol < 4 else made


def _cut_big(state):
    """Arrays above the limit of protocols 2 and 3 in pieces."""
    pieces = {}
    for key in list(state):
        array = state[key]
        if getattr(array, "nbytes", 0) <= _MAX_BYTES:
            continue
        flat = state.pop(key).reshape(-1)
        count = _MAX_BYTES // flat.itemsize
        names = []
        for i, start in enumerate(range(0, flat.size, count)):
            names.append(f"{key}@@.{i}")
            state[names[-1]] = flat[start : start + count]
        pieces[key] = {"OriginShape": array.shape, "slices": names}
    if pieces:
        state[_BIG_TABLE] = pieces
    return state


def _checked(obj):
    from ..nn import Layer

    if isinstance(obj, Layer):
        raise ValueError("save: a Layer cannot be saved; save its state_dict().")
    if isinstance(obj, bytes):
        raise NotImplementedError("save: bytes cannot be saved; write them to a file.")
    return obj


def _dispatch(protocol, is_state, with_values):
    """How a pickler takes Tensors: in a state dict as arrays, elsewhere as pairs of name and array. Without values, no
    Tensor and no array is read."""
    import copyreg

    def nothing(_):
        return tuple, ()

    def tensor(t):
        if not with_values:
            return nothing(t)
        if is_state:
            return _array(t).__reduce_ex__(protocol)
        return tuple, ((t.name, _array(t)),)

    def layer(_):
        raise ValueError("save: a Layer cannot be saved; save its state_dict().")

    class Table(dict):
        def __missing__(self, kind):
            from ..nn import Layer

            if kind.__module__ == "paddle.static.scope" and kind.__name__ == "DenseTensor":
                return lambda memory: tensor(memory._get())
            if issubclass(kind, Tensor):
                return tensor
            if issubclass(kind, Layer):
                return layer
            if not with_values and kind.__module__ == "numpy" and kind.__name__ == "ndarray":
                return nothing
            return copyreg.dispatch_table[kind]

        def get(self, kind, default=None):
            try:
                return self[kind]
            except KeyError:
                return default

    return Table({Tensor: tensor, EagerParamBase: tensor})


def _legacy_save(obj, path, protocol=2):
    """As `save` in its first form: a state dict, and protocol 2."""
    if not isinstance(obj, dict):
        raise NotImplementedError(
            f"save: obj has type {type(obj).__name__}; the first form of save takes a state dict."
        )
    save(obj, path, protocol)


def _legacy_load(path, **configs):
    """As `load` in its first form: arrays instead of Tensors."""
    return load(path, return_numpy=True, **configs)


# -- loading -----------------------------------------------------------------------------------


def load(path, **configs):
    """Read what `save` wrote; in static mode, DenseTensors replace Tensors.

    Files are read as plain data: what a pickle names beyond tensors, arrays, numbers, strings and containers is refused.

    Args:
        path: A file name or a binary file object.
        configs: return_numpy=True gives arrays instead of Tensors; keep_name_table=True keeps
            the table of variable names of a state dict; safetensors=True reads a file of that format.

    Returns:
        The object.

    Example:
        >>> paddle.save({"step": 3}, "state.pdparams")
        >>> paddle.load("state.pdparams")
        {'step': 3}
    """
    with modes.eager_region():
        found = _load(path, configs)
    return found if modes.in_dynamic_mode() else _as_dense(found)


def _as_dense(value):
    from ..static.scope import DenseTensor

    if isinstance(value, _core.Tensor):
        return DenseTensor(value)
    if isinstance(value, dict):
        return type(value)((key, _as_dense(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_as_dense(item) for item in value)
    return value


def _load(path, configs):
    unknown = set(configs) - {"return_numpy", "keep_name_table", "model_filename", "params_filename", "safetensors"}
    if unknown:
        raise ValueError(f"load: unknown option {', '.join(sorted(unknown))}.")
    if isinstance(path, (str, os.PathLike)):
        path = os.fspath(path)
        if not os.path.exists(path):
            raise ValueError(f"load: there is no file {path!r}; check the path.")
        if os.path.isdir(path):
            raise ValueError(f"load: {path!r} is a folder; give the name of a file.")
        with open(path, "rb") as f:
            try:
                return _decode_file(f, configs)
            except ValueError as error:
                if type(error) is not ValueError:
                    raise
                raise ValueError(f"load: {path!r}: {str(error).removeprefix('load: ')}") from None
    if hasattr(path, "read"):
        return _decode_next(path, configs)
    raise ValueError(f"load: path has type {type(path).__name__}; it must be a name or a file object.")


def _decode_file(f, configs):
    """What an open file holds; a pickle is read piece by piece."""
    head = f.peek(8) if f.seekable() and not configs.get("safetensors") else b""
    if head[:1] != b"\x80":
        return _decode(f.read(), configs)
    return _as_asked(load_file(f), configs)


def _decode_next(stream, configs):
    """The next object of a stream, which stands behind it afterwards where it can be moved."""
    if configs.get("safetensors"):
        return _decode(stream.read(), configs)
    movable = getattr(stream, "seekable", lambda: False)()
    start = stream.tell() if movable else 0
    data = stream.read()
    if tensor_record.is_record(data):
        return _decode(data, configs)
    obj, length = loads_first(data)
    if movable:
        stream.seek(start + length)
    return _as_asked(obj, configs)


def _decode(data, configs):
    if configs.get("safetensors"):
        return safetensors_file.decode(data, configs.get("return_numpy", False))
    if tensor_record.is_record(data):
        tensor = tensor_record.decode(data)
        return _array(tensor) if configs.get("return_numpy", False) else tensor
    if data[:1] == b"{":
        from ..static.loaded import is_program, program_of

        if is_program(data):
            return program_of(data)
    return _as_asked(loads(data), configs)


def _as_asked(obj, configs):
    as_numpy = configs.get("return_numpy", False)
    try:
        return _restored(obj, as_numpy, configs.get("keep_name_table", False))
    except RecursionError:
        raise ValueError("load: the file is nested too deeply, or an object in it holds itself.") from None


def _restored(obj, as_numpy, keep_table):
    if isinstance(obj, dict) and isinstance(obj.get(_NAME_TABLE), dict):
        return _restore_state_dict(obj, as_numpy, keep_table)
    return _restore(obj, as_numpy)


def _join_big(state):
    """The pieces of `_cut_big` joined, in place."""
    import math

    import numpy

    for key, info in state.pop(_BIG_TABLE, {}).items():
        try:
            pieces = [state.pop(name) for name in info["slices"]]
            shape = tuple(int(n) for n in info["OriginShape"])
            flat = numpy.concatenate([p.reshape(-1) for p in pieces])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"load: the pieces of {key!r} are damaged ({error}).") from None
        if flat.size != math.prod(shape):
            raise ValueError(f"load: the pieces of {key!r} do not fill the shape {shape}.")
        state[key] = flat.reshape(shape)


def _restore_state_dict(state, as_numpy, keep_table):
    if isinstance(state.get(_BIG_TABLE), dict):
        _join_big(state)
    names = state.pop(_NAME_TABLE)
    made = {}
    for key, value in state.items():
        if key in names and _is_array(value):
            made[key] = _plain(value) if as_numpy else _tensor(value, names[key])
        else:
            made[key] = _restore(value, as_numpy, isinstance(value, dict) or None)
    if keep_table:
        made[_NAME_TABLE] = names
    return made


def _is_array(value):
    import numpy

    return isinstance(value, numpy.ndarray)


def _plain(array):
    import numpy

    return array.view(numpy.ndarray)


def _tensor(array, name=None):
    import numpy

    if array.dtype.kind not in "biufc":
        raise ValueError(f"load: the file has an array of dtype {array.dtype.name}; tensors hold numbers only.")
    array = numpy.ascontiguousarray(array).reshape(array.shape)
    if array.dtype == numpy.uint16:
        tensor = from_bits(array, _core.bfloat16)
    else:
        tensor = _core.to_tensor(array)
    tensor.name = unique_name.generate("generated_tensor") if name is None else str(name)
    return tensor


def _is_pair(value):
    """What stands for a Tensor: its name and its values."""
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and _is_array(value[1])


def _holds_pair(value):
    if _is_pair(value):
        return True
    inner = value.values() if isinstance(value, dict) else value if type(value) in (list, tuple, set) else ()
    return any(_holds_pair(v) for v in inner)


def _restore(value, as_numpy, arrays=None):
    """The object that was saved. Where it holds no Tensors its arrays are Tensors, as files of earlier versions have
    them; beside Tensors arrays stay (`arrays`) what they are."""
    if arrays is None:
        arrays = as_numpy or _holds_pair(value)
    if _is_pair(value):
        return _plain(value[1]) if as_numpy else _tensor(value[1], value[0])
    if type(value) in (list, tuple, set):
        return type(value)(_restore(v, as_numpy, arrays) for v in value)
    if isinstance(value, dict):
        return type(value)((k, _restore(v, as_numpy, arrays)) for k, v in value.items())
    if _is_array(value):
        return _plain(value) if arrays else _tensor(value)
    return value
