# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Layer`: the base of networks; owns parameters, buffers and sublayers."""

import warnings

from ... import _core
from ...framework.call_forms import aliases
from ...framework.devices import made_on
from ...framework.dtypes import convert, get_default_dtype
from ...framework.layer_helper import LayerObjectHelper
from ...framework.param_attr import ParamAttr
from ...framework.parameter import EagerParamBase, make_parameter
from ...utils import unique_name
from .. import initializer
from .backward_hooks import BackwardHooked
from .computed import computed
from .conversion import Convertible
from .state import Stateful
from .tree import Tree

Tensor = _core.Tensor


def in_declarative_mode():
    """True while `paddle.jit.to_static` captures the code that asks."""
    from ...jit.capturing import in_capture

    return in_capture()


def _snake(name):
    """'BatchNorm2D' as 'batch_norm2d'."""
    text = ""
    for i, c in enumerate(name):
        before = name[i - 1] if i else ""
        after = name[i + 1] if i + 1 < len(name) else ""
        if (
            c.isupper()
            and i
            and (before.islower() or (after.islower() and before.isalpha()) or (before.isdigit() and after.islower()))
        ):
            text += "_"
        text += c.lower()
    return text


_convert_camel_to_snake = _snake


def _stands_for_a_number(held, value):
    """Whether a capture puts a tensor in the place of a number, as a loop on tensors does with `self.calls += 1`, or did."""
    is_number = isinstance(held, (int, float)) and value.ndim == 0
    return isinstance(held, Tensor) or (is_number and _core.pir.is_symbolic(value))


class HookRemoveHelper:
    """Returned by the hook registrations; `remove()` takes the hook out."""

    _next = 0

    def __init__(self, hooks, hook, prepend=False):
        self._hooks, self._also = hooks, None
        self._hook_id = HookRemoveHelper._next
        HookRemoveHelper._next += 1
        hooks[self._hook_id] = hook
        if prepend:
            for key in [k for k in hooks if k != self._hook_id]:
                hooks[key] = hooks.pop(key)

    def follow(self, keys):
        """List the hook's key in another table too, until it is taken out."""
        keys[self._hook_id] = True
        self._also = keys

    def remove(self):
        """Take the hook out."""
        self._hooks.pop(self._hook_id, None)
        if self._also is not None:
            self._also.pop(self._hook_id, None)


def _build_first(layer, inputs, kwargs):
    """The hook that calls `_build_once`, and is no more."""
    layer._build_once(*inputs, **kwargs)
    layer._built = True
    hooks = layer._forward_pre_hooks
    for key in [k for k, (hook, _) in hooks.items() if hook is _build_first]:
        del hooks[key]


class Layer(Tree, Stateful, Convertible, BackwardHooked):
    """Base of networks: it owns parameters, buffers and sublayers that are assigned to its attributes.

    A subclass calls `super().__init__()` first and defines `forward`. A call of the layer runs `forward` between its
    hooks.

    Args:
        name_scope: Prefix of the names of its parameters; the class name by default.
        dtype: dtype of its parameters.

    Example:
        >>> class Scale(paddle.nn.Layer):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.factor = self.create_parameter([1], default_initializer=paddle.nn.initializer.Constant(3.0))
        ...
        ...     def forward(self, x):
        ...         return x * self.factor
        >>> layer = Scale()
        >>> layer(paddle.ones([2])).tolist()
        [3.0, 3.0]
        >>> list(layer.state_dict())
        ['factor']
    """

    _cast_to_low_precision = True  # whether `amp.decorate` casts its parameters

    def __init__(self, name_scope=None, dtype="float32"):
        own = self.__dict__
        own["training"] = True
        scope = _snake(type(self).__name__) if name_scope is None else name_scope
        own["_full_name"] = unique_name.generate(scope)
        own["_dtype"] = get_default_dtype() if dtype == "float32" else dtype
        own["_parameters"] = {}
        own["_buffers"] = {}
        own["_non_persistable_buffer_names_set"] = set()
        own["_sub_layers"] = {}
        own["_forward_pre_hooks"] = {}
        own["_forward_post_hooks"] = {}
        own["_forward_post_hooks_always_called"] = {}  # those that run after an error too, by the same keys
        for hooks in Stateful._hook_tables:
            own[hooks] = {}
        self._start_backward_hooks()
        own["_built"] = type(self)._build_once is Layer._build_once
        if not own["_built"]:
            self.register_forward_pre_hook(_build_first, with_kwargs=True)

    # -- calls -------------------------------------------------------------------------------

    def forward(self, *inputs, **kwargs):
        """What a call computes; subclasses define it. Call the layer itself, `layer(x)`: hooks run around forward.

        Args:
            inputs: What the call is given.
            kwargs: The same by name.

        Raises:
            NotImplementedError: The subclass does not define it.

        Example:
            >>> class Double(paddle.nn.Layer):
            ...     def forward(self, x):
            ...         return x * 2
            >>> Double()(paddle.ones([2])).tolist()
            [2.0, 2.0]
        """
        raise NotImplementedError(f"{type(self).__name__}: forward is not defined; define it in the subclass.")

    def _build_once(self, *inputs, **kwargs):
        """Called with what the first call gets, before it; subclasses make parameters there that depend on inputs."""

    def __call__(self, *inputs, **kwargs):
        if not self._forward_pre_hooks and not self._forward_post_hooks:
            return self.forward(*inputs, **kwargs)
        called = set()
        try:
            return self._call_with_hooks(inputs, kwargs, called)
        except Exception:
            self._call_remaining_hooks(inputs, kwargs, called)
            raise

    def _call_with_hooks(self, inputs, kwargs, called):
        """Forward between its hooks; the keys of the hooks behind it that were called go into `called`."""
        for hook, with_kwargs in list(self._forward_pre_hooks.values()):
            if with_kwargs:
                changed = hook(self, inputs, kwargs)
                if changed is not None:
                    inputs, kwargs = changed
                continue
            changed = hook(self, inputs)
            if changed is not None:
                inputs = changed if isinstance(changed, tuple) else (changed,)
        outputs = self.forward(*inputs, **kwargs)
        for key, (hook, with_kwargs) in list(self._forward_post_hooks.items()):
            called.add(key)
            arguments = (self, inputs, kwargs, outputs) if with_kwargs else (self, inputs, outputs)
            changed = hook(*arguments)
            outputs = outputs if changed is None else changed
        return outputs

    def _call_remaining_hooks(self, inputs, kwargs, called):
        """After an error: the hooks that are always called and were not yet. Their own errors are only reported."""
        for key in [k for k in self._forward_post_hooks_always_called if k not in called]:
            hook, with_kwargs = self._forward_post_hooks[key]
            try:
                hook(*((self, inputs, kwargs, None) if with_kwargs else (self, inputs, None)))
            except Exception as error:
                warnings.warn(f"a forward hook failed after another error: {error!r}", stacklevel=3)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call `hook(layer, inputs)` before forward; it may return other inputs.

        Args:
            hook: A callable. inputs is the tuple of positional arguments.
            prepend: Whether it is called before the hooks that are there.
            with_kwargs: Whether it is called as `hook(layer, inputs, kwargs)`, and returns both.

        Returns:
            A handle; its `remove()` takes the hook off.

        Example:
            >>> layer = paddle.nn.Identity()
            >>> handle = layer.register_forward_pre_hook(lambda layer, inputs: (inputs[0] * 2,))
            >>> layer(paddle.ones([2])).tolist()
            [2.0, 2.0]
        """
        return HookRemoveHelper(self._forward_pre_hooks, (hook, with_kwargs), prepend)

    def register_forward_post_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call `hook(layer, inputs, outputs)` after forward; it may return other outputs.

        Args:
            hook: A callable. inputs is the tuple of positional arguments.
            prepend: Whether it is called before the hooks that are there.
            with_kwargs: Whether it is called as `hook(layer, inputs, kwargs, outputs)`.
            always_call: Whether it is called after an error too, with None for the outputs.

        Returns:
            A handle; its `remove()` takes the hook off.

        Example:
            >>> layer = paddle.nn.Linear(2, 3)
            >>> seen = []
            >>> handle = layer.register_forward_post_hook(lambda layer, inputs, outputs: seen.append(outputs.shape))
            >>> _ = layer(paddle.ones([4, 2]))
            >>> handle.remove()
            >>> seen
            [paddle.Size([4, 3])]
        """
        handle = HookRemoveHelper(self._forward_post_hooks, (hook, with_kwargs), prepend)
        if always_call:
            handle.follow(self._forward_post_hooks_always_called)
        return handle

    register_forward_hook = register_forward_post_hook

    # -- attributes --------------------------------------------------------------------------

    def __getattr__(self, name):
        own = self.__dict__
        for table in ("_parameters", "_sub_layers", "_buffers"):
            members = own.get(table)
            if members is not None and name in members:
                return members[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        own = self.__dict__
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
            return
        parameters = own.get("_parameters")
        if isinstance(value, (EagerParamBase, Layer)):
            if parameters is None:
                raise ValueError(
                    f"{type(self).__name__}: super().__init__() must be called before parameters "
                    f"and sublayers are assigned."
                )
            table = parameters if isinstance(value, EagerParamBase) else own["_sub_layers"]
            self._forget(name, keep=table)
            table[name] = value
            return
        if parameters is not None:
            if name in parameters:
                if value is not None:
                    raise TypeError(
                        f"{type(self).__name__}: assignment to parameter {name!r} should be of type Parameter or None, "
                        f"but got {type(value).__name__!r}."
                    )
                parameters[name] = None
                return
            if name in own["_sub_layers"]:
                if value is not None:
                    raise TypeError(
                        f"{type(self).__name__}: assignment to sublayer {name!r} should be of type Layer or None, "
                        f"but got {type(value).__name__!r}."
                    )
                own["_sub_layers"][name] = None
                return
            if name in own["_buffers"]:
                if value is not None and not isinstance(value, Tensor):
                    raise TypeError(
                        f"{type(self).__name__}: assignment to buffers {name!r} should be of type Tensor or None, "
                        f"but got {type(value).__name__!r}."
                    )
                held = own["_buffers"][name]
                # A captured program keeps its buffers and writes into them; what has a gradient is no state.
                is_state = value is not None and held is not None and value is not held and held.stop_gradient
                if is_state and in_declarative_mode():
                    _core.assign_inplace(held, value, name)
                else:
                    own["_buffers"][name] = value
                return
            if type(value) is Tensor and not _stands_for_a_number(own.get(name), value):
                own.pop(name, None)
                own["_buffers"][name] = value
                own["_non_persistable_buffer_names_set"].add(name)
                return
        object.__setattr__(self, name, value)

    def _forget(self, name, keep=None):
        own = self.__dict__
        for table in (own["_parameters"], own["_sub_layers"], own["_buffers"], own):
            if table is not keep:
                table.pop(name, None)

    def __delattr__(self, name):
        own = self.__dict__
        for table in ("_parameters", "_sub_layers", "_buffers"):
            if name in own.get(table, ()):
                del own[table][name]
                own["_non_persistable_buffer_names_set"].discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self):
        members = set(object.__dir__(self))
        return sorted(members | set(self._parameters) | set(self._sub_layers) | set(self._buffers))

    # -- members -----------------------------------------------------------------------------

    def full_name(self):
        """The unique name, as in 'linear_0'.

        Example:
            >>> paddle.nn.Linear(2, 2).full_name()
            'linear_...'
        """
        return self._full_name

    @computed
    def _helper(self):
        """A LayerObjectHelper that names parameters after this layer."""
        return LayerObjectHelper(self._full_name, name=self._full_name)

    def create_parameter(self, shape, attr=None, dtype=None, is_bias=False, default_initializer=None, device=None):
        """A parameter named after this layer (it is owned once it is assigned).

        Args:
            shape: Its extents.
            attr: What ParamAttr describes; False gives None.
            dtype: Its dtype, None for the default one: that of the layer does not matter.
            is_bias: Zeros instead of Xavier's values by default.
            default_initializer: Used where `attr` names none.
            device: Where it lies; None for the current device.

        Returns:
            The parameter, or None.

        Raises:
            ValueError: An extent is negative or no int, or there is no such device.

        Example:
            >>> layer = paddle.nn.Layer()
            >>> layer.bias = layer.create_parameter([3], is_bias=True)
            >>> layer.bias.tolist()
            [0.0, 0.0, 0.0]
        """
        if device is not None:
            with made_on(device):
                return self.create_parameter(shape, attr, dtype, is_bias, default_initializer)
        attr = ParamAttr._to_attr(attr)
        if attr is False:
            return None
        init = initializer.default_for(is_bias, default_initializer)
        return make_parameter(shape, dtype or get_default_dtype(), attr, init, self._full_name, "b" if is_bias else "w")

    def create_tensor(self, name=None, persistable=None, dtype=None):
        """An empty tensor named after this layer."""
        made = _core.ops.full([0], 0, convert(dtype or get_default_dtype()))
        made.name = name or unique_name.generate(f"{self._full_name}._generated_var")
        return made

    create_variable = create_tensor

    def add_parameter(self, name, parameter):
        """Own a parameter under a name.

        Args:
            name: A text without dots.
            parameter: A Parameter or None.

        Returns:
            The parameter.

        Raises:
            TypeError: It is no Parameter.

        Example:
            >>> net = paddle.nn.Layer()
            >>> _ = net.add_parameter("scale", paddle.create_parameter([2], "float32"))
            >>> list(net.state_dict())
            ['scale']
        """
        self._check_name("add_parameter", "parameter", name)
        if name not in self._parameters and hasattr(self, name):
            raise KeyError(f"add_parameter: The parameter {name!r} already exists; use another name.")
        if parameter is not None and not isinstance(parameter, EagerParamBase):
            raise TypeError(f"add_parameter: parameter has type {type(parameter).__name__}; pass a Parameter or None.")
        self._forget(name, keep=self._parameters)
        self._parameters[name] = parameter
        waiting = self.__dict__.get("_values_to_load")
        if waiting and parameter is not None and parameter.name in waiting:
            parameter.set_value(waiting[parameter.name])
        return parameter

    @property
    def _loaddict_holder(self):
        """Values by the names of parameters that are yet to come: `add_parameter` gives them."""
        return self.__dict__.setdefault("_values_to_load", {})

    def register_parameter(self, name, param):
        """As `add_parameter`."""
        return self.add_parameter(name, param)

    def add_sublayer(self, name, sublayer):
        """Own a sublayer under a name: its parameters count to the layer's.

        Args:
            name: A text without dots.
            sublayer: A Layer or None.

        Returns:
            The sublayer.

        Raises:
            AssertionError: The sublayer is no Layer (a ValueError, too).

        Example:
            >>> net = paddle.nn.Layer()
            >>> _ = net.add_sublayer("head", paddle.nn.Linear(4, 2))
            >>> [name for name, _ in net.named_parameters()]
            ['head.weight', 'head.bias']
        """
        if not isinstance(sublayer, Layer) and sublayer is not None:
            raise AssertionError(
                f"{type(self).__name__}: sublayer {str(name)!r} has type {type(sublayer).__name__}; pass a Layer."
            )
        self._sub_layers[str(name)] = sublayer
        return sublayer

    def add_module(self, name, module):
        """As `add_sublayer`."""
        return self.add_sublayer(name, module)

    def register_module(self, name, module):
        """As `add_sublayer`; gives None."""
        self.add_sublayer(name, module)

    @aliases(persistent="persistable")
    def register_buffer(self, name, tensor, persistable=True):
        """Own a tensor that is no parameter, such as running statistics.

        Args:
            name: A text without dots.
            tensor: A Tensor or None.
            persistable: Whether it is part of the state dict.

        Raises:
            TypeError: It is no Tensor, or a parameter.

        Example:
            >>> layer = paddle.nn.Layer()
            >>> layer.register_buffer("count", paddle.zeros([1]))
            >>> list(layer.state_dict())
            ['count']
        """
        self._check_name("register_buffer", "buffer", name)
        if tensor is not None and (not isinstance(tensor, Tensor) or isinstance(tensor, EagerParamBase)):
            raise TypeError(
                f"register_buffer: a registered buffer should be a Paddle.Tensor or None and no parameter, but tensor "
                f"has type {type(tensor).__name__}."
            )
        if name not in self._buffers and hasattr(self, name):
            raise KeyError(f"register_buffer: attribute {name!r} already exists; use another name.")
        self._buffers[name] = tensor
        names = self._non_persistable_buffer_names_set
        names.discard(name) if persistable else names.add(name)

    def _check_name(self, op, kind, name):
        if not isinstance(name, str):
            raise TypeError(f"{op}: the name of {kind} should be a string, but it has type {type(name).__name__}.")
        if "." in name:
            raise KeyError(f"{op}: the name of {kind} can not contain a dot, but it is {name!r}.")
        if name == "":
            raise KeyError(f"{op}: the name of {kind} can not be empty.")

    def get_extra_state(self):
        """What a subclass adds to its state; a layer that adds nothing has none."""
        raise RuntimeError("get_extra_state: this layer defines no extra state.")

    def backward(self, *inputs):
        """ValueError: layers have no backward of their own; call backward() on the loss."""
        raise ValueError("Layer shouldn't implement backward")

    def apply(self, fn):
        """Call a function on all sublayers, then on this layer.

        Args:
            fn: Takes a Layer.

        Returns:
            The layer.

        Example:
            >>> names = []
            >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.ReLU())
            >>> _ = model.apply(lambda layer: names.append(type(layer).__name__))
            >>> names
            ['Linear', 'ReLU', 'Sequential']
        """
        if not callable(fn):
            raise TypeError(f"apply: fn has type {type(fn).__name__}; it must be a function of a Layer.")
        for layer in self.children():
            layer.apply(fn)
        fn(self)
        return self

    # -- modes -------------------------------------------------------------------------------

    def train(self, mode=True):
        """Put the layer and its sublayers into training mode, in which dropout drops.

        Args:
            mode: False for `eval`.

        Example:
            >>> layer = paddle.nn.Dropout()
            >>> layer.train(False).training
            False
        """
        return self._set_mode(mode)

    def eval(self):
        """Put the layer and its sublayers into evaluation mode: dropout keeps all, batch normalisation uses running statistics.

        Returns:
            The layer.

        Example:
            >>> layer = paddle.nn.Dropout(0.5).eval()
            >>> layer(paddle.ones([2])).tolist()
            [1.0, 1.0]
        """
        return self._set_mode(False)  # a subclass's train() need not take a mode

    _last_mode = True  # that of the last call of train() or eval(), which functions of paddle.fluid go by

    def _set_mode(self, training):
        Layer._last_mode = training
        for layer in self.sublayers(include_self=True):
            layer.training = training
        return self

    def requires_grad_(self, requires_grad=True):
        """Set for all parameters whether a gradient is computed.

        Args:
            requires_grad: False freezes the parameters.

        Returns:
            The layer.

        Example:
            >>> paddle.nn.Linear(2, 2).requires_grad_(False).weight.stop_gradient
            True
        """
        for p in self.parameters():
            p.stop_gradient = not requires_grad
        return self

    def clear_gradients(self, set_to_zero=True):
        """Drop the gradients of all parameters.

        Args:
            set_to_zero: True: gradients are zeros. False: `grad` is None.

        Example:
            >>> layer = paddle.nn.Linear(2, 1)
            >>> layer(paddle.ones([1, 2])).sum().backward()
            >>> layer.clear_gradients()
            >>> layer.weight.grad.tolist()
            [[0.0], [0.0]]
        """
        for p in self.parameters():
            if not p.stop_gradient:
                p.clear_gradient(set_to_zero)

    def zero_grad(self, set_to_none=True):
        """As `clear_gradients`."""
        self.clear_gradients(not set_to_none)

    # -- text --------------------------------------------------------------------------------

    def extra_repr(self):
        """What `repr` shows in the brackets of this layer."""
        return ""

    def __repr__(self):
        extra = self.extra_repr().split("\n") if self.extra_repr() else []
        text = f"{type(self).__name__}(" + ("\n  " + "\n  ".join(extra) if len(extra) > 1 else "".join(extra))
        for name, layer in self._sub_layers.items():
            text += f"\n  ({name}): " + repr(layer).replace("\n", "\n  ")
        return text + ("\n)" if self._sub_layers or len(extra) > 1 else ")")
