# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The base of learning-rate schedules."""


class LRScheduler:
    """Base of the schedules; subclasses define `get_lr` from `last_epoch`, `base_lr`, `last_lr`.

    Args:
        learning_rate: The first rate.
        last_epoch: Epoch before the first one, -1 to start anew.
        verbose: Print every change.

    Example:
        >>> class Halved(paddle.optimizer.lr.LRScheduler):
        ...     def get_lr(self):
        ...         return self.base_lr * 0.5**self.last_epoch
        >>> schedule = Halved(0.1)
        >>> schedule.step()
        >>> schedule()
        0.05
    """

    __module__ = "paddle.optimizer.lr"  # where users find it

    def __init__(self, learning_rate=0.1, last_epoch=-1, verbose=False):
        if not isinstance(learning_rate, (float, int)):
            raise TypeError(
                f"{type(self).__name__}: learning_rate has type {type(learning_rate).__name__}; it must be a number."
            )
        if learning_rate < 0:
            raise ValueError(
                f"{type(self).__name__}: learning_rate has value {learning_rate}; it must not be negative."
            )
        self.base_lr = float(learning_rate)
        self.last_lr = float(learning_rate)
        self.last_epoch = last_epoch
        self.verbose = verbose
        self._var_name = None
        self.step()

    def __call__(self):
        return self.last_lr

    def step(self, epoch=None):
        """Go to the next epoch, or to a given one.

        Args:
            epoch: Number of the epoch; None for the next.

        Example:
            >>> schedule = paddle.optimizer.lr.StepDecay(0.5, step_size=1, gamma=0.1)
            >>> schedule.step()
            >>> schedule.get_lr()
            0.05
        """
        if epoch is None:
            self.last_epoch += 1
            self.last_lr = self.get_lr()
        else:
            self.last_epoch = epoch
            closed = getattr(self, "_get_closed_form_lr", None)
            self.last_lr = self.get_lr() if closed is None else closed()
        if self.verbose:
            print(f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to {self.last_lr}.")

    def get_lr(self):
        """The rate of `last_epoch`; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__}: get_lr is not defined.")

    def state_keys(self):
        """Set `self.keys`, the attributes that `state_dict` holds."""
        self.keys = ["last_epoch", "last_lr"]

    def state_dict(self):
        """The state as a dict of numbers."""
        self.state_keys()
        state = {}
        for key in self.keys:
            if key in self.__dict__:
                value = self.__dict__[key]
                if hasattr(value, "item") and getattr(value, "size", 0) == 1:
                    value = float(value)
                state[key] = value
        return state

    def set_state_dict(self, state_dict):
        """Take the state from a dict."""
        self.state_keys()
        for key in self.keys:
            if key not in state_dict:
                raise RuntimeError(
                    f"set_state_dict: state_dict has no {key!r}; it must be the state of a {type(self).__name__}."
                )
            self.__dict__[key] = state_dict[key]

    set_dict = set_state_dict
