# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The chi-squared distribution."""

from .distribution import check_positive, parameters
from .gamma import Gamma


class Chi2(Gamma):
    """Sum of the squares of `df` standard normal variables.

    Args:
        df: Degrees of freedom.
    """

    def __init__(self, df):
        self.df = parameters("Chi2", df)
        check_positive("Chi2", df=self.df)
        super().__init__(self.df * 0.5, 0.5)
