# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Switches of `Config` for engines and devices that paddle does not have.

They are accepted, so that programs run, and warn once where they would change something.
"""

import warnings

from .kinds import PrecisionType

NO_TENSORRT = "paddle has no TensorRT"
NO_IPU = "paddle has no IPU support"
_warned = set()
_ANY_SHAPE = {}


def no_effect(name, why):
    """Warns once that a switch changes nothing."""
    if name not in _warned:
        _warned.add(name)
        warnings.warn(f"Config.{name}: {why}; the model runs on the CPU as before.", stacklevel=3)


class OtherEngines:
    """The part of `Config` that asks for other engines and devices."""

    def enable_use_gpu(self, memory_pool_init_size_mb, device_id=0, precision_mode=PrecisionType.Float32):
        """Run on a GPU."""
        no_effect("enable_use_gpu", "paddle has no GPU support")

    def disable_gpu(self):
        """Run on the CPU."""

    def use_gpu(self):
        """False."""
        return False

    def gpu_device_id(self):
        """0."""
        return 0

    def memory_pool_init_size_mb(self):
        """0: there is no GPU memory pool."""
        return 0

    def fraction_of_gpu_memory_for_pool(self):
        """0: there is no GPU memory pool."""
        return 0.0

    def enable_xpu(
        self,
        l3_size=16777216,
        l3_locked=False,
        conv_autotune=False,
        conv_autotune_file="",
        transformer_encoder_precision="int16",
        transformer_encoder_adaptive_seqlen=False,
        enable_multi_stream=False,
    ):
        """Run on an XPU."""
        no_effect("enable_xpu", "paddle has no XPU support")

    def use_xpu(self):
        """False."""
        return False

    def enable_custom_device(self, device_type, device_id=0, precision=PrecisionType.Float32):
        """Run on a device of a plugin."""
        no_effect("enable_custom_device", f"device {device_type!r} is not registered")

    def enable_tensorrt_engine(
        self,
        workspace_size=1 << 30,
        max_batch_size=1,
        min_subgraph_size=3,
        precision_mode=PrecisionType.Float32,
        use_static=False,
        use_calib_mode=True,
        use_cuda_graph=False,
    ):
        """Run subgraphs in TensorRT."""
        no_effect("enable_tensorrt_engine", NO_TENSORRT)

    def tensorrt_engine_enabled(self):
        """False."""
        return False

    def enable_tensorrt_memory_optim(self, engine_memory_sharing=True, sharing_identifier=0):
        """Share memory between TensorRT engines."""
        no_effect("enable_tensorrt_memory_optim", NO_TENSORRT)

    def set_trt_dynamic_shape_info(
        self,
        min_input_shape=_ANY_SHAPE,
        max_input_shape=_ANY_SHAPE,
        optim_input_shape=_ANY_SHAPE,
        disable_trt_plugin_fp16=False,
    ):
        """Ranges of shapes for TensorRT; shapes may vary freely here."""

    def enable_tuned_tensorrt_dynamic_shape(self, shape_range_info_path="", allow_build_at_runtime=True):
        """Ranges of shapes for TensorRT, from a file; shapes may vary freely here."""

    def collect_shape_range_info(self, shape_range_info_path):
        """Write ranges of shapes for TensorRT."""
        no_effect("collect_shape_range_info", NO_TENSORRT)

    def exp_disable_tensorrt_ops(self, ops):
        """Operators that stay out of TensorRT."""

    def tensorrt_dynamic_shape_enabled(self):
        """False."""
        return False

    def tuned_tensorrt_dynamic_shape(self):
        """False."""
        return False

    def enable_onnxruntime(self):
        """Run in ONNX Runtime."""
        no_effect("enable_onnxruntime", "paddle does not carry ONNX Runtime")

    def disable_onnxruntime(self):
        """Run in this interpreter."""

    def onnxruntime_enabled(self):
        """False."""
        return False

    def set_tensorrt_optimization_level(self, level):
        """How long TensorRT searches."""
        no_effect("set_tensorrt_optimization_level", NO_TENSORRT)

    def tensorrt_optimization_level(self):
        """3, its default."""
        return 3

    def tensorrt_precision_mode(self):
        """Float32."""
        return PrecisionType.Float32

    def enable_tensorrt_dla(self, dla_core=0):
        """Run subgraphs on an accelerator of TensorRT."""
        no_effect("enable_tensorrt_dla", NO_TENSORRT)

    def tensorrt_dla_enabled(self):
        """False."""
        return False

    def enable_tensorrt_inspector(self, inspector_serialize=False):
        """Describe TensorRT engines."""
        no_effect("enable_tensorrt_inspector", NO_TENSORRT)

    def tensorrt_inspector_enabled(self):
        """False."""
        return False

    def enable_tensorrt_explicit_quantization(self):
        """Quantise as the model says, in TensorRT."""
        no_effect("enable_tensorrt_explicit_quantization", NO_TENSORRT)

    def tensorrt_explicit_quantization_enabled(self):
        """False."""
        return False

    def enable_tensorrt_varseqlen(self):
        """Sequences of different lengths in TensorRT; shapes may vary freely here."""

    def tensorrt_varseqlen_enabled(self):
        """False."""
        return False

    def trt_allow_build_at_runtime(self):
        """False."""
        return False

    def shape_range_info_collected(self):
        """False."""
        return False

    def shape_range_info_path(self):
        """ "": no ranges are collected."""
        return ""

    def mark_trt_engine_outputs(self, output_tensor_names=[]):
        """Values that stay outputs of TensorRT engines."""
        no_effect("mark_trt_engine_outputs", NO_TENSORRT)

    def exp_disable_tensorrt_subgraph(self, var_name_not_trt):
        """Values whose operators stay out of TensorRT."""

    def exp_disable_tensorrt_dynamic_shape_ops(self, disable):
        """Keep operators of varying shapes out of TensorRT."""

    def exp_specify_tensorrt_subgraph_precision(self, half, bfloat16, int8):
        """Precision of subgraphs in TensorRT."""
        no_effect("exp_specify_tensorrt_subgraph_precision", NO_TENSORRT)

    def exp_disable_mixed_precision_ops(self, op_list):
        """Operators that stay in float32 on a GPU."""

    def exp_enable_mixed_precision_ops(self, op_list):
        """Operators that leave float32 on a GPU."""

    def exp_enable_use_cutlass(self):
        """Use CUTLASS."""
        no_effect("exp_enable_use_cutlass", "paddle has no GPU support")

    def exp_sparse_conv_using_buffer(self, kernels, strides):
        """Keep the neighbours of sparse convolutions on a GPU."""
        no_effect("exp_sparse_conv_using_buffer", "paddle has no GPU support")

    def enable_ort_optimization(self):
        """Let ONNX Runtime optimise."""
        no_effect("enable_ort_optimization", "paddle does not carry ONNX Runtime")

    def enable_openvino_engine(self, inference_precision=PrecisionType.Float32):
        """Run in OpenVINO."""
        no_effect("enable_openvino_engine", "paddle does not carry OpenVINO")

    def openvino_engine_enabled(self):
        """False."""
        return False

    def enable_ipu(self, ipu_device_num=1, ipu_micro_batch_size=1, ipu_enable_pipelining=False, ipu_batches_per_step=1):
        """Run on an IPU."""
        no_effect("enable_ipu", NO_IPU)

    def set_ipu_config(
        self,
        ipu_enable_fp16=False,
        ipu_replica_num=1,
        ipu_available_memory_proportion=1.0,
        ipu_enable_half_partial=False,
        ipu_enable_model_runtime_executor=False,
    ):
        """How to run on an IPU."""
        no_effect("set_ipu_config", NO_IPU)

    def set_ipu_custom_info(self, ipu_custom_ops_info=[], ipu_custom_patterns={}):
        """Operators of an IPU."""
        no_effect("set_ipu_custom_info", NO_IPU)

    def load_ipu_config(self, config_path):
        """How to run on an IPU, from a file."""
        no_effect("load_ipu_config", NO_IPU)

    def set_xpu_config(self, config):
        """How to run on an XPU."""
        self._xpu_config = config
        no_effect("set_xpu_config", "paddle has no XPU support")

    def xpu_config(self):
        """The XpuConfig: that of `set_xpu_config`, or one with the settings at first."""
        from .xpu_config import XpuConfig

        return self.__dict__.get("_xpu_config") or XpuConfig()

    def set_xpu_device_id(self, device_id=0):
        """Which XPU."""
        no_effect("set_xpu_device_id", "paddle has no XPU support")

    def xpu_device_id(self):
        """0."""
        return 0
