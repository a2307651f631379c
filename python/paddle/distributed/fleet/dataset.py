# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Datasets in text files, for `Executor.train_from_dataset`.

Every line is an example: for each variable in turn the number of its values, then the values. A shell command may
stand between the files and the reader.
"""

import math
import shlex
import subprocess
import threading
import warnings

_TYPES = {"float32": "float", "int64": "uint64"}
_NO_VARIABLES = []


def _whole(text):
    """A 64-bit number; one beyond the signed ones, such as a hash, has the same bits."""
    number = int(text)
    return number - (1 << 64) if number >> 63 == 1 else number


class _Slot:
    """What a variable takes from each line."""

    def __init__(self, variable):
        self.name, self.kind = variable.name, variable.dtype.name
        if self.kind not in _TYPES:
            raise ValueError(f"dataset: variable {self.name!r} has dtype {self.kind}; datasets give float32 and int64.")
        shape = getattr(variable, "_declared", None)
        self.shape = [n if isinstance(n, int) else -1 for n in (variable.shape if shape is None else shape)]
        self.is_dense = not getattr(variable, "lod_level", 0)
        self._count = None if not self.is_dense or -1 in self.shape[1:] else math.prod(self.shape[1:])

    def taken(self, words, at):
        """The values at a position of a line, and the position behind them."""
        count = int(words[at]) if at < len(words) else 0
        values = words[at + 1 : at + 1 + count]
        if count <= 0 or len(values) != count:
            raise ValueError(f"dataset: variable {self.name!r} needs a positive count and as many values.")
        if self._count not in (None, count):
            raise ValueError(
                f"dataset: variable {self.name!r} has {count} values; its shape {self.shape} takes {self._count}."
            )
        return [*map(float if self.kind == "float32" else _whole, values)], at + 1 + count

    def batch(self, examples):
        """The values of several examples as one array, or rows of sequences of their own lengths."""
        import numpy

        rest = self.shape[1:]
        if self.is_dense:
            return numpy.array(examples, self.kind).reshape([len(examples), *rest])
        from ...static.scope import DenseTensor

        made, width = DenseTensor(), math.prod(n for n in rest if n > 0)
        made.set(numpy.concatenate([numpy.array(e, self.kind) for e in examples]).reshape([-1, *rest]))
        made.set_recursive_sequence_lengths([[len(e) // width for e in examples]])
        return made


class DatasetBase:
    """Examples in files; a subclass reads them while it trains, or before."""

    _feed = ""

    def __init__(self):
        self.thread_num, self.filelist, self.queue_num = 1, [], None
        self._batch_size, self._slots, self._pipe, self._download, self._input_type = 1, [], "cat", "cat", None

    def init(
        self,
        batch_size=1,
        thread_num=1,
        use_var=_NO_VARIABLES,
        pipe_command="cat",
        input_type=0,
        fs_name="",
        fs_ugi="",
        download_cmd="cat",
    ):
        """How to read.

        Args:
            batch_size: Examples of a batch; the last one may have fewer.
            thread_num: Kept in `thread_num`; files are read one after another.
            use_var: The variables that the values of a line are for, in order: of float32 or int64, with the number of
                values that their shapes take, or with any number where lod_level is 1.
            pipe_command: A shell command that gets a file and gives its lines.
            input_type: Kept for the description.
            fs_name, fs_ugi: A distributed file system; must be empty.
            download_cmd: A shell command that gets the name of a file and gives its contents.

        Raises:
            ValueError: A variable has another dtype.
            NotImplementedError: fs_name is given.
        """
        if fs_name:
            raise NotImplementedError(
                f"dataset: fs_name is {fs_name!r}; files come from the local file system or from download_cmd."
            )
        self._batch_size, self.thread_num, self._pipe = int(batch_size), thread_num, pipe_command
        if self._batch_size < 1:
            raise ValueError(f"dataset: batch_size has value {batch_size}; it must be positive.")
        self._slots, self._input_type, self._download = [_Slot(v) for v in use_var], input_type, download_cmd

    def set_filelist(self, filelist):
        """The files, as a list of paths."""
        if not isinstance(filelist, (list, tuple)):
            raise TypeError(f"set_filelist: filelist has type {type(filelist).__name__}; pass a list of paths.")
        self.filelist = list(filelist)

    def _lines(self, path):
        with open(path, "rb") as file:
            if self._pipe == self._download == "cat":
                yield from file
                return
            command = self._pipe
            if self._download != "cat":
                command = f"{self._download} {shlex.quote(str(path))} | {command}"
            with subprocess.Popen(command, shell=True, stdin=file, stdout=subprocess.PIPE) as process:
                yield from process.stdout
        if process.returncode:
            raise RuntimeError(f"dataset: {command!r} ended with {process.returncode} on {path}.")

    def _examples(self):
        """Lists of values, one a variable, line after line."""
        for path in self.filelist:
            for number, line in enumerate(self._lines(path), 1):
                words, at, example = line.split(), 0, []
                try:
                    for slot in self._slots:
                        values, at = slot.taken(words, at)
                        example.append(values)
                except ValueError as error:
                    raise ValueError(f"dataset: line {number} of {path}: {error}.") from None
                if words:
                    yield example

    def __iter__(self):
        """Feeds of batches: arrays by the names of the variables."""
        waiting = []
        for example in self._examples():
            waiting.append(example)
            if len(waiting) == self._batch_size:
                yield self._fed(waiting)
                waiting = []
        if waiting:
            yield self._fed(waiting)

    def _fed(self, examples):
        return {slot.name: slot.batch([e[i] for e in examples]) for i, slot in enumerate(self._slots)}

    def _desc(self):
        """The settings as the text of a description."""
        text = (
            f'name: "{self._feed}"\n' if self._feed else ""
        ) + f"batch_size: {self._batch_size}\nmulti_slot_desc {{\n"
        for slot in self._slots:
            text += f'  slots {{\n    name: "{slot.name}"\n    type: "{_TYPES[slot.kind]}"\n'
            text += f"    is_dense: {str(slot.is_dense).lower()}\n    is_used: true\n"
            text += "".join(f"    shape: {n}\n" for n in slot.shape if slot.is_dense) + "  }\n"
        return text + f'}}\npipe_command: "{self._pipe}"\ninput_type: {self._input_type or 0}\n'


_COMMON = ("batch_size", "thread_num", "use_var", "input_type", "fs_name", "fs_ugi", "pipe_command", "download_cmd")
# What only jobs with parameter servers have a use for.
_OF_JOBS = (
    "merge_size",
    "parse_ins_id",
    "parse_content",
    "fleet_send_batch_size",
    "fleet_send_sleep_seconds",
    "fea_eval",
    "candidate_size",
    "data_feed_type",
    "queue_num",
)


class QueueDataset(DatasetBase):
    """Examples that are read from the files while a program trains.

    Example:
        >>> import os, tempfile
        >>> import paddle
        >>> paddle.enable_static()
        >>> path = os.path.join(tempfile.mkdtemp(), "part-0")
        >>> with open(path, "w") as file:
        ...     written = file.write("2 0.5 1.5 1 0" + chr(10) + "2 2.5 3.5 1 1" + chr(10))
        >>> x = paddle.static.data("x", [None, 2])
        >>> label = paddle.static.data("label", [None, 1], "int64")
        >>> dataset = paddle.distributed.QueueDataset()
        >>> dataset.init(batch_size=2, use_var=[x, label])
        >>> dataset.set_filelist([path])
        >>> [feed["label"].tolist() for feed in dataset]
        [[[0], [1]]]
        >>> paddle.disable_static()
    """

    _feed = "MultiSlotDataFeed"

    def init(self, **kwargs):
        """How to read; see `DatasetBase.init`."""
        super().init(**kwargs)


class FileInstantDataset(QueueDataset):
    """A QueueDataset that reads a file at the moment its first example is needed, as every one here does."""

    _feed = "MultiSlotFileInstantDataFeed"


class InMemoryDataset(DatasetBase):
    """Examples that are read into memory before, where they can be shuffled."""

    _feed = "MultiSlotInMemoryDataFeed"

    def __init__(self):
        super().__init__()
        self._held, self._shuffled, self._loader, self._settings = None, 0, None, {}

    def init(self, **kwargs):
        """How to read.

        Args:
            kwargs: Those of `DatasetBase.init`, and queue_num and data_feed_type, which are kept.
        """
        self._remember(kwargs)
        super().init(**{name: value for name, value in kwargs.items() if name in _COMMON})

    def _init_distributed_settings(self, **kwargs):
        self._remember(kwargs)

    def _remember(self, given):
        unknown = sorted(set(given) - {*_COMMON, *_OF_JOBS})
        if unknown:
            warnings.warn(f"InMemoryDataset: settings {unknown} are not known and change nothing.", stacklevel=3)
        self._settings.update({name: value for name, value in given.items() if name in _OF_JOBS})
        self.queue_num = self._settings.get("queue_num", self.queue_num)

    def update_settings(self, **kwargs):
        """Change settings of `init`; the others stay."""
        self._remember(kwargs)
        known = {"batch_size": self._batch_size, "thread_num": self.thread_num, "pipe_command": self._pipe}
        known |= {"input_type": self._input_type, "download_cmd": self._download}
        slots = self._slots
        super().init(**known | {name: value for name, value in kwargs.items() if name in _COMMON})
        if "use_var" not in kwargs:
            self._slots = slots

    # -- memory ----------------------------------------------------------------------------------
    def load_into_memory(self, is_shuffle=False):
        """Read all files.

        Args:
            is_shuffle: Whether to shuffle then.
        """
        self._held = list(self._examples())
        if is_shuffle:
            self.local_shuffle()

    def preload_into_memory(self, thread_num=None):
        """Begin to read all files beside the program; `wait_preload_done` waits for the end."""
        self.wait_preload_done()
        if thread_num is not None:
            self.thread_num = thread_num
        self._failure = None
        self._loader = threading.Thread(target=self._preload, daemon=True)
        self._loader.start()

    def _preload(self):
        try:
            self.load_into_memory()
        except Exception as error:
            self._failure = error

    def wait_preload_done(self):
        """Wait until the files are read.

        Raises:
            Exception: What reading them raised.
        """
        if self._loader is not None:
            self._loader.join()
            self._loader = None
            if self._failure is not None:
                raise self._failure

    def release_memory(self):
        """Forget the examples."""
        self.wait_preload_done()
        self._held, self._shuffled = None, 0

    def get_memory_data_size(self, fleet=None):
        """Number of examples in memory, over the workers of `fleet`, of which there is one."""
        self.wait_preload_done()
        return len(self._held or ())

    def get_shuffle_data_size(self, fleet=None):
        """Number of examples that `global_shuffle` shuffled."""
        return self._shuffled

    # -- order -----------------------------------------------------------------------------------
    @staticmethod
    def _order(count):
        from ...framework.modes import eager_region
        from ...tensor import randperm

        with eager_region():
            return randperm(count).tolist() if count else []

    def _loaded(self, operation):
        self.wait_preload_done()
        if self._held is None:
            raise RuntimeError(f"InMemoryDataset.{operation}: nothing is in memory; call load_into_memory() first.")
        return self._held

    def local_shuffle(self):
        """Shuffle the examples; the order follows from `paddle.seed`."""
        held = self._loaded("local_shuffle")
        self._held = [held[i] for i in self._order(len(held))]

    def global_shuffle(self, fleet=None, thread_num=12):
        """Shuffle the examples of all workers, of which there is one."""
        self.local_shuffle()
        self._shuffled = len(self._held)

    def slots_shuffle(self, slots):
        """Shuffle the values of some variables among the examples, to see how much a model needs them.

        Args:
            slots: Names of the variables, as a list.

        Raises:
            ValueError: A variable has another name.
        """
        held = self._loaded("slots_shuffle")
        names = [slot.name for slot in self._slots]
        for name in slots:
            if name not in names:
                raise ValueError(f"slots_shuffle: there is no variable {name!r}; there are {names}.")
            at = names.index(name)
            values = [held[i][at] for i in self._order(len(held))]
            for example, value in zip(held, values, strict=True):
                example[at] = value

    def set_date(self, date):
        """Keep the day, such as '20260131', that the examples are of.

        Raises:
            ValueError: It is no day.
        """
        import datetime

        self._date = datetime.datetime.strptime(str(date), "%Y%m%d").date()

    def __iter__(self):
        """Feeds of batches of the examples in memory."""
        held, size = self._loaded("__iter__"), self._batch_size
        return (self._fed(held[i : i + size]) for i in range(0, len(held), size))
