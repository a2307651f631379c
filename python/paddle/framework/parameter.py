# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`EagerParamBase` (= `paddle.nn.Parameter`): a Tensor that layers own and optimizers update."""

from .. import _core
from ..utils import unique_name
from .dtypes import convert
from .memory import from_bits, write
from .modes import eager_region, recording_program


class LazyGuard:
    """Context manager: parameters made inside get their initial values from `parameter.initialize()`.

    Until then, or until a state dict is loaded into them, their values are undefined.
    """

    _depth = 0

    def __enter__(self):
        LazyGuard._depth += 1
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        LazyGuard._depth -= 1
        return False


def _as_dtype(value):
    """The dtype that a second argument of EagerParamBase names, or None."""
    return convert(value) if isinstance(value, (str, type(_core.float32))) else None


class EagerParamBase(_core.Tensor):
    """A trainable tensor, from values or, as `EagerParamBase(shape, dtype)`, of zeros.

    A Layer owns one that is assigned to an attribute; optimizers update those that have a gradient.

    Args:
        data: The values (a Tensor, shared), or None; with a dtype behind it the shape.
        trainable: False for a frozen parameter.
        name: Name, or None for a generated one.

    Raises:
        ValueError: Of shape and dtype only one is given.

    Example:
        >>> scale = paddle.nn.Parameter(paddle.ones([2]))
        >>> scale.stop_gradient, scale.trainable
        (False, True)
    """

    def __new__(cls, data=None, trainable=True, *args, shape=None, dtype=None, **kwargs):
        dtype = _as_dtype(trainable) if dtype is None else convert(dtype)
        if (dtype is None) != (shape is None) and (data is None or shape is not None):
            missing = "shape" if shape is None else "dtype"
            raise ValueError(f"Parameter: {missing} is None; give both shape and dtype, or values.")
        if dtype is not None:
            data = _core.ops.full([int(n) for n in (data if shape is None else shape)], 0, dtype)
        if data is None:
            return super().__new__(cls)
        if not isinstance(data, _core.Tensor):
            data = _core.to_tensor(data)
        return super().__new__(cls, data.detach())

    def __init__(self, data=None, trainable=True, name=None, **attributes):
        if _as_dtype(trainable) is not None:
            trainable = attributes.get("trainable", True)
        self.name = name if name is not None else unique_name.generate("_eager_param_base")
        self.optimize_attr = attributes.get("optimize_attr", {"learning_rate": 1.0})
        self.regularizer = attributes.get("regularizer")
        self.do_model_average = attributes.get("do_model_average", True)
        self.need_clip = attributes.get("need_clip", True)
        self.is_distributed = attributes.get("is_distributed", False)
        self.persistable = self.is_parameter = True
        self.stop_gradient = not attributes.get("requires_grad", trainable)

    @classmethod
    def from_tensor(cls, tensor, **attributes):
        """A parameter that shares the memory of a tensor."""
        return cls(tensor, **attributes)

    @property
    def trainable(self):
        """Whether a gradient is computed and the optimizer updates the parameter."""
        return not self.stop_gradient

    @trainable.setter
    def trainable(self, value):
        if not isinstance(value, bool):
            raise ValueError(f"Parameter: trainable has type {type(value).__name__}; it must be a bool.")
        self.stop_gradient = not value

    def set_init_func(self, obj):
        """Set what `initialize` calls to fill the parameter.

        Args:
            obj: A callable of (parameter, block), such as an initializer.
        """
        self._pending_initializer = obj

    def initialize(self):
        """Give a parameter that was made under `paddle.LazyGuard` its initial values."""
        init = self.__dict__.pop("_pending_initializer", None)
        if init is not None:
            with _no_grad():
                _fill(self, init)

    def _attributes(self):
        return {
            "optimize_attr": dict(self.optimize_attr),
            "regularizer": self.regularizer,
            "do_model_average": self.do_model_average,
            "need_clip": self.need_clip,
            "is_distributed": self.is_distributed,
        }

    def __deepcopy__(self, memo):
        import copy

        with _no_grad():
            made = EagerParamBase(_core.ops.assign(self), name=unique_name.generate(self.name))
        memo[id(self)] = made
        known = set(self._attributes()) | {"name", "persistable", "stop_gradient"}
        for key, value in self._attributes().items():
            setattr(made, key, copy.deepcopy(value, memo))
        for key, value in self.__dict__.items():
            if key not in known:
                setattr(made, key, copy.deepcopy(value, memo))
        made.stop_gradient = self.stop_gradient
        return made

    def __reduce_ex__(self, protocol):
        own = {**self._attributes(), "name": None, "persistable": None, "stop_gradient": None}
        extra = {key: value for key, value in self.__dict__.items() if key not in own}
        state = (self.name, self.stop_gradient, self._attributes(), extra)
        return _rebuild, (self.detach().numpy(), self.dtype.name, state)

    def __str__(self):
        return f"Parameter containing:\n{_core.Tensor.__str__(self)}"

    __repr__ = __str__


def _no_grad():
    from .modes import no_grad

    return no_grad()


def _rebuild(array, dtype, state):
    name, stop_gradient, attributes, extra = state
    native = array.dtype.name == dtype
    data = _core.to_tensor(array) if native else from_bits(array, convert(dtype))
    made = EagerParamBase(data, trainable=not stop_gradient, name=name, **attributes)
    for key, value in extra.items():
        setattr(made, key, value)
    return made


def _checked_shape(shape, owner):
    """The extents of a parameter of a layer as ints."""
    if isinstance(shape, (list, tuple)) or hasattr(shape, "__iter__") and getattr(shape, "ndim", 1):
        shape = list(shape)
    else:
        shape = [shape]
    for extent in shape:
        if not hasattr(extent, "__index__") or getattr(extent, "size", 1) != 1:
            given = [n if isinstance(n, (int, float, str)) else type(n).__name__ for n in shape]
            raise _core.ArgumentTypeError(
                f"create_parameter: shape has value {given} in {owner}; every extent must be an int."
            )
        if extent < 0:
            raise _core.ArgumentValueError(
                f"create_parameter: shape has value {shape} in {owner}; every extent must be >= 0."
            )
    return [int(extent) for extent in shape]


def make_parameter(shape, dtype, attr, initializer, prefix, kind, startup=None):
    """A parameter with the attributes and the initial values of `attr`.

    Args:
        attr: A ParamAttr.
        initializer: Used where `attr` names none.
        prefix: Name of the owner, as in 'linear_0'.
        kind: 'w' or 'b'.
        startup: The program that gives it its first values in static mode; None: the current startup program.
    """
    name = attr.name or unique_name.generate(f"{prefix}.{kind}")
    if hasattr(attr, "dim"):
        return _with_weight_norm(shape, dtype, attr, initializer, name)
    init = attr.initializer or initializer
    shape = _checked_shape(shape, prefix)
    dtype = convert(dtype)
    attributes = {
        "optimize_attr": {"learning_rate": attr.learning_rate},
        "regularizer": attr.regularizer,
        "do_model_average": attr.do_model_average,
        "need_clip": attr.need_clip,
    }
    if recording_program() is not None:
        shape = init._made_shape() if hasattr(init, "_made_shape") else shape
        known = recording_program()._made.get(name)
        if known is not None:
            if list(known.shape) != shape or known.dtype != dtype:
                raise ValueError(
                    f"create_parameter: the program has a parameter {name!r} of shape {list(known.shape)} and dtype "
                    f"{known.dtype.name}; it cannot have another of shape {shape} and dtype {dtype.name}."
                )
            return known
    make = getattr(init, "_values", None)
    lazy = LazyGuard._depth > 0
    recorded = recording_program() is not None
    with eager_region(), _no_grad():
        if lazy or recorded:
            from ..tensor.creation import empty

            data = empty(shape, dtype)
        else:
            data = _core.ops.full(shape, 0, dtype) if make is None else make(shape, dtype)
        param = EagerParamBase(data, trainable=attr.trainable, name=name, **attributes)
        if lazy:
            param._pending_initializer = init
        elif make is None and not recorded:
            _fill(param, init)
    if recorded:
        from ..static.state import give_first_values

        recording_program()._made[name] = param
        give_first_values(param, lambda program: _first_values(param, init, program), startup)
    return param


def _first_values(param, init, program):
    make = getattr(init, "_values", None)
    return init(param, program.global_block()) if make is None else make(list(param.shape), param.dtype)


def _with_weight_norm(shape, dtype, attr, initializer, name):
    from ..static.weight_norm import weight_of

    def make(shape, dtype, attr, initializer, name):
        return make_parameter(shape, dtype, attr, initializer, name, "w")

    return weight_of([int(n) for n in shape], dtype, attr, initializer, name, make)


def _fill(param, init):
    make = getattr(init, "_values", None)
    values = init(param) if make is None else make(param.shape, param.dtype)
    if isinstance(values, _core.Tensor) and values is not param:
        write(param, values)


def create_parameter(shape, dtype, name=None, attr=None, is_bias=False, default_initializer=None):
    """A parameter outside a layer.

    Args:
        shape: Its extents.
        dtype: Its dtype.
        name: Its name, or None for a generated one.
        attr: What ParamAttr describes.
        is_bias: Zeros instead of Xavier's values by default.
        default_initializer: Used where `attr` names none.

    Returns:
        The parameter, or None when attr is False.

    Example:
        >>> paddle.create_parameter([2], "float32", is_bias=True).tolist()
        [0.0, 0.0]
    """
    from ..nn import initializer
    from .param_attr import ParamAttr

    attr = ParamAttr._to_attr(attr)
    if name is not None and attr.name is None:
        attr = ParamAttr(
            name,
            attr.initializer,
            attr.learning_rate,
            attr.regularizer,
            attr.trainable,
            attr.do_model_average,
            attr.need_clip,
        )
    init = initializer.default_for(is_bias, default_initializer)
    prefix = attr.name or unique_name.generate("create_parameter")
    return make_parameter(shape, dtype, attr, init, prefix, "b" if is_bias else "w")


Parameter = EagerParamBase
