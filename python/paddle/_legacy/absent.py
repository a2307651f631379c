# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of PaddlePaddle whose hardware or servers paddle does not have: the table of them, and what their calls raise.

A call first has to fit the signature, then it raises the error of its row. A new row is enough for a new name.
"""

import functools

# Rows by the module or class that has the names: (call, error, what is absent, what the error adds, what the call is for).
_NO_CPU_WORK = "programs run on the CPU without it"
_ROWS = {
    "paddle.device.xpu": (
        ("memory_allocated(device=None)", ValueError, "XPU", "", "bytes of XPU memory in use"),
        ("max_memory_allocated(device=None)", ValueError, "XPU", "", "most bytes of XPU memory in use"),
        ("memory_reserved(device=None)", ValueError, "XPU", "", "bytes of XPU memory held"),
        ("max_memory_reserved(device=None)", ValueError, "XPU", "", "most bytes of XPU memory held"),
        ("memory_total(device=None)", ValueError, "XPU", "", "bytes of XPU memory"),
        ("memory_used(device=None)", ValueError, "XPU", "", "bytes of XPU memory that all processes hold"),
        (
            "reset_max_memory_allocated(device=None)",
            ValueError,
            "XPU",
            "",
            "start measuring max_memory_allocated again",
        ),
        ("reset_max_memory_reserved(device=None)", ValueError, "XPU", "", "start measuring max_memory_reserved again"),
        ("empty_cache()", ValueError, "XPU", "", "give unused memory of the XPU back"),
        ("set_debug_level(level=0)", ValueError, "XPU", "", "how much the library of the XPU logs"),
        ("synchronize(device=None)", RuntimeError, "XPU", "there is none to wait for", "wait for the XPU"),
        ("class Stream(*args, **kwargs)", RuntimeError, "XPU", "", "a queue of work on an XPU"),
        ("class Event()", RuntimeError, "XPU", "", "a point in the work of a stream"),
    ),
    "paddle.base.core": (("get_xpu_device_version(device_id)", RuntimeError, "XPU", "", "the generation of an XPU"),),
    "paddle.nn.Layer": (
        ("xpu(self, device=None)", ValueError, "XPU", "parameters stay on the CPU", "move the parameters to an XPU"),
    ),
    "paddle.static": (
        ("xpu_places(device_ids=None)", AssertionError, "XPU", "use cpu_places()", "the places of XPUs"),
        ("class IpuStrategy()", RuntimeError, "IPU", _NO_CPU_WORK, "settings of a program on IPUs"),
        (
            "class IpuCompiledProgram(program=None, scope=None, ipu_strategy=None)",
            ValueError,
            "IPU",
            _NO_CPU_WORK,
            "a program made for IPUs",
        ),
        ("ipu_shard_guard(index=-1, stage=-1)", ValueError, "IPU", _NO_CPU_WORK, "run operators on one IPU"),
    ),
    "paddle.static.nn": (
        (
            "sparse_embedding(input, size, padding_idx=None, is_test=False, entry=None, table_class='MemorySparseTable', "
            "param_attr=None, dtype='float32', slot=None)",
            RuntimeError,
            "parameter servers",
            "use static.nn.embedding",
            "an embedding whose table lives on parameter servers",
        ),
    ),
    "paddle.fluid.transpiler": (
        (
            "class DistributeTranspiler(config=None)",
            NotImplementedError,
            "parameter servers",
            "use paddle.distributed.fleet",
            "programs of PaddlePaddle 1 for several processes",
        ),
    ),
    "paddle.distributed.fleet.Fleet": tuple(
        (call, NotImplementedError, "parameter servers", "", purpose)
        for call, purpose in (
            ("init_worker(self, scopes=None)", "connect to parameter servers"),
            ("init_coordinator(self, scopes=None)", "connect to the coordinator of a federated job"),
            ("init_server(self, *args, **kwargs)", "start as a parameter server"),
            ("run_server(self)", "serve parameters"),
            ("stop_worker(self)", "leave the parameter servers"),
            ("make_fl_strategy(self)", "run the rounds of a federated job"),
            ("get_fl_client(self)", "the client of a federated job"),
            ("save(self, dirname, feed=[], fetch=[], **configs)", "save the tables of the servers"),
            (
                "save_inference_model(self, executor, dirname, feeded_var_names, target_vars, main_program=None, "
                "export_for_deployment=True, mode=0)",
                "save a program with the parameters of the servers",
            ),
            (
                "save_persistables(self, executor, dirname, main_program=None, mode=0)",
                "save the parameters of the servers",
            ),
            (
                "save_dense_params(self, executor, dirname, scope, program, var_names=None)",
                "save the parameters that are no tables",
            ),
            ("save_one_table(self, table_id, path, mode)", "save one table"),
            ("save_cache_model(self, dirname, **configs)", "save the rows that are used most"),
            (
                "save_cache_table(self, table_id, pass_id, mem_cache_key_threshold=4000000000)",
                "save the rows of one table that are used most",
            ),
            ("check_save_pre_patch_done(self)", "wait until the servers have saved"),
            ("load_model(self, path, mode)", "load the parameters of the servers"),
            ("load_inference_model(self, path, mode)", "load the tables of a program that was saved for inference"),
            ("load_one_table(self, table_id, path, mode)", "load one table"),
            ("print_table_stat(self, table_id, pass_id, threshold)", "log the size of one table"),
            ("set_date(self, table_id, day_id)", "set the day of one table"),
            ("shrink(self, threshold=None)", "drop the rows that are used least"),
        )
    ),
}
# How an error names what belongs to an owner, where that is not the bare name.
_SHOWN = {"paddle.nn.Layer": "Layer.", "paddle.distributed.fleet.Fleet": "fleet."}


def _name(row):
    return row[0].removeprefix("class ").partition("(")[0]


def error(owner, name):
    """The error for a name of the table.

    Args:
        owner: The module or class that has the name.
        name: The name.
    """
    _, kind, what, advice, _ = next(row for row in _ROWS[owner] if _name(row) == name)
    return kind(f"{_SHOWN.get(owner, '')}{name}: paddle has no {what}{advice and '; '}{advice}.")


def _call(owner, row, first=""):
    """A function that takes the arguments of a row and raises its error; `first` stands before them."""
    name = _name(row)
    # The signature is that of a function which the text of the table makes.
    form = eval(f"lambda {first}{row[0].partition('(')[2][:-1]}: None", {})
    form.__name__ = form.__qualname__ = name

    @functools.wraps(form)
    def call(*args, **kwargs):
        form(*args, **kwargs)
        raise error(owner, name)

    return call


def _function(owner, module, row):
    call = _call(owner, row)
    call.__module__ = module
    call.__doc__ = f"{row[1].__name__} in a build without {row[2]}: {row[4]}."
    return call


def _class(owner, module, row):
    doc = f"{row[4][0].upper()}{row[4][1:]}.\n\n    Raises:\n        {row[1].__name__}: Paddle has no {row[2]}.\n    "
    members = {"__init__": _call(owner, row, "self, "), "__module__": module, "__doc__": doc}
    return type(_name(row), (), members)


def names_of(owner, module=None):
    """The functions and classes of an owner, by name.

    Args:
        owner: A module or a class.
        module: The module that they belong to; None: the owner.
    """
    return {
        _name(row): (_class if row[0].startswith("class ") else _function)(owner, module or owner, row)
        for row in _ROWS[owner]
    }
