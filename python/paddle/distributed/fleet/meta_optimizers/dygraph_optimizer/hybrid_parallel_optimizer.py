# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""An optimizer that knows the topology of its job."""

from ....communication.group import group_of_one


class HybridParallelOptimizer:
    """Hands every call to the optimizer inside.

    Args:
        optimizer: The optimizer.
        hcg: The HybridCommunicateGroup.
        strategy: The DistributedStrategy.
    """

    def __init__(self, optimizer, hcg, strategy=None):
        self._inner_opt = optimizer
        self._hcg = hcg
        self._strategy = strategy
        if hcg is not None:
            group_of_one(type(self).__name__, hcg.get_check_parallel_group())

    def step(self):
        """Update the parameters."""
        self._inner_opt.step()

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Backward and step."""
        return self._inner_opt.minimize(loss, startup_program, parameters, no_grad_set)

    def clear_grad(self, set_to_zero=True):
        """Forget the gradients."""
        self._inner_opt.clear_grad(set_to_zero)

    def __getattr__(self, name):
        if name == "_inner_opt":
            raise AttributeError(name)
        return getattr(self._inner_opt, name)
