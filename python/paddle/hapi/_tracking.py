# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Callbacks that send losses and metrics to a service: VisualDL, Weights & Biases."""

from ._callback import Callback


class _Tracker(Callback):
    """Sends scalars of training (by step) and evaluation to a service."""

    def __init__(self):
        super().__init__()
        self.epochs = self.steps = None
        self.epoch = 0
        self._train_step = 0

    def _scalars(self, logs):
        import numpy

        names = self.params.get("metrics") or []
        for name in names:
            if logs and name in logs:
                yield name, float(numpy.asarray(logs[name], dtype="float64").reshape(-1)[0])

    def _write(self, tag, value, step):
        raise NotImplementedError

    def _close(self):
        """End the connection to the service."""

    def on_train_begin(self, logs=None):
        self.epochs = self.params.get("epochs")
        self._train_step = 0

    def on_epoch_begin(self, epoch=None, logs=None):
        self.steps = self.params.get("steps")
        self.epoch = epoch

    def on_train_batch_end(self, step, logs=None):
        self._train_step += 1
        for name, value in self._scalars(logs):
            self._write(f"train/{name}", value, self._train_step)

    def on_eval_begin(self, logs=None):
        pass

    def on_eval_end(self, logs=None):
        for name, value in self._scalars(logs):
            self._write(f"eval/{name}", value, self.epoch)

    def on_train_end(self, logs=None):
        self._close()


class VisualDL(_Tracker):
    """Writes losses and metrics for VisualDL.

    Args:
        log_dir: Folder of the log.

    Raises:
        ImportError: At the first value, when the package visualdl is not installed.
    """

    def __init__(self, log_dir):
        super().__init__()
        self.log_dir = log_dir
        self._writer = None

    def _write(self, tag, value, step):
        if self._writer is None:
            from ..utils import try_import

            visualdl = try_import("visualdl", "VisualDL: the package visualdl is not installed; pip install visualdl.")
            self._writer = visualdl.LogWriter(self.log_dir)
        self._writer.add_scalar(tag=tag, value=value, step=step)

    def _close(self):
        if self._writer is not None:
            self._writer.close()
            self._writer = None


class WandbCallback(_Tracker):
    """Sends losses and metrics to Weights & Biases.

    Args:
        project, entity, name, dir, mode, job_type, kwargs: Passed to `wandb.init`.

    Raises:
        ImportError: The package wandb is not installed.
    """

    def __init__(self, project=None, entity=None, name=None, dir=None, mode=None, job_type=None, **kwargs):
        super().__init__()
        from ..utils import try_import

        self.wandb = try_import("wandb", "WandbCallback: the package wandb is not installed; pip install wandb.")
        options = {
            "project": project, "name": name, "entity": entity, "dir": dir, "mode": mode, "job_type": job_type,
        }  # fmt: skip
        self.wandb_args = {**options, **kwargs}
        self._run = None

    @property
    def run(self):
        """The run of wandb, started on first use."""
        if self._run is None:
            self._run = self.wandb.run or self.wandb.init(**self.wandb_args)
        return self._run

    def _write(self, tag, value, step):
        self.run.log({tag: value})

    def _close(self):
        if self._run is not None:
            self._run.finish()
            self._run = None
