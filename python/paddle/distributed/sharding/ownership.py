# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which member of a group keeps the optimizer state of which parameter (ZeRO), and what goes between the members for it."""

from ..._core import ops
from ..communication.core_group import empty
from ..communication.group import _get_global_group
from ..gradient_averaging import average_gradients, reduce_gradients


class Ownership:
    """Parameters dealt out to the members of a group, whole ones, so that each member has about as many elements.

    Args:
        parameters: All parameters; every member has them in the same order.
        group: A Group; None: the default group.
    """

    def __init__(self, parameters, group=None):
        self.group = _get_global_group() if group is None else group
        self.parameters = list(parameters)
        self._owner, load = {}, [0] * self.group.nranks
        for parameter in sorted(self.parameters, key=lambda p: -p.size):
            member = load.index(min(load))
            self._owner[id(parameter)] = member
            load[member] += parameter.size

    def owner(self, parameter):
        """Rank in the group of the member that has a parameter's state."""
        return self._owner[id(parameter)]

    def of(self, member, parameters=None):
        """The parameters of a member, or those of a list that are."""
        return [p for p in (self.parameters if parameters is None else parameters) if self._owner[id(p)] == member]

    @property
    def of_each(self):
        """For each member the parameters that it updates."""
        return [self.of(member) for member in range(self.group.nranks)]

    @property
    def own(self):
        """The parameters of this member."""
        return self.of(self.group.rank)

    def reduce_gradients(self, parameters=None):
        """Leave each gradient, as its mean over the group, with the owner of its parameter; the others lose theirs.

        Args:
            parameters: Some of the parameters; None: all. Only those that are trained count.
        """
        if self.group.nranks < 2:
            return
        trained = [p for p in (self.parameters if parameters is None else parameters) if not p.stop_gradient]
        reduce_gradients([self.of(member, trained) for member in range(self.group.nranks)], self.group)

    def share(self, parameters=None):
        """Give every member the values that the owners have.

        Args:
            parameters: Some of the parameters; None: all that are trained.
        """
        if self.group.nranks < 2:
            return
        if parameters is None:
            parameters = [p for p in self.parameters if not p.stop_gradient]
        for member in range(self.group.nranks):
            by_dtype = {}
            for parameter in self.of(member, parameters):
                by_dtype.setdefault(parameter.dtype.name, []).append(parameter)
            for joined in by_dtype.values():
                _broadcast(joined, member, self.group)


def _broadcast(parameters, member, group):
    """Send the values of parameters of one dtype from a member to the others, which need not have any, in one message."""
    processes = group.process_group
    if group.rank == member:
        whole = ops.concat([p.detach().reshape([p.size]) for p in parameters], 0)
    else:
        whole = empty([sum(p.size for p in parameters)], parameters[0].dtype)
    processes.broadcast(whole, member)
    if group.rank != member:
        at = 0
        for parameter in parameters:
            parameter.set_value(whole[at : at + parameter.size].reshape(parameter.shape))
            at += parameter.size


def average_over(group, parameters):
    """Replace gradients by their means over a further group, where there is one."""
    if group is not None and group.nranks > 1:
        average_gradients(parameters, group)
