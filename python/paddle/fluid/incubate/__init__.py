# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.fluid.incubate`: generators of data for datasets in files. Training by several processes is
`paddle.distributed.fleet`."""

from ... import _paths
from .. import absent

_paths.attach(__name__)


def __getattr__(name):
    if name == "fleet":
        raise AttributeError("module 'paddle.fluid.incubate' has no attribute 'fleet': use paddle.distributed.fleet.")
    raise absent.error(__name__, name)
