# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface of every observer."""

import abc

from .base_quanter import BaseQuanter


class BaseObserver(BaseQuanter, metaclass=abc.ABCMeta):
    """A quanter that only collects statistics; the scales follow from them at the end."""

    def __init__(self):
        super().__init__()

    @abc.abstractmethod
    def cal_thresholds(self):
        """Computes the scales from what has been observed."""
