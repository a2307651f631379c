# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A model and its optimizer made parallel, one after the other."""

from ..api import shard_optimizer
from ..plans import parallelize

_has_parallelized_model = False


def parallelize_model(model, mesh=None, config=None):
    """The model with the plans of a configuration applied; see `paddle.distributed.parallelize`."""
    global _has_parallelized_model
    model = parallelize(model, None, mesh, config)[0]
    _has_parallelized_model = True
    return model


def parallelize_optimizer(optimizer, mesh=None, config=None):
    """The optimizer of a model that `parallelize_model` has made parallel.

    Raises:
        RuntimeError: No model was made parallel before.
    """
    if not _has_parallelized_model:
        raise RuntimeError("parallelize_optimizer: no model is parallel; call parallelize_model first.")
    return shard_optimizer(optimizer)
