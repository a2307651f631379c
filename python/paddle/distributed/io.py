# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""State of static programs in files, as jobs of one process save it."""

from ..static import io as _files
from ..static.io import is_persistable


def save_persistables(executor, dirname, main_program=None, filename=None):
    """Write the parameters and other state of a program, one file each or all in `filename`.

    Args:
        executor: Accepted for its place in the call.
        dirname: The folder; it is made.
        main_program: The Program; None: the default.
        filename: The file that holds all.
    """
    _files.save_vars(executor, dirname, main_program, predicate=is_persistable, filename=filename)


def load_persistables(executor, dirname, main_program=None, filename=None):
    """Read what `save_persistables` wrote.

    Args:
        executor: Accepted for its place in the call.
        dirname: The folder.
        main_program: The Program; None: the default.
        filename: The file that holds all.
    """
    _files.load_vars(executor, dirname, main_program, predicate=is_persistable, filename=filename)


def load_inference_model_distributed(
    dirname, executor, model_filename=None, params_filename=None, pserver_endpoints=None
):
    """Read an exported program from a folder.

    Args:
        dirname: The folder.
        executor: An Executor.
        model_filename, params_filename: Names of the program and of the parameters.
        pserver_endpoints: Must be None: paddle has no parameter servers.

    Returns:
        [program, names of its inputs, what to fetch].
    """
    if pserver_endpoints is not None:
        raise NotImplementedError("load_inference_model_distributed: paddle has no parameter servers.")
    return _files.load_inference_model(
        dirname, executor, model_filename=model_filename or "__model__", params_filename=params_filename
    )
