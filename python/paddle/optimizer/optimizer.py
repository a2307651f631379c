# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Optimizer`: parameter groups, learning rate, clipping, decay, state; subclasses add the rule."""

import re
import sys
import warnings

from .. import _core
from ..framework.checked_numbers import shown
from ..framework.memory import write
from ..framework.modes import eager_region, recording_program
from ..regularizer import L2Decay, WeightDecayRegularizer
from ..tensor.creation import empty
from ..utils import unique_name
from .fused_state import FusedState
from .lr import LRScheduler
from .own_rule import OwnRule

ops = _core.ops
_HALF = ("float16", "bfloat16")


def _remember(tensor, values):
    """Let the startup program of a static program give state its first values."""
    if recording_program() is not None:
        from ..static.state import give_first_values

        give_first_values(tensor, lambda program: values())


def captures():
    """Whether a function is being captured, so that values of state are not known."""
    capturing = sys.modules.get("paddle.jit.capturing")
    return capturing is not None and capturing.in_capture()


def _at_once():
    """Inside, state that depends on no value of a program is made, although a function or program is being captured."""
    return _core.pir.Suspended() if captures() else eager_region()


class Optimizer(OwnRule, FusedState):
    """Base of the optimizers.

    Args:
        learning_rate: A number or an LRScheduler.
        parameters: Parameters, or dicts with 'params' and settings of their own.
        weight_decay: A factor of L2 decay, L1Decay or L2Decay.
        grad_clip: One of the ClipGradBy... objects.
        name: Unused.

    Raises:
        AttributeError: `parameters` is None while no static program is recorded.
        TypeError: An argument has none of these types.

    Example:
        >>> layer = paddle.nn.Linear(2, 1)
        >>> groups = [{"params": [layer.weight], "weight_decay": 0.1}, {"params": [layer.bias], "learning_rate": 0.5}]
        >>> optimizer = paddle.optimizer.SGD(0.1, parameters=groups)
        >>> layer(paddle.ones([4, 2])).mean().backward()
        >>> optimizer.step()
        >>> optimizer.clear_grad()
    """

    _accumulator_names = ()
    _has_stepped = False
    _rate_variable = None  # of a program that computes its learning rate
    helper = None

    def __init__(self, learning_rate, parameters=None, weight_decay=None, grad_clip=None, name=None):
        if parameters is None and recording_program() is None:
            swapped = isinstance(learning_rate, (list, tuple)) or hasattr(learning_rate, "parameters")
            raise AttributeError(
                f"{type(self).__name__}: parameters is None{' and learning_rate a ' * swapped}"
                f"{type(learning_rate).__name__ * swapped}; pass those of the model, parameters=model.parameters()."
            )
        if hasattr(parameters, "parameters"):
            raise TypeError(
                f"{type(self).__name__}: parameters is a {type(parameters).__name__}; pass its parameters(), a list."
            )
        if isinstance(parameters, _core.Tensor):
            raise TypeError(f"{type(self).__name__}: parameters is a Tensor; pass a list of parameters.")
        if isinstance(parameters, dict):
            raise TypeError(f"{type(self).__name__}: parameters is a dict; pass a list of parameters or of dicts.")
        if parameters is not None and (isinstance(parameters, str) or not hasattr(parameters, "__iter__")):
            raise TypeError(f"{type(self).__name__}: parameters {shown(parameters)}; pass a list of parameters.")
        if learning_rate is None:
            raise _core.ArgumentValueError(
                f"{type(self).__name__}: learning_rate is None; pass a number or an LRScheduler."
            )
        if not isinstance(learning_rate, (float, int, LRScheduler)):
            raise TypeError(
                f"{type(self).__name__}: learning_rate has type {type(learning_rate).__name__}; "
                f"pass a number or an LRScheduler."
            )
        if grad_clip is not None and not callable(grad_clip):
            raise TypeError(
                f"{type(self).__name__}: grad_clip has type {type(grad_clip).__name__}; pass a paddle.nn.ClipGradBy..."
            )
        self._learning_rate = learning_rate
        self._grad_clip = grad_clip
        self._name = name
        self._weight_decay = weight_decay
        self.regularization = self._as_regularizer(weight_decay)
        self._multi_precision = getattr(self, "_multi_precision", False)
        self._accumulators = {}
        self._shard_fn = None  # of paddle.distributed.shard_optimizer
        self._master_weights = {}
        self._already_create_accumulator = set()  # for subclasses: names of parameters that have their state
        self._pending_state = {}
        self._lr_tensors = {}
        self._groups = []
        self._parameter_list = []
        for group in () if parameters is None else list(parameters):
            self._add_param_group(group)

    def _as_regularizer(self, weight_decay):
        if weight_decay is None or isinstance(weight_decay, WeightDecayRegularizer):
            return weight_decay
        if isinstance(weight_decay, (float, int)):
            return L2Decay(float(weight_decay))
        raise TypeError(
            f"{type(self).__name__}: weight_decay has type {type(weight_decay).__name__}; pass a "
            f"number, L1Decay or L2Decay."
        )

    def _add_param_group(self, group):
        """Add a parameter, or a dict of parameters with settings."""
        if not isinstance(group, dict):
            if not self._groups or self._groups[-1].get("_given"):
                self._groups.append({"params": []})
            self._groups[-1]["params"].append(group)
            self._parameter_list.append(group)
            return
        if "params" not in group:
            raise AssertionError(
                f"{type(self).__name__}: a group of parameters has the keys {list(group)}; its parameters must be "
                f"under 'params'."
            )
        params = group["params"]
        params = [params] if isinstance(params, _core.Tensor) else list(params)
        known = {id(p) for p in self._parameter_list}
        if any(id(p) in known for p in params):
            raise ValueError(
                f"{type(self).__name__}: a parameter is in more than one group; pass every parameter once."
            )
        group = {**group, "params": params, "_given": True}
        if "learning_rate" in group:
            for p in params:
                p.optimize_attr["learning_rate"] = group["learning_rate"]
        if "weight_decay" in group:
            group["_regularizer"] = self._as_regularizer(group["weight_decay"])
        self._groups.append(group)
        self._parameter_list.extend(params)

    @property
    def _param_groups(self):
        """The groups as dicts with 'params', or the parameters where they were given without groups."""
        return self._groups if any(g.get("_given") for g in self._groups) else self._parameter_list

    # -- learning rate -----------------------------------------------------------------------

    def get_lr(self):
        """The current learning rate.

        Example:
            >>> paddle.optimizer.SGD(0.1, parameters=[]).get_lr()
            0.1
        """
        if isinstance(self._learning_rate, LRScheduler):
            return self._learning_rate()
        return float(self._learning_rate)

    def set_lr(self, value):
        """Set the learning rate, where no scheduler does.

        Args:
            value: A number.

        Raises:
            TypeError: It is no number.
            RuntimeError: The learning rate comes from an LRScheduler.
        """
        if not isinstance(value, (int, float)):
            raise TypeError(f"set_lr: value has type {type(value).__name__}; it must be a number.")
        if isinstance(self._learning_rate, LRScheduler):
            raise RuntimeError(
                "set_lr: the learning rate comes from an LRScheduler; call set_lr_scheduler or change the scheduler."
            )
        self._learning_rate = float(value)

    def set_lr_scheduler(self, scheduler):
        """Take the learning rate from a scheduler."""
        if not isinstance(scheduler, LRScheduler):
            raise TypeError(f"set_lr_scheduler: scheduler has type {type(scheduler).__name__}; pass an LRScheduler.")
        self._learning_rate = scheduler

    def _recorded_rate(self):
        """The learning rate as an input of the program that is being recorded; None in eager mode."""
        if recording_program() is not None:
            return recording_program()._learning_rate_of(self)
        capturing = sys.modules.get("paddle.jit.capturing")
        if capturing is not None and capturing.in_capture():
            return capturing.learning_rate_of(self)
        return None

    def _global_learning_rate(self, program=None):
        """The learning rate before the factors of parameters, as a tensor; of a program the one that it reads."""
        rate = self._recorded_rate() if program is None else program._learning_rate_of(self)
        return _core.to_tensor(self.get_lr(), _core.float32) if rate is None else rate

    _step_rates = None  # during a step: its learning rates, by factor and width

    def _lr_for(self, param):
        """The learning rate of a parameter as a tensor of shape [1]."""
        attributes = getattr(param, "optimize_attr", None)
        factor = attributes.get("learning_rate", 1.0) if attributes else 1.0
        wide = param.dtype == _core.float64
        rates = self._step_rates  # a step on another thread may end meanwhile
        if rates is None:
            return self._rate_of(factor, wide)
        known = rates.get((factor, wide))
        if known is None:
            known = rates[factor, wide] = self._rate_of(factor, wide)
        return known

    def _rate_of(self, factor, wide):
        rate = self._recorded_rate()
        if rate is not None:
            return rate if factor == 1.0 else ops.scale(rate, factor)
        value = self.get_lr() * factor
        known = self._lr_tensors.get((value, wide))
        if known is None:
            if len(self._lr_tensors) > 64:
                self._lr_tensors.clear()
            # Made by no operator, so that a segment reads it and holds none of its values.
            known = self._lr_tensors[value, wide] = _core.to_tensor([value], _core.float64 if wide else _core.float32)
        return known

    # -- state -------------------------------------------------------------------------------

    def _is_multi_precision(self, param):
        return self._multi_precision and param.dtype.name in _HALF

    def _master(self, param):
        """The float32 copy that a half-precision parameter is updated through, or None."""
        if not self._is_multi_precision(param):
            return None
        master = self._master_weights.get(param.name)
        if master is None:
            if captures():
                sys.modules["paddle.jit.capturing"].refuse_in_branches(self, param)
            loaded = self._pending_state.get("master_weights", {}).pop(param.name, None)
            with eager_region():
                source = param.detach() if loaded is None else loaded
                master = ops.cast(source, _core.float32)
                master = ops.assign(master) if master is source else master
            master.name = unique_name.generate(param.name + "_fp32_master")
            self._master_weights[param.name] = master
            if loaded is None:
                _remember(master, lambda: ops.cast(param.detach(), _core.float32))
        return master

    def _accumulator(self, kind, param, fill=0.0, shape=None, dtype=None):
        """A state tensor of a parameter, made at its first use."""
        table = self._accumulators.setdefault(kind, {})
        found = table.get(param.name)
        if found is None:
            found = table[param.name] = self._make_accumulator(kind, param, fill, shape, dtype)
        return found

    def _make_accumulator(self, kind, param, fill, shape, dtype):
        master = self._master(param)
        owner = param if master is None else master
        name = f"{owner.name}_{kind}_0"
        value = self._claim_pending(name, kind, param)
        if dtype is None:
            dtype = _core.float32 if owner.dtype.name in _HALF else owner.dtype  # what updates compute in
        shape = list(param.shape) if shape is None else shape
        with _at_once():
            if value is None and recording_program() is not None:
                made = empty(shape, dtype)  # the startup program fills it
            else:
                made = self._filled(kind, param, shape, fill, dtype)
            if value is not None:
                value = _as_tensor(value)
                if value.size != made.size:
                    raise ValueError(
                        f"{type(self).__name__}: {kind} of parameter {param.name} has shape {list(value.shape)} in the "
                        f"loaded state and {list(shape)} here; load the state of a model of the same shapes."
                    )
                write(made, ops.reshape(value, shape))
        made.name = name
        made.persistable = True
        if value is None:
            _remember(made, lambda: ops.full(shape, fill, dtype, made.place))
        return made

    def _filled(self, kind, param, shape, fill, dtype):
        """State of one value; of a distributed parameter distributed like it, or as `shard_optimizer` was told."""
        if not param.is_dist():
            return ops.full(shape, fill, dtype, param.place)
        if shape == list(param.shape):
            made = ops.full_like(param.detach(), fill, dtype)
        else:
            mesh = param.process_mesh
            replicated = [-1] * mesh.ndim
            made = ops.reshard(
                ops.full(shape, fill, dtype), mesh.shape, mesh.process_ids, ",".join(mesh.dim_names), replicated
            )
        return made if self._shard_fn is None else self._shard_fn(kind, param, made)

    def _forget_unmade(self):
        """Drop state whose values a capture that failed would have computed."""
        for table in (*self._accumulators.values(), self._master_weights):
            for name in [name for name, state in table.items() if not state._is_initialized()]:
                del table[name]

    def _claim_pending(self, name, kind, param):
        """The loaded value of a state tensor, or None where no state was loaded."""
        waiting = self._pending_state
        if not waiting:
            return None
        name = _name_in(waiting, name, kind, param.name)
        if name not in waiting and any(key != "master_weights" for key in waiting):
            self._refuse_state_without(name)
        return waiting.pop(name, None)

    def _refuse_state_without(self, name):
        raise AssertionError(
            f"{type(self).__name__}: the loaded state has no {name}; parameters must have the names "
            f"that they had when the state was saved (see paddle.utils.unique_name.guard)."
        )

    def _create_accumulators(self, block, parameters):
        """Make the state tensors of parameters; subclasses define it."""

    def _get_accumulator(self, name, param):
        """The state tensor of a kind and a parameter.

        Raises:
            ValueError: There is none.
        """
        found = self._accumulators.get(name, {}).get(param.name)
        if found is None:
            raise ValueError(f"{type(self).__name__}: parameter {param.name} has no state tensor of kind {name!r}.")
        return found

    def get_opti_var_name_list(self):
        """Names of the state tensors that exist."""
        return [t.name for table in self._accumulators.values() for t in table.values()]

    def state_dict(self):
        """The state tensors by name; beside them 'LR_Scheduler', the state of a scheduler, and 'master_weights', the float32
        copies of half-precision parameters.

        Example:
            >>> optimizer = paddle.optimizer.SGD(paddle.optimizer.lr.StepDecay(0.1, 10), parameters=[])
            >>> optimizer.state_dict()
            {'LR_Scheduler': {'last_epoch': 0, 'last_lr': 0.1}}
        """
        state = {t.name: t for table in self._accumulators.values() for t in table.values()}
        if self._master_weights:
            state["master_weights"] = dict(self._master_weights)
        if isinstance(self._learning_rate, LRScheduler):
            state["LR_Scheduler"] = self._learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict):
        """Take the state from a dict; state of parameters not seen yet waits for their step.

        Args:
            state_dict: What `state_dict` gave, also of another process or from `paddle.load`.

        Raises:
            AssertionError: A state tensor that exists here is not in the dict.
            ValueError: One has another size there.

        Example:
            >>> layer = paddle.nn.Linear(2, 1)
            >>> adam = paddle.optimizer.Adam(parameters=layer.parameters())
            >>> layer(paddle.ones([1, 2])).sum().backward()
            >>> adam.step()
            >>> paddle.save(adam.state_dict(), "adam.pdopt")
            >>> adam.set_state_dict(paddle.load("adam.pdopt"))
        """
        state = dict(state_dict)
        scheduler = state.pop("LR_Scheduler", None)
        if scheduler is not None and isinstance(self._learning_rate, LRScheduler):
            self._learning_rate.set_state_dict(scheduler)
        masters = dict(state.pop("master_weights", None) or {})
        for name in list(masters):
            if name in self._master_weights:
                write(self._master_weights[name], _as_tensor(masters.pop(name)))
        for tensor, value in self._found_in(state):
            write(tensor, ops.reshape(value, tensor.shape))
        self._pending_state = {k: _snapshot(v) for k, v in state.items()}
        self._pending_state["master_weights"] = {k: _snapshot(v) for k, v in masters.items()}

    set_dict = load_state_dict = set_state_dict

    def _found_in(self, state):
        """The state tensors that exist, each with its value, which leaves `state`."""
        found = []
        for kind, table in self._accumulators.items():
            for param_name, tensor in table.items():
                name = _name_in(state, tensor.name, kind, param_name)
                if name not in state:
                    self._refuse_state_without(name)
                value = _as_tensor(state.pop(name))
                if value.size != tensor.size:
                    raise ValueError(
                        f"set_state_dict: {name} has shape {list(value.shape)} in the state "
                        f"and {list(tensor.shape)} here; the shapes must be equal."
                    )
                found.append((tensor, value))
        return found

    @property
    def type(self):
        """The name of the rule, in lower case."""
        return type(self).__name__.lower()

    # -- steps -------------------------------------------------------------------------------

    def step(self):
        """Update every parameter that has a gradient.

        Example:
            >>> x = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(3.0))
            >>> optimizer = paddle.optimizer.SGD(0.5, parameters=[x])
            >>> (x * x).sum().backward()
            >>> optimizer.step()
            >>> x.tolist()
            [0.0]
        """
        if not self._has_stepped:
            self._has_stepped = True
            self._tell_without_gradient()
        self._check_fusion()
        previous = _core.set_grad_enabled(False)
        try:
            for group in self._groups:
                pairs = [(p, g) for p in group["params"] if not p.stop_gradient and (g := p.grad) is not None]
                self._apply(pairs, group)
        finally:
            _core.set_grad_enabled(previous)

    def _tell_without_gradient(self):
        """At the first step: parameters that it leaves as they are although they are to be trained."""
        name = type(self).__name__
        trained = [p for p in self._parameter_list if not p.stop_gradient]
        missing = [p.name for p in trained if p.grad is None]
        if not self._parameter_list or (trained and not missing):
            return
        if not trained:
            message = "every parameter has stop_gradient=True, so step() changes nothing"
        elif len(missing) == len(trained):
            message = "no parameter has a gradient, so step() changes nothing; call backward() on the loss before"
        else:
            shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
            message = (
                f"{len(missing)} of {len(trained)} parameters have no gradient and stay as they are ({shown}); "
                f"the loss does not depend on them"
            )
        warnings.warn(f"{name}: {message}. This is said at the first step only.", stacklevel=3)

    _clip_each = None  # set by paddle.nn.clip.set_gradient_clip

    def _apply(self, pairs, group):
        clip = group.get("grad_clip", self._grad_clip)
        if clip is not None:
            pairs = clip(pairs)
        elif self._clip_each is not None:
            pairs = self._clip_each(pairs)
        self._step_rates = {}
        try:
            if self._has_own_rule():
                self._apply_own_rule(pairs, group)
            else:
                self._update_each(pairs, group)
        finally:
            self._step_rates = None

    def _update_each(self, pairs, group):
        for param, grad in pairs:
            self._update(param, self._decayed(param, grad, group), group)

    def _decayed(self, param, grad, group):
        """The gradient with the regularizer's part."""
        rule = getattr(param, "regularizer", None) or group.get("_regularizer", self.regularization)
        if rule is None:
            return grad
        part = rule(param)
        return grad + (part if part.dtype == grad.dtype else ops.cast(part, grad.dtype))

    def _update(self, param, grad, group):
        raise NotImplementedError(f"{type(self).__name__}: the update rule is not defined; define it in the subclass.")

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """`step` after `loss.backward()`; while a static program is recorded, the gradients of the loss and the update are
        appended to it.

        Args:
            loss: The Tensor whose gradients are taken.
            startup_program: The Program that makes the state of the optimizer; the default one by default. Static programs only.
            parameters: The parameters that are updated; by default those of the optimizer.
            no_grad_set: Parameters that are left as they are.

        Returns:
            (a list of the appended operators, empty outside of static programs; the (parameter, gradient) pairs).

        Raises:
            AssertionError: loss is no Tensor.

        Example:
            >>> x = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(3.0))
            >>> loss = (x * x).sum()
            >>> loss.backward()
            >>> _ = paddle.optimizer.SGD(0.5, parameters=[x]).minimize(loss)
            >>> x.tolist()
            [0.0]
        """
        if not isinstance(loss, _core.Tensor):
            raise AssertionError(f"{type(self).__name__}.minimize: loss has type {type(loss).__name__}; pass a Tensor.")
        if recording_program() is not None:
            return self._append_to_program(loss, startup_program, parameters, no_grad_set)
        wanted = self._parameter_list if parameters is None else list(parameters)
        frozen = {id(p) for p in no_grad_set or ()}
        pairs = [(p, p.grad) for p in wanted if not p.stop_gradient and p.grad is not None and id(p) not in frozen]
        if parameters is None and not frozen:
            self.step()
            return [], pairs
        chosen = {id(p) for p, _ in pairs}
        previous = _core.set_grad_enabled(False)
        try:
            for group in self._groups:
                ids = {id(p) for p in group["params"]} & chosen
                self._apply([(p, g) for p, g in pairs if id(p) in ids], group)
        finally:
            _core.set_grad_enabled(previous)
        return [], pairs

    def _append_to_program(self, loss, startup_program, parameters, no_grad_set):
        """`minimize` of the static program of a loss; its operators of the step, and the pairs."""
        from ..static.gradient import _program_of
        from ..static.program import program_guard

        with program_guard(_program_of(loss), startup_program):
            pairs = self.backward(loss, startup_program, parameters, no_grad_set)
            return self.apply_gradients(pairs), pairs

    def backward(self, loss, startup_program=None, parameters=None, no_grad_set=None, callbacks=None):
        """The (parameter, gradient) pairs after `loss.backward()`, or appended to a static program."""
        if recording_program() is not None:
            from ..static.gradient import append_backward

            wanted = parameters or self._parameter_list or recording_program()._read_parameters()
            return append_backward(loss, wanted, no_grad_set, callbacks)
        wanted = self._parameter_list if parameters is None else parameters
        return [(p, p.grad) for p in wanted if not p.stop_gradient and p.grad is not None]

    def apply_gradients(self, params_grads):
        """Update parameters with the given gradients; in a static program append that, and return the operators."""
        program = recording_program()
        before = () if program is None else set(program._recording.operation_ids())
        if program is not None:
            program._learning_rate_of(self)  # it stands before the state of the parameters
        previous = _core.set_grad_enabled(False)
        try:
            self._apply(list(params_grads), self._groups[0] if self._groups else {})
        finally:
            _core.set_grad_enabled(previous)
        if program is None:
            return []
        return [op for op in program.global_block().ops if op.id() not in before and op.name().startswith("pd_op.")]

    def clear_grad(self, set_to_zero=True):
        """Take the gradients away before the next backward pass.

        Args:
            set_to_zero: Whether they are filled with zeros; False drops their memory.

        Example:
            >>> x = paddle.create_parameter([1], "float32")
            >>> (x * x).sum().backward()
            >>> paddle.optimizer.SGD(0.5, parameters=[x]).clear_grad(set_to_zero=False)
            >>> x.grad is None
            True
        """
        for p in self._parameter_list:
            if not p.stop_gradient:
                p.clear_gradient(set_to_zero)

    clear_gradients = clear_grad

    def zero_grad(self, set_to_none=True):
        """As `clear_grad`."""
        self.clear_grad(not set_to_none)


def _name_in(state, name, kind, param_name):
    """The key of a state tensor. The numbers at the ends of names depend on how many such names the process that
    saved had made before."""
    if name in state:
        return name
    form = re.compile(rf"{re.escape(param_name)}_(fp32_master_\d+_)?{re.escape(kind)}_\d+")
    return next((key for key in state if form.fullmatch(key)), name)


def _as_tensor(value):
    return value if isinstance(value, _core.Tensor) else _core.to_tensor(value)


def _snapshot(value):
    """A copy of a state tensor, so that later steps of its owner leave it alone."""
    return ops.assign(value.detach()) if isinstance(value, _core.Tensor) else value
