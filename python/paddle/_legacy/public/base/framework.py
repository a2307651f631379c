# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.base.framework`: modes, parameters and programs under their older path."""

import contextlib

from .. import _lazy

_FROM = {
    "CPUPlace": ("paddle", "CPUPlace"),
    "CUDAPlace": ("paddle.device", "CUDAPlace"),
    "EagerParamBase": ("paddle.framework.parameter", "EagerParamBase"),
    "Parameter": ("paddle.framework.parameter", "EagerParamBase"),
    "Block": ("paddle.static.program", "Block"),
    "Operator": ("paddle.static.program", "Operator"),
    "IrGraph": ("paddle._legacy.programs.ir_graph", "IrGraph"),
    "IrNode": ("paddle._legacy.programs.ir_graph", "IrNode"),
    "IrOpNode": ("paddle._legacy.programs.ir_graph", "IrOpNode"),
    "IrVarNode": ("paddle._legacy.programs.ir_graph", "IrVarNode"),
    "OpProtoHolder": ("paddle.base.op_proto", "OpProtoHolder"),
    "Variable": ("paddle.static.program", "Variable"),
    "_dygraph_tracer": ("paddle.framework", "_dygraph_tracer"),
    "_current_expected_place": ("paddle.framework", "_current_expected_place"),
    "convert_np_dtype_to_dtype_": ("paddle.framework.data_checks", "convert_np_dtype_to_dtype_"),
    "core": ("paddle.base.core", None),
    "_current_expected_place_": ("paddle.framework", "_current_expected_place"),
    "_set_dygraph_tracer_expected_place": ("paddle.base.framework", "_set_expected_place"),
    "_get_paddle_place": ("paddle.device", "_convert_to_place"),
    "convert_np_dtype_to_proto_type": ("paddle.framework.data_checks", "convert_np_dtype_to_dtype_"),
    "convert_to_proto_type": ("paddle.framework.data_checks", "convert_np_dtype_to_dtype_"),
    "get_all_op_protos": ("paddle.base.core", "get_all_op_protos"),
    "disable_signal_handler": ("paddle.base.core", "disable_signal_handler"),
    "_global_flags": ("paddle.base.core", "globals"),
    "in_pir_executor_mode": ("paddle.framework.modes", "in_pir_mode"),
    "_stride_in_no_check_dy2st_diff": ("contextlib", "nullcontext"),
    "cpu_places": ("paddle.static", "cpu_places"),
    "cuda_places": ("paddle.static", "cuda_places"),
    "device_guard": ("paddle.static", "device_guard"),
    "dygraph_only": ("paddle.framework.modes", "dygraph_only"),
    "non_static_only": ("paddle.framework.modes", "non_static_only"),
    "get_flags": ("paddle.framework.flags", "get_flags"),
    "in_dygraph_mode": ("paddle.framework.modes", "in_dynamic_mode"),
    "set_flags": ("paddle.framework.flags", "set_flags"),
    "require_version": ("paddle.utils", "require_version"),
    "static_only": ("paddle.framework.modes", "static_only"),
    "switch_main_program": ("paddle.static.program", "switch_main_program"),
    "switch_startup_program": ("paddle.static.program", "switch_startup_program"),
    "xpu_places": ("paddle.static", "xpu_places"),
    **{
        name: ("paddle.device", name)
        for name in (
            "CUDAPinnedPlace",
            "CustomPlace",
            "is_compiled_with_cinn",
            "is_compiled_with_cuda",
            "is_compiled_with_distribute",
            "is_compiled_with_rocm",
            "is_compiled_with_xpu",
        )
    },
    "unique_name": ("paddle.utils.unique_name", None),
    "use_pir_api": ("paddle.framework.modes", "use_pir_api"),
    "signature_safe_contextmanager": ("contextlib", "contextmanager"),
    "wrap_decorator": ("paddle.base.wrapped_decorator", "wrap_decorator"),
    "dygraph_not_support": ("paddle.framework.modes", "static_only"),
    "paddle_type_to_proto_type": ("paddle.pir.core", "datatype_to_vartype"),
    "convert_nptype_to_datatype_or_vartype": ("paddle.framework.data_checks", "convert_np_dtype_to_dtype_"),
    **{name: ("paddle.framework.modes", name) for name in ("in_dynamic_mode", "in_dynamic_or_pir_mode", "in_pir_mode")},
    **{
        name: ("paddle.static", name)
        for name in ("default_main_program", "default_startup_program", "program_guard", "name_scope")
    },
    "Program": ("paddle._legacy.programs.old_view", "OldProgram"),
}
__getattr__ = _lazy.attribute_hook(__name__, (), _FROM)

GRAD_VAR_SUFFIX, ZERO_VAR_SUFFIX = "@GRAD", "@ZERO"
EMPTY_VAR_NAME, TEMP_VAR_NAME, CONTROL_DEP_VAR_PREFIX = "@EMPTY@", "@TEMP@", "@CTRL_DEP"


def grad_var_name(var_name):
    """The name of the gradient of a variable: `var_name` with '@GRAD'."""
    return var_name + GRAD_VAR_SUFFIX


@contextlib.contextmanager
def flag_guard(flag_name, flag_value):
    """Inside, a flag has another value."""
    from ..framework.flags import get_flags, set_flags

    before = get_flags(flag_name)[flag_name]
    set_flags({flag_name: flag_value})
    try:
        yield
    finally:
        set_flags({flag_name: before})


@contextlib.contextmanager
def _dygraph_place_guard(place):
    """Inside, tensors are made on a place."""
    from .. import device

    before = device.get_device()
    _set_expected_place(place)
    try:
        yield
    finally:
        device.set_device(before)


def _set_expected_place(place):
    """Make tensors on a place from now on."""
    from ..device import set_device

    set_device("cpu" if "cpu" in str(place).lower() else place)


def _create_tensor(type=None, name=None, shape=None, dtype=None, persistable=None, **kwargs):
    """A tensor whose values a later call writes.

    Args:
        type: Kind of variable; a dense tensor.
        name: Name, or None for a generated one.
        shape: The shape; None for [].
        dtype: The dtype; None for the default one.
        persistable: Whether it is state of a program.
    """
    from ..tensor.creation import empty

    made = empty([] if shape is None else shape, dtype)
    if name is not None:
        made.name = name
    made.persistable = bool(persistable)
    return made


def canonicalize_attrs(attrs, op_proto):
    """Attributes in the types that an operator declares; those that it does not declare stay as they are.

    Args:
        attrs: Values by name.
        op_proto: The `OpProto` message of the operator.
    """
    from .._legacy.operators.descriptions import description_of
    from .._legacy.operators.slots.attributes import canonical_attributes

    known = description_of(op_proto.type)
    return dict(attrs) if known is None else {**attrs, **canonical_attributes(known, attrs)}


@contextlib.contextmanager
def _dygraph_guard(tracer):
    """Inside, calls run at once; None stands for static mode."""
    from ..framework import modes

    static = not modes.in_dynamic_mode()
    (modes.enable_static if tracer is None else modes.disable_static)()
    try:
        yield
    finally:
        (modes.enable_static if static else modes.disable_static)()


def dtype_is_floating(dtype):
    """Whether a dtype is one of floating-point numbers."""
    from ..framework.dtypes import convert

    return "float" in convert(dtype).name


def extract_plain_list(array):
    """The elements of an array as a list of numbers, without its shape."""
    return array.ravel().tolist()


def _get_paddle_place_list(places):
    """Places by their names; those that are places already stay."""
    from ..device import _convert_to_place

    return [_convert_to_place(place) if isinstance(place, str) else place for place in places]


def dtype_to_str(in_dtype):
    """The short name of a dtype: 'fp32' of float32."""
    from ..framework.dtypes import convert

    short = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64"}
    name = convert(in_dtype).name
    return short.get(name, name)
