# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`XpuConfig`: settings of XPU devices, to carry about; paddle has no such device, so nothing reads them."""


def _setting(name, kind, default):
    def get(self):
        return self.__dict__.get(name, list(default) if kind is list else default)

    def put(self, value):
        fits = isinstance(value, kind) if kind is not None else True
        if not fits and not (kind is float and isinstance(value, int)):
            raise TypeError(
                f"XpuConfig.{name}: {value!r} has type {type(value).__name__}; it must be a {kind.__name__}."
            )
        self.__dict__[name] = float(value) if kind is float else value

    return property(get, put, doc=f"A setting of the XPU; {default!r} at first.")


class XpuConfig:
    """Settings of an XPU; each is a property that checks its type.

    Example:
        >>> import paddle
        >>> config = paddle.inference.XpuConfig()
        >>> config.device_id = 1
        >>> config.device_id, config.l3_size
        (1, 0)
    """

    context = _setting("context", None, None)
    context_gm_size = _setting("context_gm_size", int, -1)
    conv_autotune_file = _setting("conv_autotune_file", str, "")
    conv_autotune_file_writeback = _setting("conv_autotune_file_writeback", bool, False)
    conv_autotune_level = _setting("conv_autotune_level", int, 0)
    device_id = _setting("device_id", int, 0)
    fc_autotune_file = _setting("fc_autotune_file", str, "")
    fc_autotune_file_writeback = _setting("fc_autotune_file_writeback", bool, False)
    fc_autotune_level = _setting("fc_autotune_level", int, 0)
    gemm_compute_precision = _setting("gemm_compute_precision", int, 1)
    l3_autotune_size = _setting("l3_autotune_size", int, 0)
    l3_ptr = _setting("l3_ptr", None, None)
    l3_size = _setting("l3_size", int, 0)
    quant_post_dynamic_activation_method = _setting("quant_post_dynamic_activation_method", int, 0)
    quant_post_dynamic_op_types = _setting("quant_post_dynamic_op_types", list, ())
    quant_post_dynamic_weight_precision = _setting("quant_post_dynamic_weight_precision", int, 1)
    quant_post_static_gelu_out_threshold = _setting("quant_post_static_gelu_out_threshold", float, 10.0)
    stream = _setting("stream", None, None)
    transformer_encoder_adaptive_seqlen = _setting("transformer_encoder_adaptive_seqlen", bool, True)
    transformer_softmax_optimize_level = _setting("transformer_softmax_optimize_level", int, 0)
