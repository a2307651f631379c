# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface for optimizers of users: a subclass makes its state in `_create_accumulators` and updates one
parameter in `_append_optimize_op`."""

from ..framework import dtypes
from ..framework.devices import placed

_HALF = ("float16", "bfloat16")


class OwnRule:
    """Base of `Optimizer`: what a subclass with a rule of its own calls and defines.

    Example:
        >>> import paddle
        >>> class Sign(paddle.optimizer.Optimizer):
        ...     def _create_accumulators(self, block, parameters):
        ...         for p in parameters:
        ...             if p.name not in self._already_create_accumulator:
        ...                 self._add_accumulator("last", p)
        ...                 self._already_create_accumulator.add(p.name)
        ...
        ...     def _append_optimize_op(self, block, param_and_grad):
        ...         p, g = param_and_grad
        ...         last = self._get_accumulator("last", p)
        ...         p.subtract_(paddle.sign(g + last) * self._create_param_lr(param_and_grad))
        ...         paddle.assign(g, last)
    """

    def _has_own_rule(self):
        return type(self)._append_optimize_op is not OwnRule._append_optimize_op

    def _apply_own_rule(self, pairs, group):
        """One step of a subclass that defines `_append_optimize_op`."""
        from ..static import default_main_program

        block = default_main_program().global_block()
        pairs = [(param, self._decayed(param, grad, group)) for param, grad in pairs]
        self._create_accumulators(block, [param for param, _ in pairs])
        for pair in pairs:
            self._append_optimize_op(block, pair)
        self._finish_update(block, pairs)

    def _append_optimize_op(self, block, param_and_grad):
        """Update one parameter. A subclass with a rule of its own defines it.

        Args:
            block: The block of the program that is recorded; not used in eager mode.
            param_and_grad: A parameter and its gradient.
        """
        param, grad = param_and_grad
        groups = (group for group in self._groups if any(p is param for p in group["params"]))
        self._update(param, grad, next(groups, {}))

    def _finish_update(self, block, parameters_and_grads):
        """Called when all parameters of a group were updated."""

    def _update_param_group(self, parameters):
        """The parameters of a group that is given as a dict."""
        return parameters["params"] if isinstance(parameters, dict) else parameters

    def _add_accumulator(self, name, param, dtype=None, fill_value=0.0, shape=None, type=None, device=None):
        """Make a state tensor of a parameter, filled with a number; one that exists stays.

        Args:
            name: What it is called, such as 'moment'.
            param: The parameter, or its float32 copy.
            dtype: That of the parameter by default.
            shape: That of the parameter by default.
            type: Kept for programs that pass it.
            device: Where it lies; None: where the parameter does.
        """
        table = self._accumulators.setdefault(name, {})
        if param.name not in table:
            wanted = None if dtype is None else dtypes.convert(dtype)
            made = self._make_accumulator(name, param, float(fill_value), shape, wanted)
            table[param.name] = placed(made, device)
            table[param.name].name = made.name
        return table[param.name]

    def _get_accumulator_master(self, name, param):
        """A state tensor of a parameter, or of its float32 copy where that is updated."""
        found = self._accumulators.get(name, {})
        if param.name not in found and param.name in self._master_weights:
            return self._get_accumulator(name, self._master_weights[param.name])
        return self._get_accumulator(name, param)

    def _create_master_weight(self, param):
        """The float32 copy of a parameter in half precision."""
        return self._find_master(param)

    def _is_dtype_fp16_or_bf16(self, dtype):
        return dtypes.convert(dtype).name in _HALF

    def _create_global_learning_rate(self):
        """Kept for programs that call it before a step: the learning rate is made when it is read."""

    def _create_param_lr(self, param_and_grad):
        """The learning rate of a parameter, a tensor of one element."""
        return self._lr_for(param_and_grad[0])

    def _create_regularization_of_grad(self, param, grad, regularization=None):
        """The gradient with the part of the regularizer of the parameter, else of the given one."""
        return self.append_regularization_ops([(param, grad)], regularization)[0][1]

    def _set_auxiliary_var(self, key, val):
        """Keep a value that steps read."""
        vars(self).setdefault("_auxiliary_vars", {})[key] = val

    def _get_auxiliary_var(self, key):
        """A value that `_set_auxiliary_var` kept, or None."""
        return vars(self).get("_auxiliary_vars", {}).get(key)
