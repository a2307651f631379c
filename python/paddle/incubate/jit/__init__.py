# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions and layers compiled for inference."""

import functools

from ... import _paths
from ...framework.modes import no_grad

_MARK = "__is_inference_mode__"


def is_inference_mode(function):
    """Whether `inference` has been applied to a function, method or layer."""
    function = getattr(function, "forward", function)
    return bool(getattr(function, _MARK, False))


def _compiled(function):
    from ...jit import to_static

    captured = to_static(function)

    @functools.wraps(function)
    def run(*args, **kwargs):
        with no_grad():
            return captured(*args, **kwargs)

    setattr(run, _MARK, True)
    return run


def inference(
    function=None,
    cache_static_model=False,
    save_model_dir=None,
    memory_pool_init_size_mb=1000,
    precision_mode="float32",
    switch_ir_optim=True,
    switch_ir_debug=False,
    enable_cinn=False,
    with_trt=False,
    trt_precision_mode="float32",
    trt_use_static=False,
    collect_shape=False,
    enable_new_ir=False,
    exp_enable_use_cutlass=False,
    delete_pass_lists=None,
    skip_prune_program=False,
):
    """Captures a function or the forward of a layer as a program and runs it without gradients.

    Args:
        function: Function, method or Layer; None makes a decorator.
        precision_mode: 'float32': tensors keep their dtypes.
        with_trt: TensorRT, which paddle does not have.

    The other arguments set up PaddlePaddle's predictor and its cache of files; programs are kept in
    memory here, and the compiler chooses its own passes.

    Returns:
        The layer itself, with its forward replaced, or a function.

    Raises:
        RuntimeError: with_trt is set.
        NotImplementedError: precision_mode is not 'float32'.

    Example:
        >>> import paddle
        >>> layer = paddle.incubate.inference(paddle.nn.Linear(2, 3))
        >>> print(layer(paddle.ones([1, 2])).stop_gradient)
        True
    """
    if with_trt:
        raise RuntimeError("inference: paddle has no TensorRT; leave with_trt False.")
    if precision_mode != "float32":
        raise NotImplementedError(
            f"inference: precision_mode '{precision_mode}' is not supported; cast the layer with Layer.astype instead."
        )

    def apply(target):
        from ...nn.layer.layers import Layer

        if isinstance(target, Layer):
            target.forward = _compiled(target.forward)
            return target
        return _compiled(target)

    return apply if function is None else apply(function)


_paths.attach(__name__)
