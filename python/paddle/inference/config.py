# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Config`: which model to load, and how to run it.

Switches that mean something on paddle act; those of other engines and devices are remembered
and warn once.
"""

import os

from .. import _core
from .kinds import PrecisionType
from .other_engines import OtherEngines, no_effect


class PassBuilder:
    """The passes that a program goes through when it is loaded."""

    def __init__(self, native):
        self._native = native

    def all_passes(self):
        """Names of the passes, in order."""
        return self._native.all_passes()

    def delete_pass(self, name):
        """Leave a pass out; unknown names are ignored."""
        self._native.delete_pass(name)

    def append_pass(self, name):
        """Add a pass at the end."""
        self.insert_pass(len(self.all_passes()), name)

    def insert_pass(self, idx, name):
        """Add a pass at position `idx`."""
        if idx < 0:
            raise IndexError(f"insert_pass: idx has value {idx}; it must not be negative.")
        self._native.insert_pass(idx, name)

    def set_passes(self, passes):
        """Run these passes. Those that paddle does not have are ignored, with a warning, when the model loads."""
        self._native.set_passes(list(passes))

    def analysis_passes(self):
        """Empty: there is one list, `all_passes`."""
        return []

    def turn_on_debug(self):
        """Print the program after each pass that changes it."""
        self._native.switch_ir_debug(True)

    def debug_string(self):
        """Names of the passes, one a line."""
        return "".join(f"  - {name}\n" for name in self.all_passes())


class Config(OtherEngines):
    """Which model to load and how to run it; `create_predictor` reads it.

    Switches of paddle act. Those of engines and devices that it does not have (TensorRT, XPU, GPU memory) are kept,
    so that their getters answer, and warn once.

    Args:
        args: A folder with one model; a program file (`.json` or `.pdmodel`) and its parameter file (`.pdiparams`); a
            folder and the name that its two files share; or nothing, and `set_model` follows.

    Raises:
        TypeError: There are more than two arguments.

    Files are read when the predictor is made; `create_predictor` raises ValueError when they are not there or damaged.

    Example:
        >>> paddle.jit.save(paddle.nn.Linear(4, 2), "net", [paddle.static.InputSpec([None, 4])])
        >>> config = paddle.inference.Config("net.json", "net.pdiparams")
        >>> config.set_cpu_math_library_num_threads(1)
        >>> predictor = paddle.inference.create_predictor(config)
        >>> handle = predictor.get_input_handle(predictor.get_input_names()[0])
        >>> handle.copy_from_cpu(paddle.ones([3, 4]).numpy())
        >>> predictor.run()
        True
        >>> predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu().shape
        (3, 2)
    """

    Precision = PrecisionType
    Float32 = PrecisionType.Float32
    Half = PrecisionType.Half
    Int8 = PrecisionType.Int8
    Bfloat16 = PrecisionType.Bfloat16

    def __init__(self, *args):
        if len(args) > 2:
            raise TypeError(f"Config: {len(args)} arguments; pass none, a folder, or a program and a parameter file.")
        self._native = _core.inference.Config()
        self._low_precision_io = False
        if args:
            self.set_model(*args)

    # -- the model -------------------------------------------------------------------------------
    def set_model(self, *paths):
        """Say which model to load.

        Args:
            paths: A folder with one model; a program file and a parameter file; or a folder and the name that its two files
                share.

        Example:
            >>> config = paddle.inference.Config()
            >>> config.set_model("net.json", "net.pdiparams")
            >>> config.prog_file()
            'net.json'
        """
        if len(paths) == 1:
            self._native.set_model_dir(os.fspath(paths[0]))
        else:
            self._native.set_model(*(os.fspath(path) for path in paths))

    def set_prog_file(self, path):
        """Path of the program file."""
        self._native.set_prog_file(os.fspath(path))

    def set_params_file(self, path):
        """Path of the parameter file."""
        self._native.set_params_file(os.fspath(path))

    def set_model_buffer(self, prog_buffer, prog_buffer_size, params_buffer, params_buffer_size):
        """Give the contents of both files instead of their paths.

        Args:
            prog_buffer: The program, bytes (or a str of one character a byte).
            prog_buffer_size: How many of them count.
            params_buffer: The parameters, bytes.
            params_buffer_size: How many of them count.

        Example:
            >>> paddle.jit.save(paddle.nn.ReLU(), "relu", [paddle.static.InputSpec([None])])
            >>> program = open("relu.json", "rb").read()
            >>> config = paddle.inference.Config()
            >>> config.set_model_buffer(program, len(program), b"", 0)
            >>> config.model_from_memory()
            True
        """
        parts = prog_buffer[:prog_buffer_size], params_buffer[:params_buffer_size]
        self._native.set_model_buffer(*(p if isinstance(p, bytes) else p.encode("latin-1") for p in parts))

    def model_from_memory(self):
        """Whether `set_model_buffer` gave the model."""
        return self._native.model_from_memory()

    def model_dir(self):
        """The folder."""
        return self._native.model_dir()

    def prog_file(self):
        """The program file."""
        return self._native.prog_file()

    def params_file(self):
        """The parameter file."""
        return self._native.params_file()

    def files(self):
        """Paths of the program and of the parameters (empty: none).

        Raises:
            ValueError: There is no model, or the folder has none or several.
        """
        return self._native.files()

    # -- how to run it ---------------------------------------------------------------------------
    def set_cpu_math_library_num_threads(self, cpu_math_library_num_threads):
        """Bound the threads of each operator.

        Args:
            cpu_math_library_num_threads: A positive int; without this call as many as the process may use.

        Raises:
            ValueError: It is not positive.
        """
        self._native.set_cpu_math_library_num_threads(cpu_math_library_num_threads)

    def cpu_math_library_num_threads(self):
        """Threads per operator."""
        return self._native.cpu_math_library_num_threads()

    def switch_ir_optim(self, x=True):
        """Say whether the program is optimised when it is loaded; it is unless this says no.

        Args:
            x: False: operators run as the file holds them, one by one, which is slower and easier to look into.

        Example:
            >>> config = paddle.inference.Config()
            >>> config.switch_ir_optim(False)
            >>> config.ir_optim()
            False
        """
        self._native.switch_ir_optim(bool(x))

    def ir_optim(self):
        """Whether the program is optimised when it is loaded."""
        return self._native.ir_optim()

    def enable_memory_optim(self, x=True):
        """Reuse memory of values that are no longer needed; it always is."""
        self._native.enable_memory_optim(bool(x))

    def memory_optim_enabled(self):
        """What `enable_memory_optim` was given."""
        return self._native.memory_optim_enabled()

    def enable_mkldnn(self):
        """Use oneDNN; it is used wherever it is fastest."""
        self._native.enable_mkldnn()

    def disable_mkldnn(self):
        """Leave the choice of library to each operator, as it always is."""
        self._native.disable_mkldnn()

    def mkldnn_enabled(self):
        """What `enable_mkldnn` was given."""
        return self._native.mkldnn_enabled()

    enable_onednn, disable_onednn, onednn_enabled = enable_mkldnn, disable_mkldnn, mkldnn_enabled

    def set_mkldnn_cache_capacity(self, capacity=0):
        """Number of shapes whose primitives are kept; the cache bounds itself."""

    set_onednn_cache_capacity = set_mkldnn_cache_capacity

    def disable_mkldnn_fc_passes(self):
        """Leave the choice of library to each operator, as it always is."""

    disable_onednn_fc_passes = disable_mkldnn_fc_passes

    def set_mkldnn_op(self, op_list):
        """Operators that use oneDNN; each chooses by itself."""

    set_onednn_op = set_mkldnn_op

    def enable_mkldnn_bfloat16(self):
        """Compute convolutions and products with a weight in bfloat16, and store in it what runs between them.

        Norms, softmax, attention, inputs and outputs stay in float32; results move by about 2^-8 of their size. A processor
        without bfloat16 instructions warns once and stays in float32. `set_bfloat16_op` names the only operators that change.
        """
        if not self._native.enable_mkldnn_bfloat16():
            no_effect("enable_mkldnn_bfloat16", "this processor has no bfloat16 instructions")

    def mkldnn_bfloat16_enabled(self):
        """Whether the model runs in bfloat16."""
        return self._native.mkldnn_bfloat16_enabled()

    enable_onednn_bfloat16, onednn_bfloat16_enabled = enable_mkldnn_bfloat16, mkldnn_bfloat16_enabled

    def set_bfloat16_op(self, op_list):
        """The operators that run in bfloat16, such as {"conv2d", "matmul"}; without it, all that can."""
        self._native.set_bfloat16_op(set(op_list))

    def enable_cinn(self):
        """Generate kernels for what runs between library calls."""
        self._native.enable_cinn()

    def cinn_enabled(self):
        """Whether `enable_cinn` was called."""
        return self._native.cinn_enabled()

    def enable_mkldnn_int8(self, mkldnn_int8_enabled_op_types=set()):
        """Run quantised."""
        no_effect("enable_mkldnn_int8", "models run in the precision in which they were saved")

    def enable_onednn_int8(self, onednn_int8_enabled_op_types=set()):
        """Run quantised."""
        no_effect("enable_onednn_int8", "models run in the precision in which they were saved")

    def mkldnn_int8_enabled(self):
        """False."""
        return False

    onednn_int8_enabled = mkldnn_int8_enabled

    def enable_new_executor(self, x=True):
        """Use the interpreter; there is no other."""

    def enable_new_ir(self, x=True):
        """Use PIR; there is no other."""
        self._native.enable_new_ir(bool(x))

    def new_ir_enabled(self):
        """What `enable_new_ir` was given."""
        return self._native.new_ir_enabled()

    def disable_glog_info(self):
        """Log nothing; nothing is logged anyway."""
        self._native.disable_glog_info()

    def glog_info_disabled(self):
        """Whether `disable_glog_info` was called."""
        return self._native.glog_info_disabled()

    def enable_profile(self):
        """Print a table of operator times when the predictor and its clones are gone."""
        self._native.enable_profile()

    def switch_use_feed_fetch_ops(self, x=True):
        """Accepted: inputs and outputs go through handles."""
        self._native.switch_use_feed_fetch_ops(bool(x))

    def use_feed_fetch_ops_enabled(self):
        """What `switch_use_feed_fetch_ops` was given."""
        return self._native.use_feed_fetch_ops_enabled()

    def switch_specify_input_names(self, x=True):
        """Accepted: inputs always have names."""
        self._native.switch_specify_input_names(bool(x))

    def specify_input_name(self):
        """What `switch_specify_input_names` was given."""
        return self._native.specify_input_name()

    def switch_ir_debug(self, x=True, passes=[]):
        """Print the program after each pass that changes it."""
        self._native.switch_ir_debug(bool(x))

    def set_optim_cache_dir(self, opt_cache_dir):
        """Folder for what optimisation keeps."""
        self._native.set_optim_cache_dir(os.fspath(opt_cache_dir))

    def enable_save_optim_model(self, save_optimized_model=False):
        """Keep the optimised program."""
        if save_optimized_model:
            no_effect("enable_save_optim_model", "optimised programs are not written")

    def use_optimized_model(self, x=True):
        """Load the program as one that is already optimised: without passes."""
        self._native.switch_ir_optim(not x)

    def set_optimization_level(self, opt_level=2):
        """Accepted: there is one level."""

    def enable_low_precision_io(self, x=True):
        """Take and give low-precision tensors."""
        self._low_precision_io = bool(x)

    def pass_builder(self):
        """The passes that the program goes through when it is loaded.

        Returns:
            A PassBuilder, which changes this Config.

        Example:
            >>> config = paddle.inference.Config()
            >>> passes = config.pass_builder()
            >>> first = passes.all_passes()[0]
            >>> passes.delete_pass(first)
            >>> first in passes.all_passes()
            False
        """
        return PassBuilder(self._native)

    def delete_pass(self, pass_name):
        """Leave a pass out.

        Args:
            pass_name: Its name, one of `pass_builder().all_passes()`; unknown names are ignored.
        """
        self._native.delete_pass(pass_name)

    def enable_custom_passes(self, passes=[], custom_pass_only=False):
        """Add passes of other libraries, of which paddle knows none.

        Args:
            passes: Their names.
            custom_pass_only: Unused.

        Raises:
            NotImplementedError: `passes` is not empty.
        """
        if passes:
            raise NotImplementedError(f"Config.enable_custom_passes: passes {list(passes)} are not known to paddle.")

    def summary(self):
        """The settings as a table.

        Returns:
            A text of several lines.
        """
        return self._native.summary()
