# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`LayerHelper`: parameters, result tensors and operator calls for layers written by hand."""

from .. import _core, _legacy
from ..utils import unique_name
from .devices import made_on
from .dtypes import convert, get_default_dtype, set_default_dtype
from .memory import write
from .modes import recording_program
from .param_attr import ParamAttr


def put_result(target, value, operator):
    """Give a tensor, or a variable of a program that has no value yet, what an operator gave."""
    if not target._is_initialized():
        target.stop_gradient = True  # its gradient is that of what it becomes
    elif target.persistable and recording_program() is not None and list(target.shape) == list(value.shape):
        write(target, value)  # state of a program keeps its memory
        return
    _core.rebind_inplace(target, value, operator)


def _names(slots):
    """The names of the tensors of each slot."""
    listed = ((slot, value if isinstance(value, (list, tuple)) else [value]) for slot, value in slots.items())
    return {slot: [t.name for t in values if isinstance(t, _core.Tensor)] for slot, values in listed}


class Operator:
    """A call that `LayerHelper.append_op` made."""

    def __init__(self, type, inputs, outputs, attrs):
        self.type = type
        self.inputs, self.outputs, self.attrs = inputs, outputs, attrs
        self.desc = _legacy.OpDesc(type, _names(inputs), _names(outputs), attrs)
        self.block = None

    input_names = property(lambda self: self.desc.input_names())
    output_names = property(lambda self: self.desc.output_names())
    input_arg_names = property(lambda self: self.desc.input_arg_names())
    output_arg_names = property(lambda self: self.desc.output_arg_names())
    attr_names = property(lambda self: self.desc.attr_names())

    def input(self, name):
        """Names of the tensors of one input."""
        return self.desc.input(name)

    def output(self, name):
        """Names of the tensors of one output."""
        return self.desc.output(name)

    def has_attr(self, name):
        """Whether there is an attribute of that name."""
        return self.desc.has_attr(name)

    def attr(self, name):
        """The value of an attribute."""
        return self.desc.attr(name)

    def all_attrs(self):
        """Attributes by name."""
        return self.desc.get_attr_map()

    def __repr__(self):
        return f"Operator({self.type})"


def _values(slots):
    """The tensors of {slot: tensor or list of tensors}, one entry a slot."""
    values = []
    for value in slots.values():
        if isinstance(value, (list, tuple)) and len(value) == 1:
            value = value[0]
        values.append(value)
    return values


def _older(name):
    """An operator of `paddle._legacy_C_ops` that takes its attributes by name, or None."""
    operator = getattr(_legacy.positional_operators, name, None)
    if operator is None:
        return None
    return lambda *inputs, **attrs: operator(*inputs, *(part for pair in attrs.items() for part in pair))


class LayerHelper:
    """What a layer function needs to make parameters and call operators.

    Args:
        layer_type: Kind of the layer; names are made of it.
        kwargs: The arguments of the layer function: name, input, param_attr, bias_attr, act, ...

    Example:
        >>> import paddle
        >>> from paddle.incubate import LayerHelper
        >>> helper = LayerHelper("scaled")
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> out = helper.create_variable_for_type_inference("float32")
        >>> op = helper.append_op(type="scale", inputs={"X": x}, outputs={"Out": out}, attrs={"scale": 3.0})
        >>> print(out.tolist())
        [3.0, 6.0]
    """

    def __init__(self, layer_type, **kwargs):
        self.kwargs = kwargs
        self._layer_type = layer_type
        if kwargs.get("name") is None:
            kwargs["name"] = unique_name.generate(layer_type)

    @property
    def name(self):
        """The name of the layer."""
        return self.kwargs["name"]

    @property
    def layer_type(self):
        """The kind of the layer."""
        return self._layer_type

    @property
    def main_program(self):
        """The program to which calls are appended."""
        from ..static import default_main_program

        return default_main_program()

    @property
    def startup_program(self):
        """The program that gives parameters their first values."""
        from ..static import default_startup_program

        return default_startup_program()

    @property
    def param_attr(self):
        """The `param_attr` argument as a ParamAttr."""
        return ParamAttr._to_attr(self.kwargs.get("param_attr"))

    @property
    def bias_attr(self):
        """The `bias_attr` argument as a ParamAttr, False for none."""
        return ParamAttr._to_attr(self.kwargs.get("bias_attr"))

    def multiple_param_attr(self, length):
        """`param_attr` as a list of `length` entries."""
        attrs = self.param_attr
        attrs = list(attrs) if isinstance(attrs, (list, tuple)) else [attrs] * length
        if len(attrs) != length:
            raise ValueError(f"{self._layer_type}: param_attr has {len(attrs)} entries for {length} inputs.")
        return attrs

    def multiple_input(self, input_param_name="input"):
        """The tensors of an argument, as a list."""
        value = self.kwargs.get(input_param_name, [])
        return list(value) if isinstance(value, (list, tuple)) else [value]

    def input(self, input_param_name="input"):
        """The one tensor of an argument."""
        values = self.multiple_input(input_param_name)
        if len(values) != 1:
            raise ValueError(f"{self._layer_type}: {input_param_name} must be one tensor, got {len(values)}.")
        return values[0]

    def iter_inputs_and_params(self, input_param_name="input"):
        """Pairs (input, its ParamAttr)."""
        values = self.multiple_input(input_param_name)
        yield from zip(values, self.multiple_param_attr(len(values)), strict=True)

    def input_dtype(self, input_param_name="input"):
        """The dtype that the tensors of an argument share."""
        dtypes = {value.dtype for value in self.multiple_input(input_param_name)}
        if len(dtypes) > 1:
            raise ValueError(
                f"{self._layer_type}: {input_param_name} must have one dtype, got {sorted(map(str, dtypes))}."
            )
        return dtypes.pop() if dtypes else None

    def is_instance(self, param_name, cls):
        """Raises TypeError unless an argument is an instance of `cls`."""
        value = self.kwargs.get(param_name)
        if not isinstance(value, cls):
            raise TypeError(f"{self._layer_type}: {param_name} must be {cls}, got {type(value)}.")

    def get_default_dtype(self):
        """The dtype of parameters that name none."""
        return get_default_dtype()

    def set_default_dtype(self, dtype):
        """Sets the dtype of parameters that name none."""
        set_default_dtype(dtype)

    def create_parameter(
        self,
        attr,
        shape,
        dtype=None,
        is_bias=False,
        default_initializer=None,
        stop_gradient=False,
        type=None,
        device=None,
    ):
        """A parameter, or None where `attr` is False.

        Args:
            attr: What ParamAttr describes.
            shape: Its shape.
            dtype: Its dtype; the default dtype if None.
            is_bias: Zeros instead of Xavier's values by default.
            default_initializer: Used where `attr` names none.
            stop_gradient: Whether it is frozen.
            type: Kept for programs that name the kind of variable; parameters are dense.
            device: Where it lies; None for the current device.
        """
        from ..nn import initializer
        from .parameter import make_parameter

        attr = ParamAttr._to_attr(attr)
        if attr is False:
            return None
        init = initializer.default_for(is_bias, default_initializer)
        with made_on(device):
            made = make_parameter(shape, dtype or get_default_dtype(), attr, init, self.name, "b" if is_bias else "w")
        if stop_gradient:
            made.stop_gradient = True
        return made

    def get_parameter(self, name):
        """The parameter of the main program with a name."""
        return self.main_program.global_block().var(name)

    def create_variable_for_type_inference(self, dtype, stop_gradient=False, shape=None):
        """An empty tensor that an operator call fills.

        Args:
            dtype: Its dtype.
            stop_gradient: Kept for programs that set it; results follow the operator.
            shape: Its shape; None: that of the operator's result.
        """
        made = _core.ops.full([0] if shape is None else list(shape), 0, convert(dtype))
        made.name = unique_name.generate(f"{self.name}.tmp")
        return made

    def create_sparse_variable_for_type_inference(self, dtype, stop_gradient=False, shape=None):
        """As `create_variable_for_type_inference`: a result may be sparse."""
        return self.create_variable_for_type_inference(dtype, stop_gradient, shape)

    def create_variable(self, *args, **kwargs):
        """An empty tensor; takes name, shape and dtype."""
        made = self.create_variable_for_type_inference(kwargs.get("dtype") or "float32", shape=kwargs.get("shape"))
        if kwargs.get("name") is not None:
            made.name = kwargs["name"]
        made.persistable = bool(kwargs.get("persistable", False))
        return made

    def create_global_variable(self, persistable=False, *args, **kwargs):
        """As `create_variable`, kept with the model if persistable."""
        return self.create_variable(*args, persistable=persistable, **kwargs)

    def create_or_get_global_variable(self, name, *args, **kwargs):
        """(variable, True if it is new) of a name in the main program."""
        block = self.main_program.global_block()
        if block.has_var(name):
            return block.var(name), False
        return self.create_global_variable(*args, name=name, **kwargs), True

    def set_variable_initializer(self, var, initializer):
        """Gives a variable the values of an initializer."""
        initializer(var)
        return var

    def to_variable(self, value, name=None):
        """A tensor of an array."""
        made = _core.to_tensor(value)
        if name is not None:
            made.name = name
        return made

    def append_op(self, type=None, inputs=None, outputs=None, attrs=None, **kwargs):
        """Calls an operator and puts its results into given tensors.

        Args:
            type: Name of the operator: one of PaddlePaddle 2, with its slots, or one of `paddle._C_ops`.
            inputs: Slot -> tensor or list of tensors, in the order of the operator's schema.
            outputs: Slot -> tensor or list of tensors that take the results, in order.
            attrs: Attribute -> value.
            stop_gradient: Whether to leave the call out of the gradient graph.

        Raises:
            NotImplementedError: There is no operator of that name.
        """
        inputs, outputs, attrs = inputs or {}, outputs or {}, attrs or {}
        if _legacy.is_call_by_slots(type, inputs):
            _legacy.fill_by_slots(type, inputs, outputs, attrs, kwargs.get("stop_gradient", False))
            return Operator(type, inputs, outputs, attrs)
        operator = getattr(_core.ops, type, None) or getattr(_core.ops, type.removesuffix("2"), None) or _older(type)
        if operator is None:
            raise NotImplementedError(f"LayerHelper.append_op: paddle has no operator named '{type}'.")
        results = operator(*_values(inputs), **attrs)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        targets = _values(outputs)
        if len(targets) == 1 and isinstance(targets[0], (list, tuple)):
            targets = list(targets[0])
        for target, result in zip(targets, results, strict=False):
            if target is not None:
                put_result(target, result, type)
                if kwargs.get("stop_gradient"):
                    target.stop_gradient = True
        return Operator(type, inputs, outputs, attrs)

    def append_bias_op(self, input_var, dim_start=1, dim_end=None):
        """The input plus a bias of the shape of its axes dim_start to dim_end; the input where `bias_attr` is False."""
        if self.bias_attr is False:
            return input_var
        shape = list(input_var.shape[dim_start:dim_end])
        bias = self.create_parameter(self.bias_attr, shape, input_var.dtype, is_bias=True)
        return input_var + bias.reshape(shape + [1] * (input_var.ndim - dim_start - len(shape)))

    def append_activation(self, input_var):
        """The input through the activation that the argument `act` names."""
        return _activated(input_var, self.kwargs.get("act"))


def _activated(value, act):
    if act is None:
        return value
    from ..nn.functional._by_name import activated

    attrs = dict(act) if isinstance(act, dict) else {"type": act}
    return activated(value, attrs.pop("type"), **attrs)


class LayerObjectHelper(LayerHelper):
    """The LayerHelper of a Layer: what a LayerHelper finds among the arguments of its creation is given to each call.

    Example:
        >>> import paddle
        >>> helper = paddle.nn.Linear(2, 2)._helper
        >>> helper.append_activation(paddle.to_tensor([-1.0, 2.0]), act="relu").tolist()
        [0.0, 2.0]
        >>> [(x.shape, attr.name) for x, attr in helper.iter_inputs_and_params(paddle.ones([3]), "weight")]
        [(paddle.Size([3]), 'weight')]
    """

    def iter_inputs_and_params(self, inputs_in, param_attr_in=None):
        """Pairs (input, its ParamAttr).

        Args:
            inputs_in: A tensor, or a list or tuple of them.
            param_attr_in: What ParamAttr describes, for each input or for all.

        Raises:
            ValueError: There are more or fewer descriptions than inputs.
        """
        inputs = list(inputs_in) if isinstance(inputs_in, (list, tuple)) else [inputs_in]
        attrs = list(param_attr_in) if isinstance(param_attr_in, (list, tuple)) else [param_attr_in] * len(inputs)
        if len(attrs) != len(inputs):
            raise ValueError(f"{self.name}: param_attr has {len(attrs)} entries for {len(inputs)} inputs.")
        for value, attr in zip(inputs, attrs, strict=True):
            yield value, ParamAttr._to_attr(attr)

    def input_dtype(self, inputs_in):
        """The dtype that tensors share; None without tensors.

        Args:
            inputs_in: A tensor, or a list or tuple of them.

        Raises:
            ValueError: They do not have the same.
        """
        inputs = inputs_in if isinstance(inputs_in, (list, tuple)) else [inputs_in]
        dtypes = {value.dtype for value in inputs}
        if len(dtypes) > 1:
            raise ValueError(f"{self.name}: the inputs must have one dtype, got {sorted(map(str, dtypes))}.")
        return dtypes.pop() if dtypes else None

    def is_instance(self, param, cls):
        """Raises TypeError unless `param` is an instance of `cls`."""
        if not isinstance(param, cls):
            raise TypeError(f"{self.name}: a parameter must be {cls}, got {type(param)}.")

    def append_activation(self, input_var, act=None, use_cudnn=None):
        """The input through an activation.

        Args:
            input_var: The input.
            act: Name of the activation; None is the input itself.
            use_cudnn: Kept for programs that set it.

        Raises:
            TypeError: `act` is no text.
        """
        if act is not None and not isinstance(act, str):
            raise TypeError(f"{self.name}: act has type {type(act).__name__}; it must be a str.")
        return _activated(input_var, act)
