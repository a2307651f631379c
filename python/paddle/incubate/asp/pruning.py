# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pruning of models, and optimizers that keep what was pruned zero."""

import re
import weakref

from ... import _core
from ...framework.memory import write
from ...framework.modes import no_grad, recording_program
from . import utils
from .supported_layer_list import prune_by_rows
from .supported_layer_list import supported_layers_and_prune_func_map as _supported

_ALGORITHMS = {
    "mask_1d": utils.MaskAlgo.MASK_1D,
    "mask_2d_greedy": utils.MaskAlgo.MASK_2D_GREEDY,
    "mask_2d_best": utils.MaskAlgo.MASK_2D_BEST,
}


class ProgramASPInfo:
    """What is known of the pruning of one program; of models in dynamic mode, of the default main program.

    mask_vars are the masks as tensors and masks as arrays, by names of parameters; excluded_layers are names.
    """

    def __init__(self):
        self.mask_vars, self.masks, self.excluded_layers = {}, {}, []
        self._trained = set()  # names of the parameters that decorated optimizers have

    def update_mask_vars(self, param_name, var):
        """Take another tensor as the mask of a parameter."""
        self.mask_vars[param_name] = var

    def update_masks(self, param_name, var):
        """Take another array as the mask of a parameter."""
        self.masks[param_name] = var

    def update_excluded_layers(self, param_names):
        """Leave further layers out."""
        self.excluded_layers.extend(param_names)

    def reset_excluded_layers(self):
        """Leave nothing out any more."""
        self.excluded_layers = []


_infos = weakref.WeakKeyDictionary()  # program -> ProgramASPInfo


class ASPHelper:
    """Looks at what is pruned."""

    MASK_APPENDDED_NAME = "asp_mask"

    @classmethod
    def _get_program_asp_info(cls, main_program=None):
        """The ProgramASPInfo of a program; None: of the default main program."""
        from ...static import default_main_program

        return _infos.setdefault(main_program or default_main_program(), ProgramASPInfo())

    @classmethod
    def _get_mask_name(cls, param_name):
        """The name of the mask of a parameter."""
        return f"{param_name}.{cls.MASK_APPENDDED_NAME}"

    @classmethod
    def _is_supported_layer(cls, main_program, param_name):
        """Whether the parameter of a name such as 'linear_0.w_0' is pruned: the weight of a supported kind of layers
        that is not left out."""
        layer, _, parameter = param_name.partition(".")
        excluded = cls._get_program_asp_info(main_program).excluded_layers
        if not parameter.startswith("w_") or parameter.endswith(cls.MASK_APPENDDED_NAME) or layer in excluded:
            return False
        return param_name not in excluded and (layer in _supported or re.sub(r"_\d+$", "", layer) in _supported)

    @classmethod
    def _get_not_ASP_relevant_vars(cls, main_program):
        """The parameters of a program without masks."""
        return [p for p in main_program.all_parameters() if not p.name.endswith(f".{cls.MASK_APPENDDED_NAME}")]


def set_excluded_layers(param_names, main_program=None):
    """Leave layers or parameters out of pruning.

    Args:
        param_names: Names of layers (`layer.full_name()`) or of parameters.
        main_program: The program that has them; None: models in dynamic mode, or the default main program.
    """
    ASPHelper._get_program_asp_info(main_program).update_excluded_layers(param_names)


def reset_excluded_layers(main_program=None):
    """Leave nothing out any more."""
    ASPHelper._get_program_asp_info(main_program).reset_excluded_layers()


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
    _supported[kind] = prune_by_rows if pruning_func is None else pruning_func


def _kind_of_class(layer):
    from ...nn.layer.layers import _snake

    return _snake(layer.__name__)


def _kind(layer):
    return layer.full_name().rpartition("_")[0]


def _prunable(model):
    """(parameter, pruning function) of the weights of a Layer that are pruned."""
    excluded = set(ASPHelper._get_program_asp_info().excluded_layers)
    for layer in model.sublayers(include_self=True):
        prune = _supported.get(_kind(layer))
        if prune is None:
            continue
        for parameter in layer.parameters(include_sublayers=False):
            names = {parameter.name, parameter.name.partition(".")[0], layer.full_name()}
            if parameter.ndim > 1 and not names & excluded:
                yield parameter, prune


def _prunable_of_program(program):
    """The same of a program."""
    for parameter in program.all_parameters():
        if ASPHelper._is_supported_layer(program, parameter.name):
            layer = parameter.name.partition(".")[0]
            yield parameter, _supported[layer if layer in _supported else re.sub(r"_\d+$", "", layer)]


def _ones_like(parameter):
    return _core.ops.full(parameter.shape, 1.0, parameter.dtype)


def _values(parameter, program):
    """The values of a parameter; those of a program lie in the scope."""
    import numpy as np

    from ...static import global_scope

    variable = None if program is None else global_scope().find_var(parameter.name)
    return parameter.numpy() if variable is None else np.array(variable.get_tensor())


def _store(parameter, values, program):
    import numpy as np

    from ...static import global_scope

    variable = None if program is None else global_scope().find_var(parameter.name)
    if variable is not None:
        variable.get_tensor().set(np.ascontiguousarray(values, parameter.dtype.name))
        return
    with no_grad():
        write(parameter, _core.to_tensor(np.ascontiguousarray(values), parameter.dtype))


def prune_model(model, n=2, m=4, mask_algo="mask_1d", with_mask=True):
    """Set weights of the layers of a model to zero, so that they have n:m sparsity.

    Args:
        model: A Layer, or a Program whose startup program was run; weights of its Linear, Conv2D and fc layers, and of
            kinds given to `add_supported_layer`, are pruned.
        n: Zeros among m.
        m: Neighbours along the inputs of a layer; for the 'mask_2d' algorithms along both axes.
        mask_algo: 'mask_1d', 'mask_2d_greedy' or 'mask_2d_best'.
        with_mask: Whether the optimizers that `decorate` was given for the model keep the zeros.

    Returns:
        The masks, NumPy arrays by the names of parameters.

    Raises:
        TypeError: model is neither.
        AssertionError: mask_algo is unknown, a weight can't have the sparsity, or with_mask is set and no
            decorated optimizer has a weight.
    """
    from ...nn.layer.layers import Layer
    from ...static import Program

    if mask_algo not in _ALGORITHMS:
        raise AssertionError(f"prune_model: mask_algo has value {mask_algo!r}; it must be one of {list(_ALGORITHMS)}.")
    if not isinstance(model, (Layer, Program)):
        raise TypeError(f"prune_model: model has type {type(model).__name__}; it must be a Layer or a Program.")
    program = model if isinstance(model, Program) else None
    info = ASPHelper._get_program_asp_info(program)
    made = {}
    for parameter, prune in _prunable(model) if program is None else _prunable_of_program(program):
        name = parameter.name
        if with_mask and name not in info.mask_vars and name in info._trained:
            info.update_mask_vars(name, _ones_like(parameter))
        if with_mask and name not in info.mask_vars:
            raise AssertionError(
                f"prune_model: no optimizer given to asp.decorate() has {name}; decorate one, or pass with_mask=False."
            )
        pruned, mask = prune(_values(parameter, program), m, n, _ALGORITHMS[mask_algo], name)
        _store(parameter, pruned, program)
        made[name] = mask
        info.update_masks(name, mask)
        if with_mask:
            _store(info.mask_vars[name], mask, program)
    return made


class OptimizerWithSparsityGuarantee:
    """An optimizer that sets pruned weights to zero after each step; all else is that of the optimizer inside."""

    def __init__(self, optimizer):
        self._optimizer = optimizer
        if recording_program() is None:
            self._add_masks(optimizer._parameter_list or [], ASPHelper._get_program_asp_info())

    def __getattr__(self, name):
        return getattr(self.__dict__["_optimizer"], name)

    @staticmethod
    def _add_masks(parameters, info):
        """Masks of ones for parameters that have none."""
        for parameter in parameters:
            info._trained.add(parameter.name)
            if parameter.name not in info.mask_vars and ASPHelper._is_supported_layer(None, parameter.name):
                info.update_mask_vars(parameter.name, _ones_like(parameter))

    def _masks(self):
        """(parameter, mask) of those that were pruned."""
        info = ASPHelper._get_program_asp_info()
        for parameter in self._optimizer._parameter_list:
            if parameter.name in info.masks and parameter.name in info.mask_vars:
                yield parameter, info.mask_vars[parameter.name]

    def _mask(self):
        with no_grad():
            for parameter, mask in self._masks():
                write(parameter, parameter * mask)

    def step(self):
        """Update the parameters, and set pruned ones to zero."""
        self._optimizer.step()
        self._mask()

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Compute gradients where there are none, update the parameters, and set pruned ones to zero; in a program all
        of this is recorded, with masks that are ones until `prune_model`."""
        result = self._optimizer.minimize(loss, startup_program, parameters, no_grad_set)
        program = recording_program()
        if program is None:
            self._mask()
        else:
            self._record_masks(program, startup_program)
        return result

    @staticmethod
    def _record_masks(program, startup_program):
        from ...nn.initializer import Constant
        from ...static import create_parameter, program_guard
        from ...tensor.creation import assign

        info = ASPHelper._get_program_asp_info(program)
        with program_guard(program, startup_program), no_grad():
            for parameter, _ in list(_prunable_of_program(program)):
                name = ASPHelper._get_mask_name(parameter.name)
                mask = create_parameter(parameter.shape, parameter.dtype, name, default_initializer=Constant(1.0))
                mask.stop_gradient, mask.trainable = True, False
                info.update_mask_vars(parameter.name, mask)
                assign(parameter * mask, parameter)

    def state_dict(self):
        """The state of the optimizer, and the masks as '<parameter>.asp_mask'."""
        masks = {ASPHelper._get_mask_name(p.name): mask for p, mask in self._masks()}
        return {**self._optimizer.state_dict(), **masks}

    def set_state_dict(self, state_dict):
        """Take the state of a `state_dict`."""
        import numpy as np

        state = dict(state_dict)
        info = ASPHelper._get_program_asp_info()
        for key in [key for key in state if key.endswith(".asp_mask")]:
            mask, name = state.pop(key), key.removesuffix(".asp_mask")
            info.update_mask_vars(name, mask if isinstance(mask, _core.Tensor) else _core.to_tensor(mask))
            info.update_masks(name, np.asarray(mask))
        return self._optimizer.set_state_dict(state)


def decorate(optimizer):
    """An optimizer that keeps what `prune_model` sets to zero.

    Args:
        optimizer: An optimizer; in dynamic mode with a list of parameters, in static mode before `minimize`.

    Returns:
        An OptimizerWithSparsityGuarantee; call it before `prune_model`.
    """
    return OptimizerWithSparsityGuarantee(optimizer)
