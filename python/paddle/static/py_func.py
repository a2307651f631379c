# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Python functions as operators of a program: `py_func`, `Print`, `Assert`, `static_pylayer`."""

from .. import _core
from ..framework import modes
from ..framework.layer_helper import put_result
from .scope import DenseTensor


def _listed(value):
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _declared(tensors):
    shapes = [getattr(t, "_declared", None) or t.shape for t in tensors]
    return [[n if type(n) is int else -1 for n in shape] for shape in shapes], [t.dtype for t in tensors]


def _tensor(value, dtype):
    if isinstance(value, DenseTensor):
        value = value._get()
    if isinstance(value, _core.Tensor):
        return value
    import numpy

    return _core.to_tensor(numpy.asarray(value), dtype=dtype)


def _on_values(function, dtypes):
    """`function` of DenseTensors as a function of a list of Tensors, giving Tensors of these dtypes."""

    def call(given):
        with modes.eager_region(), modes.no_grad():
            results = _listed(function(*[DenseTensor(t) for t in given]))
            return [_tensor(value, dtype) for value, dtype in zip(results, dtypes, strict=True)]

    return call


def _gradient_of(backward, inputs, outputs, skipped):
    """The registered gradient: of the inputs, results and their gradients that are not skipped."""
    shapes, dtypes = _declared(inputs)
    kept = [i for i, t in enumerate([*inputs, *outputs]) if id(t) not in skipped]
    size = len(inputs) + len(outputs)

    def call(given):
        with modes.eager_region(), modes.no_grad():
            read = [given[i] for i in kept] + list(given[size:])
            results = _listed(backward(*[DenseTensor(t) for t in read]))
            results += [None] * (len(inputs) - len(results))
            return [
                _core.ops.full_like(x, 0.0) if value is None else _tensor(value, x.dtype)
                for value, x in zip(results, given, strict=False)
            ]

    return _core.pir.register_function(call, shapes, dtypes, -1)


def py_func(func, x, out, backward_func=None, skip_vars_in_backward_input=None):
    """A Python function as an operator.

    Args:
        func: Called with the values of `x`, as arrays can be made of; returns arrays for `out`.
        x: A variable, or a list or tuple of them.
        out: Variables of the shapes and dtypes of the results, from `Block.create_var`; None: no results.
        backward_func: Called with the values of `x`, of `out` and of the gradients of `out`; returns those of `x`.
        skip_vars_in_backward_input: Variables of `x` and `out` that `backward_func` is not called with.

    Returns:
        `out`.

    Raises:
        TypeError: `x` or `out` holds something else than variables, or a function is not callable.
        ValueError: A variable to skip is neither in `x` nor in `out`.
    """
    if not callable(func) or (backward_func is not None and not callable(backward_func)):
        raise TypeError("py_func: func and backward_func must be callable.")
    inputs, outputs, skipped = _listed(x), _listed(out), _listed(skip_vars_in_backward_input)
    for name, values in (("x", inputs), ("out", outputs)):
        if not all(isinstance(v, _core.Tensor) for v in values):
            raise TypeError(f"py_func: {name} must be a variable, or a list or tuple of variables.")
    known = {id(t) for t in (*inputs, *outputs)}
    if any(id(t) not in known for t in skipped):
        raise ValueError("py_func: a variable of skip_vars_in_backward_input is neither in x nor in out.")
    shapes, dtypes = _declared(outputs)
    backward = -1
    if backward_func is not None:
        backward = _gradient_of(backward_func, inputs, outputs, {id(t) for t in skipped})
    number = _core.pir.register_function(_on_values(func, dtypes), shapes, dtypes, backward)
    results = _core.pir.call_function(inputs, number)
    for target, result in zip(outputs, results, strict=True):
        put_result(target, result, "py_func")
        if backward < 0:
            target.stop_gradient = True
    return out


def _identity(x, look, look_at_gradient):
    """`x`, whose value and gradient two functions see when the program runs."""
    shapes, dtypes = _declared([x])

    def backward(given):
        look_at_gradient(given[2])
        return [given[2]]

    def forward(given):
        look(given[0])
        return [given[0]]

    number = _core.pir.register_function(backward, shapes, dtypes, -1)
    number = _core.pir.register_function(forward, shapes, dtypes, number)
    return _core.pir.call_function([x], number)[0]


_PRINTED = (
    _core.bool,
    _core.int32,
    _core.int64,
    _core.float16,
    _core.bfloat16,
    _core.float32,
    _core.float64,
)


def Print(
    input,
    first_n=-1,
    message=None,
    summarize=20,
    print_tensor_name=True,
    print_tensor_type=True,
    print_tensor_shape=True,
    print_tensor_layout=True,
    print_tensor_lod=True,
    print_phase="both",
):
    """The variable; its value is printed when the program runs.

    Args:
        input: A variable.
        first_n: Number of times that it is printed; -1: always.
        message: Text in front.
        summarize: Number of elements that are printed; -1: all.
        print_tensor_name: Whether to print the name.
        print_tensor_type: Whether to print the dtype.
        print_tensor_shape: Whether to print the shape.
        print_tensor_layout: Whether to print the layout.
        print_tensor_lod: Kept for older programs.
        print_phase: 'forward' the value, 'backward' the gradient, 'both'.
    """
    if not isinstance(input, _core.Tensor):
        raise TypeError(f"Print: input has type {type(input).__name__}; it must be a variable.")
    if input.dtype not in _PRINTED:
        raise TypeError(
            f"Print: input has dtype {input.dtype.name}; it must be bool, int32, int64 or a floating dtype."
        )
    if print_phase not in ("forward", "backward", "both"):
        raise ValueError(f"Print: print_phase has value {print_phase!r}; it must be 'forward', 'backward' or 'both'.")
    counts = {"value": 0, "gradient": 0}

    def show(what, tensor):
        counts[what] += 1
        if 0 <= first_n < counts[what]:
            return
        name = input.name if what == "value" else f"{input.name}@GRAD"
        lines = [f"Variable: {name}"] if print_tensor_name else []
        lines += [f"  - message: {message}"] if message else []
        lines += [f"  - shape: {list(tensor.shape)}"] if print_tensor_shape else []
        lines += ["  - layout: NCHW"] if print_tensor_layout else []
        lines += [f"  - dtype: {tensor.dtype.name}"] if print_tensor_type else []
        values = tensor.detach().numpy().ravel()
        shown = values if summarize < 0 else values[:summarize]
        print("\n".join([*lines, f"  - data: [{' '.join(str(v) for v in shown)}]"]), flush=True)

    return _identity(
        input,
        lambda t: show("value", t) if print_phase != "backward" else None,
        lambda t: show("gradient", t) if print_phase != "forward" else None,
    )


def Assert(cond, data=None, summarize=20, name=None):
    """Raise when the program runs and a condition does not hold.

    Args:
        cond: A bool of one element.
        data: Variables that the message shows.
        summarize: Number of elements of each that it shows.
        name: Unused.

    Raises:
        TypeError: `cond` is no bool variable.
        ValueError: The condition does not hold.
    """
    if not isinstance(cond, _core.Tensor) or cond.dtype != _core.bool:
        raise TypeError("Assert: cond must be a variable of dtype bool.")
    shown = _listed(data)

    def check(given):
        if given[0].size != 1:
            raise ValueError(f"Assert: cond has shape {list(given[0].shape)}; it must have one element.")
        if not bool(given[0].all()):
            values = [str(t.detach().numpy().ravel()[:summarize].tolist()) for t in given[1:]]
            raise ValueError(f"Assert: the condition does not hold; data: {', '.join(values) or 'none'}.")
        return given[:1]

    if modes.recording_program() is None:
        from ..jit.control_flow.context import active

        capture = getattr(active, "capture", None)
        if capture is None:
            check([cond, *shown])
        else:
            capture.host_call(lambda *given: check(given) and None, [cond, *shown])
        return
    number = _core.pir.register_function(check, *_declared([cond]), -1)
    _core.pir.call_function([cond, *shown], number)


def static_pylayer(forward_fn, inputs, backward_fn=None, name=None):
    """What a function gives, with another function for its gradient.

    Args:
        forward_fn: Function of the inputs, written with operators.
        inputs: List of variables.
        backward_fn: Function of the gradients of the results; gives those of the inputs. None: no gradient.
        name: Unused.

    Example:
        >>> import paddle
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> y = paddle.static.nn.static_pylayer(lambda a: a * 2, [x], lambda g: g * 10)
        >>> y.backward()
        >>> x.grad.tolist()
        [10.0]
    """
    from ..autograd import PyLayer

    if not callable(forward_fn) or (backward_fn is not None and not callable(backward_fn)):
        raise _core.ArgumentValueError("static_pylayer: forward_fn and backward_fn must be callable.")
    if not isinstance(inputs, (list, tuple)):
        raise _core.ArgumentValueError(
            f"static_pylayer: inputs has type {type(inputs).__name__}; it must be a list or a tuple."
        )
    if backward_fn is None:
        if any(isinstance(t, _core.Tensor) and not t.stop_gradient for t in inputs):
            raise ValueError(
                "static_pylayer: backward_fn is None and an input needs a gradient (stop_gradient is False); give "
                "backward_fn, or set ``stop_gradient`` of all inputs to True."
            )
        with modes.no_grad():
            return forward_fn(*inputs)

    class Layer(PyLayer):
        @staticmethod
        def forward(ctx, *values):
            return forward_fn(*values)

        @staticmethod
        def backward(ctx, *gradients):
            made = backward_fn(*gradients)
            count = len(made) if isinstance(made, (list, tuple)) else 1
            if count != len(inputs):
                raise TypeError(
                    f"static_pylayer: backward_fn returns {count} gradients for {len(inputs)} inputs of forward_fn."
                )
            return made

    return Layer.apply(*inputs)
