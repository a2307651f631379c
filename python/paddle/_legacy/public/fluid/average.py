# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`WeightedAverage`."""


class WeightedAverage:
    """The mean of numbers with weights.

    Example:
        >>> from paddle import fluid
        >>> mean = fluid.average.WeightedAverage()
        >>> mean.add(value=2.0, weight=1)
        >>> mean.add(value=4.0, weight=2)
        >>> round(mean.eval(), 4)
        3.3333
    """

    def __init__(self):
        self.reset()

    def reset(self):
        """Forget all numbers."""
        self.numerator = self.denominator = None

    def add(self, value, weight):
        """Take a number, or an array of them, in."""
        self.numerator = value * weight + (0.0 if self.numerator is None else self.numerator)
        self.denominator = weight + (0.0 if self.denominator is None else self.denominator)

    def eval(self):
        """The mean."""
        if not self.denominator:
            raise ValueError("WeightedAverage.eval: no numbers were given; call add first.")
        return self.numerator / self.denominator


__all__ = ["WeightedAverage"]
