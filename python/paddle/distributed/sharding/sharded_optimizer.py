# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""An optimizer each of whose parameters is updated, and has its state, in one member of a group."""

from ...framework.modes import recording_program
from .global_norm import clip_over_groups, innermost
from .ownership import Ownership, average_over


def minimize(wrapper, loss, startup_program, parameters, no_grad_set):
    """`minimize` of a wrapper of an optimizer, as `_inner_opt`: all parameters step together.

    Returns:
        (an empty list, the (parameter, gradient) pairs); what `minimize` of the optimizer gives in a static program.

    Raises:
        ValueError: Some parameters are chosen.
    """
    if recording_program() is not None:
        return wrapper._inner_opt.minimize(loss, startup_program, parameters, no_grad_set)
    if parameters is not None or no_grad_set:
        raise ValueError(
            f"{type(wrapper).__name__}.minimize: parameters and no_grad_set must be None; every member updates all of its."
        )
    wrapper.step()
    return [], [(p, p.grad) for p in wrapper._parameter_list if not p.stop_gradient and p.grad is not None]


class ShardedOptimizer:
    """Reduces gradients to the owners of their parameters, lets the optimizer update these, and hands the values round.

    Calls that it does not know go to the optimizer; its `state_dict` has the state of this member's parameters.

    Args:
        optimizer: The optimizer, with all parameters.
        group: A Group over which they are dealt out; None: the default group.
        dp_group: A Group whose members have the same parameters and other data, or None.
    """

    def __init__(self, optimizer, group=None, dp_group=None):
        self._inner_opt, self._dp_group = optimizer, dp_group
        self._ownership = Ownership(optimizer._parameter_list, group)
        self._reduced, self._update = False, optimizer.step
        clip_over_groups(optimizer, [self._ownership.group])

    def reduce_gradients(self, parameter_list=None, hcg=None):
        """Leave the mean of each gradient with the owner of its parameter; the other members lose theirs.

        Args:
            parameter_list: Some of the parameters; None: all.
            hcg: Kept for callers that pass it.
        """
        self._ownership.reduce_gradients(parameter_list)
        average_over(self._dp_group, self._ownership.own)
        self._reduced = True

    def step(self):
        """Update the parameters, in every member of the group at once."""
        if not self._reduced:
            self.reduce_gradients()
        if self._ownership.group.nranks > 1:
            innermost(
                self._inner_opt
            )._has_stepped = True  # Parameters of others have no gradient here, which is no mistake.
        self._update()
        self._share()
        self._reduced = False

    def _share(self):
        self._ownership.share()

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """`step`, behind `loss.backward()`; while a static program is recorded, `minimize` of the optimizer."""
        return minimize(self, loss, startup_program, parameters, no_grad_set)

    def clear_grad(self, set_to_zero=True):
        """Forget the gradients."""
        type(self._inner_opt).clear_grad(self._inner_opt, set_to_zero)
        self._reduced = False

    clear_gradients = clear_grad

    def __getattr__(self, name):
        if name == "_inner_opt":
            raise AttributeError(name)
        return getattr(self._inner_opt, name)
