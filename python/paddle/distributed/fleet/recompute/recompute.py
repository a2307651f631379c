# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Recomputation: a block keeps its inputs alone and runs again in backward.

Chen et al., Training Deep Nets with Sublinear Memory Cost, 2016.
"""

import contextlib
import warnings

from ...._core import Tensor
from ....amp.auto_cast import current_casts
from ....autograd import PyLayer
from ....framework.modes import enable_grad, is_grad_enabled
from ....framework.random import get_rng_state, set_rng_state
from ....tensor.creation import zeros
from ....utils import flatten, pack_sequence_as
from ..layers.mpu.random import get_rng_state_tracker


class _Surroundings:
    """What a second run must find as the first one did: random states and automatic casts."""

    def __init__(self, preserve_random):
        self._casts = current_casts()
        self._random = (get_rng_state(), get_rng_state_tracker().get_states_tracker()) if preserve_random else None

    @contextlib.contextmanager
    def restored(self):
        tracker = get_rng_state_tracker()
        now = (get_rng_state(), tracker.get_states_tracker())
        with contextlib.ExitStack() as stack:
            for cast in self._casts:
                stack.enter_context(cast)
            try:
                if self._random is not None:
                    set_rng_state(self._random[0])
                    tracker.set_states_tracker(self._random[1])
                yield
            finally:
                if self._random is not None:
                    set_rng_state(now[0])
                    tracker.set_states_tracker(now[1])


def check_recompute_necessary(inputs):
    """Warn when no tensor among the inputs needs a gradient: then the block gets none either.

    Args:
        inputs: The arguments of the block.
    """
    if not any(isinstance(x, Tensor) and not x.stop_gradient for x in flatten(list(inputs))):
        warnings.warn(
            "[Recompute]: None of the inputs to current recompute block need grad, therefore there is NO need to "
            "recompute this block in backward !",
            stacklevel=2,
        )


@contextlib.contextmanager
def switch_rng_state_tracker(
    rng_state,
    tracker,
    numpy_state,
    random_state,
    custom_state=None,
    custom_get_state_func=None,
    custom_set_state_func=None,
):
    """Random states for the block inside; those of before come back.

    Args:
        rng_state: Of `paddle.get_rng_state()`.
        tracker: Of `get_states_tracker()` of the tracker of model parallelism.
        numpy_state: Of `numpy.random.get_state()`.
        random_state: Of `random.getstate()`.
        custom_state: Further state that custom_set_state_func takes.
        custom_get_state_func: Gives that state as it is now.
        custom_set_state_func: Sets it.
    """
    import random

    import numpy as np

    kept = (get_rng_state(), get_rng_state_tracker().get_states_tracker(), np.random.get_state(), random.getstate())
    kept_custom = custom_get_state_func() if custom_state is not None else None

    def switch(states, custom):
        set_rng_state(states[0])
        get_rng_state_tracker().set_states_tracker(states[1])
        np.random.set_state(states[2])
        random.setstate(states[3])
        if custom_state is not None:
            custom_set_state_func(custom)

    switch((rng_state, tracker, numpy_state, random_state), custom_state)
    try:
        yield
    finally:
        switch(kept, kept_custom)


class _Block(PyLayer):
    """The recomputed call: `anchor` is None or a tensor that makes the outputs need a gradient."""

    _gradient_of_its_forward = True  # its backward is the derivative of its forward

    @staticmethod
    def forward(ctx, anchor, call, surroundings, *tensors):
        ctx.call, ctx.surroundings = call, surroundings
        ctx.needs = [isinstance(t, Tensor) and not t.stop_gradient for t in tensors]
        ctx.anchored = anchor is not None
        ctx.save_for_backward(*tensors)
        return call(tensors)

    @staticmethod
    def backward(ctx, *gradients):
        inputs = []
        for tensor, needed in zip(ctx.saved_tensor(), ctx.needs, strict=False):
            again = tensor.detach()
            again.stop_gradient = not needed
            inputs.append(again)
        with ctx.surroundings.restored(), enable_grad():
            outputs = ctx.call(inputs)
        outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        outputs = [out for out in outputs if isinstance(out, Tensor)]
        pairs = [
            (out, g) for out, g in zip(outputs, gradients, strict=False) if not out.stop_gradient and g is not None
        ]
        if pairs:
            from ....autograd import backward

            backward([out for out, _ in pairs], [g for _, g in pairs])
        result = [again.grad if needed else None for again, needed in zip(inputs, ctx.needs, strict=False)]
        return tuple([None] + result if ctx.anchored else result)


def recompute(function, *args, **kwargs):
    """Call a function without keeping its intermediate values; backward runs it again.

    Args:
        function: A Layer or a callable of tensors and other values.
        args: Its arguments; tensors may be in nested lists, tuples and dictionaries.
        kwargs: `preserve_rng_state` (default True) gives random operators the same numbers in the
            second run; `use_reentrant` (default True): when it is False, parameters inside the
            function get gradients even if no input needs one; the rest goes to the function.

    Returns:
        What the function returns.

    Example:
        >>> x = paddle.to_tensor([2.0], stop_gradient=False)
        >>> paddle.distributed.fleet.utils.recompute(lambda x: (x * x).exp(), x).backward()
        >>> x.grad.shape
        paddle.Size([1])
    """
    if not callable(function):
        raise TypeError(f"recompute: function has type {type(function).__name__}; it must be a Layer or a callable.")
    preserve = kwargs.pop("preserve_rng_state", True)
    reentrant = kwargs.pop("use_reentrant", True)
    if not is_grad_enabled():
        return function(*args, **kwargs)
    structure = (args, kwargs)
    flat = flatten(structure)
    places = [i for i, value in enumerate(flat) if isinstance(value, Tensor)]
    tensors = [flat[i] for i in places]
    anchor = None
    if all(t.stop_gradient for t in tensors):
        if reentrant:
            warnings.warn(
                "recompute: no input needs a gradient, so backward does not reach this block; pass "
                "use_reentrant=False if its parameters need one.",
                stacklevel=2,
            )
        else:
            anchor = zeros([1])
            anchor.stop_gradient = False

    def call(values):
        filled = list(flat)
        for place, value in zip(places, values, strict=False):
            filled[place] = value
        positional, named = pack_sequence_as(structure, filled)
        return function(*positional, **named)

    if reentrant:
        return _Block.apply(anchor, call, _Surroundings(preserve), *tensors)
    handed_on = _HandedOn(call)
    return handed_on.whole(_Block.apply(anchor, handed_on, _Surroundings(preserve), *tensors), tensors)


class _HandedOn:
    """A call whose results that are its arguments go around the block: they stay the tensors that they are.

    Args:
        call: Function of a list of tensors.
    """

    def __init__(self, call):
        self._call, self._structure, self._arguments = call, None, {}

    def __call__(self, values):
        outputs = self._call(values)
        flat, places = flatten(outputs), {id(value): i for i, value in enumerate(values)}
        self._arguments = {i: places[id(out)] for i, out in enumerate(flat) if id(out) in places}
        if not self._arguments:
            return outputs
        self._structure = self._structure or pack_sequence_as(outputs, [None] * len(flat))
        rest = tuple(out for i, out in enumerate(flat) if i not in self._arguments)
        return rest if any(isinstance(out, Tensor) for out in rest) else (*rest, zeros([1]))

    def whole(self, results, tensors):
        """What the call returned, from the results of the block and the arguments."""
        if not self._arguments:
            return results
        rest = iter(results)
        count = len(flatten(self._structure))
        flat = [tensors[self._arguments[i]] if i in self._arguments else next(rest) for i in range(count)]
        return pack_sequence_as(self._structure, flat)


def recompute_sequential(ctx, functions, *args, **kwargs):
    """Recompute a Sequential (or a list of layers) in segments.

    Args:
        ctx: A dictionary: `segments` (default 1) and `preserve_rng_state` (default True).
        functions: The layers.
        args: Arguments of the first layer.
    """
    layers = list(functions.children()) if hasattr(functions, "children") else list(functions)
    segments = max(1, min(int(ctx.get("segments", 1)), len(layers)))
    preserve = ctx.get("preserve_rng_state", True)
    size = len(layers) // segments

    def runner(part):
        def run(*values, **named):
            for layer in part:
                values = layer(*values, **named) if isinstance(values, tuple) else layer(values, **named)
                named = {}
            return values

        return run

    for start in range(0, size * (segments - 1), size):
        args = recompute(runner(layers[start : start + size]), *args, preserve_rng_state=preserve, **kwargs)
        args, kwargs = args if isinstance(args, tuple) else (args,), {}
    return runner(layers[size * (segments - 1) :])(*args, **kwargs)
