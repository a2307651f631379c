# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The default floating dtype, dtype conversion, `finfo` and `iinfo`."""

from .. import _core
from .call_forms import aliases

# The names that NumPy gives C types, and Python's number types.
_NAMES = {
    "float": "float64",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int64",
    "short": "int16",
    "byte": "int8",
    "complex": "complex128",
}
for _type in vars(_core).copy().values():
    if isinstance(_type, _core.DType):
        setattr(_core.DType, _type.name.upper(), _type)  # paddle.dtype.FLOAT32
# Types that programs name, of which there are no tensors.
_NAMES_ONLY = ("uint32", "uint64", "pstring", "raw")
_core.DType.UNDEFINED = _core.DType.ALL_DTYPE = _core.raw
_FLOATS = ("float16", "bfloat16", "float32", "float64")
_default = "float32"
_default_dtype = _core.float32


def get_default_dtype():
    """Name of the dtype given to floating tensors made without one.

    Example:
        >>> paddle.get_default_dtype()
        'float32'
    """
    return _default


def set_default_dtype(d):
    """Set the dtype of floating tensors made without one.

    Args:
        d: 'float16', 'bfloat16', 'float32' or 'float64', or the dtype.

    Raises:
        TypeError: It is none of these.

    Example:
        >>> paddle.set_default_dtype("float64")
        >>> paddle.zeros([1]).dtype
        paddle.float64
        >>> paddle.set_default_dtype("float32")
    """
    global _default, _default_dtype
    name = dtype_name(d)
    if name not in _FLOATS:
        raise TypeError(f"set_default_dtype: d has value {d!r}; the default dtype must be one of {', '.join(_FLOATS)}.")
    _default, _default_dtype = name, getattr(_core, name)
    native = getattr(_core, "set_default_dtype", None)
    if native is not None:
        native(name)


def _refuse(d):
    what = f"a {type(d).__name__}" if hasattr(d, "shape") else repr(d)
    raise _core.ArgumentTypeError(f"dtype: {what} is no data type; pass a name such as 'float32'.")


def dtype_name(d):
    """The name ('float32') of a dtype given as string, dtype object, NumPy or Python type."""
    if isinstance(d, str):
        d = d.removeprefix("paddle.")
        return _NAMES.get(d, d)
    if isinstance(d, _core.DType):
        return d.name
    if isinstance(d, type) and d in (float, int, bool, complex):
        return _NAMES.get(d.__name__, "bool")
    name = getattr(d, "name", None) or getattr(d, "__name__", None)
    if name is None:
        _refuse(d)
    return str(name).rstrip("_")


def convert(d, fallback=None):
    """A dtype object from anything that names one; `fallback` (or the default dtype) for None."""
    if d is None:
        d = _default_dtype if fallback is None else fallback
    if isinstance(d, _core.DType):
        return d
    name = dtype_name(d)
    value = _core.bfloat16 if name == "uint16" else getattr(_core, name, None)  # arrays hold its bits
    if not isinstance(value, _core.DType) or name in _NAMES_ONLY:
        _refuse(d)
    return value


def is_floating(d):
    """True for the real floating dtypes."""
    return convert(d).name.startswith(("float", "bfloat"))


class finfo:
    """Limits of a floating dtype.

    Args:
        dtype: A floating or complex dtype, or its name.

    Returns:
        An object with bits, eps, min, max, tiny, smallest_normal, resolution and dtype.

    Raises:
        ValueError: The dtype is no floating one.

    Example:
        >>> paddle.finfo("float16").max
        65504.0
    """

    # name: (bits, exponent bits, fraction bits, largest value or None for the IEEE one)
    _FORMATS = {
        "float16": (16, 5, 10, None),
        "bfloat16": (16, 8, 7, None),
        "float32": (32, 8, 23, None),
        "float64": (64, 11, 52, None),
        "float8_e4m3fn": (8, 4, 3, 448.0),
        "float8_e5m2": (8, 5, 2, None),
    }
    _RESOLUTION = {
        "float16": 1e-3,
        "bfloat16": 1e-2,
        "float32": 1e-6,
        "float64": 1e-15,
        "float8_e4m3fn": 1.0,
        "float8_e5m2": 1.0,
    }

    @aliases(type="dtype")
    def __init__(self, dtype):
        name = {"complex64": "float32", "complex128": "float64"}.get(dtype_name(dtype), dtype_name(dtype))
        if name not in self._FORMATS:
            raise ValueError(f"finfo: dtype has value {dtype!r}; pass a floating dtype.")
        bits, exponent, fraction, largest = self._FORMATS[name]
        bias = 2 ** (exponent - 1) - 1
        self.bits = bits
        self.dtype = name
        self.eps = 2.0**-fraction
        self.max = largest if largest else (2.0 - self.eps) * 2.0**bias
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (1 - bias)
        self.resolution = self._RESOLUTION[name]

    def __repr__(self):
        names = ("min", "max", "eps", "resolution", "smallest_normal", "tiny")
        limits = ", ".join(f"{name}={getattr(self, name):g}" for name in names)
        return f"paddle.finfo({limits}, bits={self.bits}, dtype={self.dtype})"


class iinfo:
    """Limits of an integer dtype: bits, min, max."""

    @aliases(type="dtype")
    def __init__(self, dtype):
        # paddle.uint16 is bfloat16's storage: the same dtype object, with the limits of the former here.
        name = "uint16" if dtype is _core.bfloat16 else dtype_name(dtype)
        digits = name.removeprefix("uint").removeprefix("int")
        if not digits.isdigit():
            raise ValueError(f"iinfo: dtype has value {dtype!r}; pass an integer dtype.")
        self.bits = int(digits)
        self.dtype = name
        unsigned = name.startswith("u")
        self.min = 0 if unsigned else -(2 ** (self.bits - 1))
        self.max = 2 ** (self.bits - (0 if unsigned else 1)) - 1

    def __repr__(self):
        return f"paddle.iinfo(min={self.min}, max={self.max}, bits={self.bits}, dtype={self.dtype})"
