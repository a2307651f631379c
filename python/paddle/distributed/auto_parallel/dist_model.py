# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`DistModel`: a layer with loss and optimizer, whose step is a captured program; `to_static` makes one."""

from ... import _core
from ...framework.modes import no_grad

_MODES = ("train", "eval", "predict")


class DistModel:
    """A model that trains, evaluates or predicts batch by batch.

    Args:
        layer: The Layer; its parameters are trained in place.
        loader: The DataLoader that the batches come from, or None.
        loss: A Layer or function of outputs and labels.
        optimizer: The optimizer.
        strategy: A `paddle.distributed.Strategy`: `amp` and `gradient_merge` are read.
        metrics: Metrics; kept.
        input_spec: Two lists of InputSpecs, of the inputs and of the labels; the loader tells otherwise.

    Example:
        >>> import paddle
        >>> import paddle.distributed as dist
        >>> net = paddle.nn.Linear(2, 1)
        >>> optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        >>> model = dist.to_static(net, None, paddle.nn.MSELoss(), optimizer)
        >>> model.train()
        >>> x, y = paddle.ones([4, 2]), paddle.zeros([4, 1])
        >>> bool(model(x, y) > model(x, y))
        True
    """

    def __init__(self, layer, loader, loss=None, optimizer=None, strategy=None, metrics=None, input_spec=None):
        from ...jit import to_static

        self._layer, self._loss, self._optimizer, self._metrics = layer, loss, optimizer, metrics
        self._loader, self._strategy, self._input_spec = loader, strategy, input_spec
        self._mode, self._steps = None, 0
        self._outputs = to_static(lambda *inputs: layer(*inputs), full_graph=False)
        self._losses = to_static(lambda inputs, labels: loss(layer(*inputs), *labels), full_graph=False)

    # -- modes -----------------------------------------------------------------------------------
    def train(self):
        """From now on a call is a step of training.

        Raises:
            RuntimeError: There is no loss or no optimizer.
        """
        if self._loss is None or self._optimizer is None:
            raise RuntimeError("DistModel.train: there is no loss or no optimizer; pass both to to_static.")
        self._mode = "train"
        self._layer.train()

    def eval(self):
        """From now on a call gives the loss and changes nothing.

        Raises:
            RuntimeError: There is no loss.
        """
        if self._loss is None:
            raise RuntimeError("DistModel.eval: there is no loss; pass one to to_static.")
        self._mode = "eval"
        self._layer.eval()

    def predict(self):
        """From now on a call gives the outputs."""
        self._mode = "predict"
        self._layer.eval()

    def __call__(self, *args):
        """One batch.

        Args:
            args: Inputs, and behind them the labels where there is a loss: one, or as many as input_spec says.

        Returns:
            The loss as an array, or in the mode 'predict' a list of the outputs as arrays.

        Raises:
            ValueError: No mode is chosen yet.
        """
        if self._mode is None:
            raise ValueError("DistModel: call train(), eval() or predict() first.")
        args = [_core.to_tensor(a) if not isinstance(a, _core.Tensor) else a for a in args]
        if self._mode == "predict":
            with no_grad(), self._precision():
                found = self._outputs(*args)
            return [t.numpy() for t in (found if isinstance(found, (list, tuple)) else [found])]
        count = len(self._input_spec[0]) if self._input_spec else max(len(args) - 1, 1)
        if self._mode == "eval":
            with no_grad(), self._precision():
                return self._losses(args[:count], args[count:]).numpy()
        return self._step(args[:count], args[count:])

    def _precision(self):
        from ...amp import auto_cast

        amp = getattr(self._strategy, "amp", None)
        if amp is None or not amp.enable:
            return auto_cast(False)
        return auto_cast(True, amp.custom_white_list, amp.custom_black_list, amp.level.upper(), amp.dtype)

    def _step(self, inputs, labels):
        merge = getattr(self._strategy, "gradient_merge", None)
        every = merge.k_steps if merge is not None and merge.enable else 1
        with self._precision():
            loss = self._losses(inputs, labels)
        (loss / every if every > 1 and merge.avg else loss).backward()
        self._steps += 1
        if self._steps % every == 0:
            self._optimizer.step()
            self._optimizer.clear_grad()
        return loss.detach().numpy()

    # -- state -----------------------------------------------------------------------------------
    def state_dict(self, mode="all", split_fusion=True):
        """Tensors by name.

        Args:
            mode: 'param': of the layer; 'opt': of the optimizer; 'all': both.
            split_fusion: Accepted: parameters are not joined.

        Raises:
            ValueError: `mode` has another value.
        """
        if mode not in ("all", "param", "opt"):
            raise ValueError(f"DistModel.state_dict: mode has value {mode!r}; it must be 'all', 'param' or 'opt'.")
        state = {} if mode == "opt" else dict(self._layer.state_dict())
        if mode != "param" and self._optimizer is not None:
            kept = self._optimizer.state_dict()
            kept.pop("LR_Scheduler", None)
            masters = kept.pop("master_weights", {})
            state |= kept | {tensor.name: tensor for tensor in masters.values()}
        return state

    def set_state_dict(self, state_dict):
        """Take tensors from a dict as `state_dict` gives it."""
        own = self._layer.state_dict()
        self._layer.set_state_dict({name: value for name, value in state_dict.items() if name in own})
        rest = {name: value for name, value in state_dict.items() if name not in own}
        if rest and self._optimizer is not None:
            masters = self._optimizer._master_weights
            names = {tensor.name: name for name, tensor in masters.items()}
            rest["master_weights"] = {names[key]: rest.pop(key) for key in list(rest) if key in names}
            self._optimizer.set_state_dict(rest)


def to_static(layer, loader=None, loss=None, optimizer=None, strategy=None, input_spec=None):
    """A layer with loss and optimizer as a `DistModel`.

    Args:
        layer: The Layer.
        loader: The DataLoader that the batches come from.
        loss: A Layer or function of outputs and labels.
        optimizer: The optimizer.
        strategy: A `paddle.distributed.Strategy`.
        input_spec: Two lists of InputSpecs, of the inputs and of the labels.
    """
    return DistModel(layer, loader, loss, optimizer, strategy, None, input_spec)
