# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`auto_cast` and `decorate`."""

import functools
import threading

from .. import _core
from ..framework.dtypes import dtype_name

_entered = threading.local()


def current_casts():
    """The regions that this thread is in, the outermost first; each can be entered again."""
    return list(getattr(_entered, "regions", ()))


class auto_cast:
    """Context manager (and decorator): operators of the white list run in low precision.

    Args:
        enable: False does nothing.
        custom_white_list: Operators that are added to the white list.
        custom_black_list: Operators that stay in float32.
        level: 'O1' by lists, 'O2' all but the black list, 'OD' only the white list, 'O0' off.
        dtype: 'float16' or 'bfloat16'.
        use_promote: In 'O2', whether an operator of neither list runs in float32 when an input has that dtype.

    Raises:
        ValueError: There is no such level or dtype, or an operator is in both lists.

    Example:
        >>> layer = paddle.nn.Linear(4, 2)
        >>> with paddle.amp.auto_cast(dtype="bfloat16"):
        ...     layer(paddle.ones([1, 4])).dtype
        paddle.bfloat16
    """

    def __init__(
        self,
        enable=True,
        custom_white_list=None,
        custom_black_list=None,
        level="O1",
        dtype="float16",
        use_promote=True,
    ):
        level = level.upper()
        if level not in ("O0", "OD", "O1", "O2"):
            raise ValueError(f"auto_cast: level has value {level!r}; it must be 'O0', 'OD', 'O1' or 'O2'.")
        name = dtype_name(dtype)
        if enable and name not in ("float16", "bfloat16"):
            raise ValueError(f"auto_cast: dtype has value {name!r}; it must be 'float16' or 'bfloat16'.")
        both = set(custom_white_list or ()) & set(custom_black_list or ())
        if both:
            raise ValueError(f"auto_cast: {sorted(both)} are in both custom lists; name each operator in one of them.")
        self._enable, self._level, self._dtype = bool(enable), level, name
        self.arguments = {
            "enable": self._enable,
            "custom_white_list": custom_white_list,
            "custom_black_list": custom_black_list,
            "level": level,
            "dtype": name,
            "use_promote": use_promote,
        }
        self._white = sorted(custom_white_list or ())
        self._black = sorted(custom_black_list or ())
        self._tokens = []

    def __enter__(self):
        promote = bool(self.arguments["use_promote"])
        self._tokens.append(_core.amp_enter(self._enable, self._dtype, self._level, self._white, self._black, promote))
        _entered.regions = [*current_casts(), self]
        return self

    def __exit__(self, *error):
        _entered.regions.pop()
        _core.amp_exit(self._tokens.pop())
        return False

    def __call__(self, func):
        @functools.wraps(func)
        def call(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        return call


amp_guard = auto_cast


def amp_state():
    """The arguments of the `auto_cast` that is in force at this place of the program, or None."""
    regions = current_casts()
    if not regions or not is_autocast_enabled():
        return None
    return dict(regions[-1].arguments)


class AMPGlobalState:
    """What automatic mixed precision does at this place of the program."""

    def __init__(self):
        self.model_parameters = []
        self.use_master_grad = False
        self.already_register_final_backward_hook = False
        self.already_classify_params_meshes = False
        self.mesh2params = {}

    @property
    def amp_dtype(self):
        """Name of the dtype that operators are cast to; 'float32' where none are."""
        return get_autocast_dtype() if is_autocast_enabled() else "float32"


_global_state = AMPGlobalState()


def amp_global_state():
    """The one AMPGlobalState."""
    return _global_state


def is_autocast_enabled(device_type=None):
    """Whether operators are cast at this place of the program."""
    state = _core.amp_state()
    return bool(state and state[0])


def get_autocast_dtype(device_type=None):
    """Name of the dtype that operators are cast to: the one in force, else 'float16'."""
    state = _core.amp_state()
    return dtype_name(state[1]) if state and state[0] else "float16"


get_autocast_cpu_dtype = get_autocast_gpu_dtype = get_autocast_dtype


def autocast(device_type, dtype="float16", enabled=True, cache_enabled=True):
    """`auto_cast` with the parameters that PyTorch's `autocast` has.

    Args:
        device_type: 'cpu', 'cuda' or another device; AMP follows the tensors.
        dtype: 'float16' or 'bfloat16'.
        enabled: False turns it off inside the block.
        cache_enabled: Accepted for compatibility.
    """
    return auto_cast(enable=enabled, dtype=dtype)


def decorate(
    models,
    optimizers=None,
    level="O1",
    dtype="float16",
    master_weight=None,
    save_dtype=None,
    master_grad=False,
    excluded_layers=None,
):
    """Cast models for level 'O2' and let the optimizers keep float32 copies.

    Args:
        models: A Layer or a list of them.
        optimizers: An optimizer or a list of them.
        master_weight: False updates low-precision parameters directly.
        save_dtype: dtype of the floating tensors in `state_dict`.
        master_grad: Gradients of low-precision parameters are kept and summed up in float32.
        excluded_layers: Layers or layer classes that stay in float32.

    Returns:
        The models, or the pair of models and optimizers, as they were given.

    Example:
        >>> layer = paddle.amp.decorate(paddle.nn.Linear(2, 2), level="O2", dtype="bfloat16")
        >>> layer.weight.dtype
        paddle.bfloat16
    """
    if level not in ("O1", "O2"):
        raise ValueError(f"decorate: level has value {level!r}; it must be 'O1' or 'O2'.")
    if str(dtype).removeprefix("paddle.") not in ("float16", "bfloat16"):
        raise ValueError(f"decorate: dtype has value {dtype!r}; it must be 'float16' or 'bfloat16'.")
    many = isinstance(models, (list, tuple))
    layers = list(models) if many else [models]
    if level == "O2":
        for model in layers:
            _cast_model(model, dtype, excluded_layers)
            if save_dtype is not None:
                _save_as(model, save_dtype)
            if master_grad:
                _widen_gradients(model)
        several = isinstance(optimizers, (list, tuple))
        for optimizer in list(optimizers) if several else [optimizers]:
            if optimizer is not None:
                optimizer._multi_precision = master_weight is not False
    return models if optimizers is None else (models, optimizers)


def _cast_model(model, dtype, excluded):
    """Cast all but normalisation layers, the excluded ones and those whose `_cast_to_low_precision` is False."""
    from ..framework.dtypes import convert, is_floating
    from ..nn.layer.batch_norm import _BatchNormBase
    from ..nn.layer.norm import InstanceNorm2D, LayerNorm

    excluded = excluded if isinstance(excluded, (list, tuple)) else [excluded]
    kinds = tuple(e for e in excluded if isinstance(e, type))
    single = {
        id(layer)
        for e in excluded
        if e is not None and not isinstance(e, type)
        for layer in e.sublayers(include_self=True)
    }
    kinds += (_BatchNormBase, InstanceNorm2D, LayerNorm)
    model._cast(
        convert(dtype),
        lambda layer, t: (
            is_floating(t.dtype)
            and not isinstance(layer, kinds)
            and id(layer) not in single
            and layer._cast_to_low_precision
        ),
    )


def _widen_gradients(model):
    """Cast what reaches the parameters' `grad` to float32: a second backward() adds in float32."""
    for parameter in model.parameters():
        if parameter.dtype.name in ("float16", "bfloat16") and not parameter.stop_gradient:
            parameter.register_hook(_to_float32)


def _to_float32(grad):
    return _core.ops.cast(grad, _core.float32)


def _save_as(model, dtype):
    from ..framework.dtypes import convert, is_floating

    def hook(state):
        return {
            key: t.astype(dtype) if is_floating(t.dtype) and t.dtype != convert(dtype) else t
            for key, t in state.items()
        }

    model.register_state_dict_hook(hook)


amp_decorate = decorate
