# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Gradient clipping."""

from .. import _core
from ..framework.checked_numbers import check_real, real
from ..framework.modes import recording_program

ops = _core.ops


def _squared_l2_norm(x):
    """The sum of the squares of a tensor's elements, [1]."""
    return ops.squared_l2_norm(x)


def _length(squares):
    """The root of a sum of squares, 0-d."""
    return ops.sqrt(ops.reshape(squares, []))


def _check_length(owner, name, value):
    if not value > 0:
        raise ValueError(f"{owner}: {name} has value {value}; it must be above 0.")


def clip_by_norm(x, max_norm, name=None):
    """x, shortened to the length max_norm where it is longer.

    Args:
        x: Tensor of any shape, a vector of all its elements.
        max_norm: The greatest length, above 0.
        name: Unused.

    Returns:
        A Tensor of x's shape.

    Raises:
        ValueError: x is no Tensor, or max_norm is not above 0.
    """
    if not isinstance(x, _core.Tensor):
        raise ValueError(f"clip_by_norm: x is a {type(x).__name__}; it must be a Tensor.")
    if not isinstance(max_norm, _core.Tensor):
        _check_length("clip_by_norm", "max_norm", max_norm)
    length = _length(_squared_l2_norm(x))
    return x * (max_norm / ops.maximum(length, ops.full_like(length, max_norm)))


class ClipGradBase:
    """Base: a call takes and returns (parameter, gradient) pairs."""

    def __call__(self, params_grads):
        previous = _core.set_grad_enabled(False)
        try:
            return self._dygraph_clip(params_grads)
        finally:
            _core.set_grad_enabled(previous)

    def _dygraph_clip(self, params_grads):
        pairs = [(p, g) for p, g in params_grads if g is not None]
        return [(p, self._clip(g) if getattr(p, "need_clip", True) else g) for p, g in pairs]


class ClipGradByValue(ClipGradBase):
    """Gradients clipped to [min, max]; an optimizer takes it as `grad_clip`.

    Args:
        max: The greatest value.
        min: The least value; None for -max.

    Example:
        >>> weight = paddle.create_parameter([2], "float32")
        >>> ((_, grad),) = paddle.nn.ClipGradByValue(1.0)([(weight, paddle.to_tensor([3.0, -4.0]))])
        >>> grad.tolist()
        [1.0, -1.0]
    """

    def __init__(self, max, min=None):
        check_real("ClipGradByValue", max=max)
        self.max = real("ClipGradByValue", "max", max)
        if min is None and not self.max > 0:
            raise AssertionError(f"ClipGradByValue: max has value {max} and min is None; max must be above 0.")
        self.min = -self.max if min is None else real("ClipGradByValue", "min", min)

    def _clip(self, grad):
        return ops.clip(grad, self.min, self.max)

    def __str__(self):
        return f"Clip Gradient By Value, min = {self.min:f}, max={self.max:f}"


class ClipGradByNorm(ClipGradBase):
    """Each gradient scaled down to a norm of at most `clip_norm`; an optimizer takes it as `grad_clip`.

    Args:
        clip_norm: The largest norm.

    Example:
        >>> weight = paddle.create_parameter([2], "float32")
        >>> clip = paddle.nn.ClipGradByNorm(1.0)
        >>> ((_, grad),) = clip([(weight, paddle.to_tensor([3.0, 4.0]))])
        >>> [round(v, 4) for v in grad.tolist()]
        [0.6, 0.8]
    """

    def __init__(self, clip_norm):
        self.clip_norm = real(type(self).__name__, "clip_norm", clip_norm)

    def _clip(self, grad):
        _check_length("ClipGradByNorm", "clip_norm", self.clip_norm)
        norm = _length(_squared_l2_norm(grad))
        limit = ops.full_like(norm, self.clip_norm)
        return grad * (limit / ops.maximum(norm, limit))

    def __str__(self):
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"


class ClipGradByGlobalNorm(ClipGradBase):
    """Scales all gradients of an optimizer so that their joint norm is at most `clip_norm`.

    Args:
        clip_norm: The largest norm.
        group_name: Name of the group of gradients; without effect.
        auto_skip_clip: Accepted; gradients of a small enough norm are left as they are anyway.

    Example:
        >>> layer = paddle.nn.Linear(2, 2)
        >>> clip = paddle.nn.ClipGradByGlobalNorm(1.0)
        >>> optimizer = paddle.optimizer.SGD(0.1, layer.parameters(), grad_clip=clip)
    """

    def __init__(self, clip_norm, group_name="default_group", auto_skip_clip=False):
        if not isinstance(auto_skip_clip, bool):
            raise AssertionError(f"ClipGradByGlobalNorm: auto_skip_clip has value {auto_skip_clip!r}; pass a bool.")
        self.clip_norm = real(type(self).__name__, "clip_norm", clip_norm)
        self.group_name = group_name
        self.auto_skip_clip = auto_skip_clip
        self.should_comm_on_shard_dim = False

    def _dygraph_clip(self, params_grads):
        params_grads = [(p, g) for p, g in params_grads if g is not None]
        squares = [_squared_l2_norm(_wide(g)) for p, g in params_grads if getattr(p, "need_clip", True)]
        if not squares:
            return params_grads
        total = _total(squares)
        norm = _length(total)
        limit = ops.full_like(norm, self.clip_norm)
        factor = limit / ops.maximum(norm, limit)
        return [(p, _scaled(g, factor) if getattr(p, "need_clip", True) else g) for p, g in params_grads]

    def __str__(self):
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"


def _total(squares):
    """The sum of tensors, which may lie on several meshes of processes."""
    if len({square.process_mesh for square in squares}) > 1:
        from ..distributed.auto_parallel.across_meshes import on_one_mesh

        squares = on_one_mesh(squares)
    total = squares[0]
    for square in squares[1:]:
        total = total + square
    return total


def _beside(factor, g):
    """A distributed number on the mesh of a gradient."""
    if not factor.is_dist() or factor.process_mesh == g.process_mesh:
        return factor
    from ..distributed.auto_parallel.across_meshes import on_mesh

    return ops.unshard(factor) if g.process_mesh is None else on_mesh(factor, g.process_mesh)


def _scaled(g, factor):
    """The product; at once it takes the memory of the gradient, so that `parameter.grad` is the clipped one."""
    factor = _beside(ops.cast(factor, g.dtype), g)
    if _core.is_capturing() or recording_program() is not None or not g.is_leaf:
        return g * factor
    return g.multiply_(factor)


_pure = {"float16": False, "bfloat16": False}


def _wide(g):
    return g if _pure.get(g.dtype.name, True) else ops.cast(g, _core.float32)


def _allow_pure_fp16_global_norm_clip(*args):
    """Whether the norm of float16 gradients is computed in float16; an argument decides it."""
    return _allow("float16", *args)


def _allow_pure_bf16_global_norm_clip(*args):
    """Whether the norm of bfloat16 gradients is computed in bfloat16; an argument decides it."""
    return _allow("bfloat16", *args)


def _allow(dtype, *allowed):
    before = _pure[dtype]
    if allowed:
        _pure[dtype] = bool(allowed[0])
    return before


def set_gradient_clip(clip, param_list=None, program=None):
    """Clip gradients of parameters in the optimizers that have no `grad_clip` of their own.

    Args:
        clip: One of the ClipGradBy... objects.
        param_list: Parameters, or names of them; None for all of the program.
        program: The program; None for the default main program.
    """
    from ..optimizer import Optimizer
    from ..static import default_main_program

    if not isinstance(clip, ClipGradBase):
        raise TypeError(
            f"set_gradient_clip: clip has type {type(clip).__name__}; pass a paddle.nn.ClipGradBy... object."
        )
    block = (program or default_main_program()).global_block()
    for param in block.all_parameters() if param_list is None else param_list:
        if not isinstance(param, (str, _core.Tensor)):
            raise TypeError(f"set_gradient_clip: param_list has a {type(param).__name__}; pass parameters or names.")
        param = block.var(param) if isinstance(param, str) else param
        param.gradient_clip_attr = clip
    Optimizer._clip_each = staticmethod(append_gradient_clip_ops)


def append_gradient_clip_ops(param_grads):
    """The (parameter, gradient) pairs, each clipped by what `set_gradient_clip` set for its parameter."""
    groups = {}
    for param, grad in param_grads:
        clip = getattr(param, "gradient_clip_attr", None)
        if grad is not None and clip is not None:
            groups.setdefault(clip, []).append((param, grad))
    clipped = {id(param): grad for clip, pairs in groups.items() for param, grad in clip(pairs)}
    return [(param, clipped.get(id(param), grad)) for param, grad in param_grads]


# Names of earlier versions.
GradientClipBase = ClipGradBase
GradientClipByGlobalNorm = ClipGradByGlobalNorm
GradientClipByNorm = ClipGradByNorm
GradientClipByValue = ClipGradByValue
