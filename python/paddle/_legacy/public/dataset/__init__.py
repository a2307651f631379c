# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of small datasets, in the style of PaddlePaddle 1: functions that return iterators."""

from .. import _lazy

__all__ = []

_MODULES = set(
    "cifar common conll05 flowers image imdb imikolov mnist movielens uci_housing voc2012 wmt14 wmt16".split()
)
__getattr__ = _lazy.attribute_hook(__name__, _MODULES, {})
