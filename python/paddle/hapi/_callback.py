# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The base of callbacks, and the list that calls each in turn."""


class Callback:
    """Base: methods that a Model calls at its events; all do nothing here.

    Attributes:
        model: The Model.
        params: Dict with batch_size, epochs, steps, verbose and metrics.
    """

    def __init__(self):
        self.model = None
        self.params = {}

    def set_params(self, params):
        """Set `params`."""
        self.params = params

    def set_model(self, model):
        """Set `model`."""
        self.model = model

    def on_train_begin(self, logs=None):
        """Before training."""

    def on_train_end(self, logs=None):
        """After training."""

    def on_eval_begin(self, logs=None):
        """Before evaluation."""

    def on_eval_end(self, logs=None):
        """After evaluation."""

    def on_predict_begin(self, logs=None):
        """Before prediction."""

    def on_predict_end(self, logs=None):
        """After prediction."""

    def on_epoch_begin(self, epoch, logs=None):
        """Before an epoch."""

    def on_epoch_end(self, epoch, logs=None):
        """After an epoch."""

    def on_train_batch_begin(self, step, logs=None):
        """Before a training batch."""

    def on_train_batch_end(self, step, logs=None):
        """After a training batch."""

    def on_eval_batch_begin(self, step, logs=None):
        """Before a batch of evaluation."""

    def on_eval_batch_end(self, step, logs=None):
        """After a batch of evaluation."""

    def on_predict_batch_begin(self, step, logs=None):
        """Before a batch of prediction."""

    def on_predict_batch_end(self, step, logs=None):
        """After a batch of prediction."""


class CallbackList:
    """Calls every callback in turn."""

    def __init__(self, callbacks=None):
        self.callbacks = list(callbacks or [])
        self.params = {}

    def append(self, callback):
        """Add a callback at the end."""
        self.callbacks.append(callback)

    def __iter__(self):
        return iter(self.callbacks)

    def set_params(self, params):
        """Set the params of all."""
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model):
        """Set the model of all."""
        for callback in self.callbacks:
            callback.set_model(model)

    def _call(self, event, *args):
        for callback in self.callbacks:
            getattr(callback, f"on_{event}")(*args)

    # Modes are "train", "eval" and "predict".
    def on_begin(self, mode, logs=None):
        """A loop begins."""
        self._call(f"{mode}_begin", logs)

    def on_end(self, mode, logs=None):
        """A loop has ended."""
        self._call(f"{mode}_end", logs)

    def on_epoch_begin(self, epoch=None, logs=None):
        """An epoch begins."""
        self._call("epoch_begin", epoch, logs)

    def on_epoch_end(self, epoch=None, logs=None):
        """An epoch has ended."""
        self._call("epoch_end", epoch, logs)

    def on_batch_begin(self, mode, step=None, logs=None):
        """A batch begins."""
        self._call(f"{mode}_batch_begin", step, logs)

    def on_batch_end(self, mode, step=None, logs=None):
        """A batch has ended."""
        self._call(f"{mode}_batch_end", step, logs)
