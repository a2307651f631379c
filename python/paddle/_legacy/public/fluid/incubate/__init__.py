# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.fluid.incubate`: generators of data for datasets in files. Training by several processes is
`paddle.distributed.fleet`."""

from ... import _paths
from .. import absent
from . import fleet as fleet

_paths.attach(__name__)


def __getattr__(name):
    raise absent.error(__name__, name)
