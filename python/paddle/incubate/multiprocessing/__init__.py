# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The standard `multiprocessing`, whose queues and pipes carry tensors: they are pickled with their values."""

import multiprocessing as _multiprocessing
from multiprocessing import *

__all__ = list(_multiprocessing.__all__)
