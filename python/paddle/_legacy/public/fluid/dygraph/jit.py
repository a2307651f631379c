# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions as programs, by the names of PaddlePaddle 1.8 and 2.0."""

from ...jit import load, not_to_static, save, set_code_level, set_verbosity, to_static
from ...jit.api import ProgramTranslator
from .. import absent

declarative = dygraph_to_static_func = to_static


class TracedLayer:
    """A layer as a program; `trace` makes it.

    Example:
        >>> import paddle
        >>> from paddle import fluid
        >>> layer = fluid.dygraph.Linear(2, 1)
        >>> out, traced = fluid.dygraph.TracedLayer.trace(layer, [paddle.ones([3, 2])])
        >>> out.shape, traced([paddle.ones([3, 2])])[0].shape
        (paddle.Size([3, 1]), paddle.Size([3, 1]))
    """

    def __init__(self, layer, inputs):
        from ...jit.spec import InputSpec

        self._layer = layer
        self._specs = [InputSpec([-1, *list(x.shape)[1:]], x.dtype, name=f"x{i}") for i, x in enumerate(inputs)]
        self._function = to_static(layer.forward, input_spec=self._specs)

    @staticmethod
    def trace(layer, inputs):
        """What a layer gives of a list of tensors, and the layer as a program."""
        inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        return layer(*inputs), TracedLayer(layer, inputs)

    def set_strategy(self, build_strategy=None, exec_strategy=None):
        """Nothing: the compiler decides for itself."""

    def __call__(self, inputs):
        made = self._function(*(inputs if isinstance(inputs, (list, tuple)) else [inputs]))
        return list(made) if isinstance(made, (list, tuple)) else [made]

    def save_inference_model(self, path, feed=None, fetch=None, **kwargs):
        """Write the program; see `paddle.jit.save`.

        Args:
            path: Path of the files without an ending.
            feed: Numbers of the inputs; None: all.
            fetch: Numbers of the outputs; None: all.

        Raises:
            NotImplementedError: `feed` or `fetch` is given.
        """
        if feed is not None or fetch is not None:
            raise NotImplementedError("TracedLayer.save_inference_model: feed and fetch are not available in paddle.")
        save(self._layer, path, input_spec=self._specs)


class SaveLoadConfig:
    """Settings of `save` and `load` of PaddlePaddle 1.8: `output_spec`, `model_filename`, `params_filename`, ..."""

    def __init__(self):
        self.output_spec = self.model_filename = self.params_filename = None
        self.separate_params = self.keep_name_table = False


def __getattr__(name):
    raise absent.error(__name__, name)


__all__ = [
    "ProgramTranslator",
    "SaveLoadConfig",
    "TracedLayer",
    "declarative",
    "dygraph_to_static_func",
    "load",
    "not_to_static",
    "save",
    "set_code_level",
    "set_verbosity",
]
