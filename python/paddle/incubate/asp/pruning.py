# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pruning of models, and optimizers that keep what was pruned zero."""

import weakref

from ... import _core
from ...framework.memory import write
from ...framework.modes import no_grad
from . import utils

_ALGORITHMS = {
    "mask_1d": utils.MaskAlgo.MASK_1D,
    "mask_2d_greedy": utils.MaskAlgo.MASK_2D_GREEDY,
    "mask_2d_best": utils.MaskAlgo.MASK_2D_BEST,
}


def _prune_by_rows(weight, m, n, func_name, param_name):
    """The pruned weight and its mask; inputs of a layer are grouped."""
    mask = utils.create_mask(weight.T, func_name, n, m).T
    if not utils.check_sparsity((weight * mask).T, utils.CheckMethod.get_checking_method(func_name), n, m):
        raise AssertionError(f"prune_model: {param_name} of shape {list(weight.shape)} can't be pruned to {n}:{m}.")
    return weight * mask, mask


_supported = {"linear": _prune_by_rows, "conv2d": _prune_by_rows, "fc": _prune_by_rows}
_excluded = set()
_masks = weakref.WeakKeyDictionary()  # optimizer -> {parameter name: mask}


def set_excluded_layers(param_names, main_program=None):
    """Leave layers or parameters out of pruning.

    Args:
        param_names: Names of layers (`layer.full_name()`) or of parameters.
        main_program: Accepted; names are unique over all programs.
    """
    _excluded.update(param_names)


def reset_excluded_layers(main_program=None):
    """Leave nothing out any more."""
    _excluded.clear()


def add_supported_layer(layer, pruning_func=None):
    """Prune the weights of another kind of layers too.

    Args:
        layer: A subclass of Layer, a layer, or the kind's name in snake case.
        pruning_func: Called with (weight, m, n, MaskAlgo, parameter name), all arrays of NumPy; it returns the
            pruned weight and the mask. By default weights are pruned as those of Linear.
    """
    from ...nn.layer.layers import Layer

    if isinstance(layer, str):
        kind = layer
    elif isinstance(layer, Layer):
        kind = _kind(layer)
    elif isinstance(layer, type) and issubclass(layer, Layer):
        kind = _kind_of_class(layer)
    else:
        raise TypeError(
            f"add_supported_layer: layer has value {layer!r}; it must be a Layer, a class of them or a name."
        )
    _supported[kind] = _prune_by_rows if pruning_func is None else pruning_func


def _kind_of_class(layer):
    from ...nn.layer.layers import _snake

    return _snake(layer.__name__)


def _kind(layer):
    return layer.full_name().rpartition("_")[0]


def _prunable(model):
    """(parameter, pruning function) of the weights that are pruned."""
    for layer in model.sublayers(include_self=True):
        prune = _supported.get(_kind(layer))
        if prune is None:
            continue
        for parameter in layer.parameters(include_sublayers=False):
            names = {parameter.name, parameter.name.partition(".")[0], layer.full_name()}
            if parameter.ndim > 1 and not names & _excluded:
                yield parameter, prune


def prune_model(model, n=2, m=4, mask_algo="mask_1d", with_mask=True):
    """Set weights of the layers of a model to zero, so that they have n:m sparsity.

    Args:
        model: A Layer; weights of its Linear and Conv2D layers, and of kinds given to `add_supported_layer`, are
            pruned.
        n: Zeros among m.
        m: Neighbours along the inputs of a layer; for the 'mask_2d' algorithms along both axes.
        mask_algo: 'mask_1d', 'mask_2d_greedy' or 'mask_2d_best'.
        with_mask: Whether the optimizers that `decorate` was given for the model keep the zeros.

    Returns:
        The masks, NumPy arrays by the names of parameters.

    Raises:
        AssertionError: mask_algo is unknown, a weight can't have the sparsity, or with_mask is set and no
            decorated optimizer has a weight.
    """
    import numpy as np

    from ...nn.layer.layers import Layer

    if mask_algo not in _ALGORITHMS:
        raise AssertionError(f"prune_model: mask_algo has value {mask_algo!r}; it must be one of {list(_ALGORITHMS)}.")
    if not isinstance(model, Layer):
        raise NotImplementedError(f"prune_model: model has type {type(model).__name__}; only a Layer can be pruned.")
    made = {}
    for parameter, prune in _prunable(model):
        holders = [opt for opt in _masks if any(p is parameter for p in opt._parameter_list)] if with_mask else []
        if with_mask and not holders:
            raise AssertionError(
                f"prune_model: no optimizer given to asp.decorate() has {parameter.name}; decorate one, or pass "
                "with_mask=False."
            )
        pruned, mask = prune(parameter.numpy(), m, n, _ALGORITHMS[mask_algo], parameter.name)
        with no_grad():
            write(parameter, _core.to_tensor(np.ascontiguousarray(pruned), parameter.dtype))
        made[parameter.name] = mask
        for holder in holders:
            _masks[holder][parameter.name] = _core.to_tensor(np.ascontiguousarray(mask), parameter.dtype)
    return made


class OptimizerWithSparsityGuarantee:
    """An optimizer that sets pruned weights to zero after each step; all else is that of the optimizer inside."""

    def __init__(self, optimizer):
        self._optimizer = optimizer
        _masks.setdefault(optimizer, {})

    def __getattr__(self, name):
        return getattr(self.__dict__["_optimizer"], name)

    def _mask(self):
        masks = _masks[self._optimizer]
        with no_grad():
            for parameter in self._optimizer._parameter_list:
                if parameter.name in masks:
                    write(parameter, parameter * masks[parameter.name])

    def step(self):
        """Update the parameters, and set pruned ones to zero."""
        self._optimizer.step()
        self._mask()

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Compute gradients where there are none, update the parameters, and set pruned ones to zero."""
        result = self._optimizer.minimize(loss, startup_program, parameters, no_grad_set)
        self._mask()
        return result

    def state_dict(self):
        """The state of the optimizer, and the masks as '<parameter>.asp_mask'."""
        masks = {f"{name}.asp_mask": mask for name, mask in _masks[self._optimizer].items()}
        return {**self._optimizer.state_dict(), **masks}

    def set_state_dict(self, state_dict):
        """Take the state of a `state_dict`."""
        state = dict(state_dict)
        for key in [key for key in state if key.endswith(".asp_mask")]:
            mask = state.pop(key)
            mask = mask if isinstance(mask, _core.Tensor) else _core.to_tensor(mask)
            _masks[self._optimizer][key.removesuffix(".asp_mask")] = mask
        return self._optimizer.set_state_dict(state)


def decorate(optimizer):
    """An optimizer that keeps what `prune_model` sets to zero.

    Args:
        optimizer: An optimizer with a list of parameters.

    Returns:
        An OptimizerWithSparsityGuarantee; call it before `prune_model`.
    """
    from ...framework.modes import recording_program

    if recording_program() is not None:
        raise NotImplementedError(
            "asp.decorate: only models in dynamic mode can be pruned, not recorded programs; call paddle.disable_static() first."
        )
    return OptimizerWithSparsityGuarantee(optimizer)
