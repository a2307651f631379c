# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Datasets in files that are described one setting at a time, as programs for PaddlePaddle 1 do."""

from ..distributed.fleet import dataset as files


class DatasetBase(files.DatasetBase):
    """A dataset with a function for every setting of `paddle.distributed.QueueDataset.init`."""

    def _set(self, **changed):
        kept = {"batch_size": self._batch_size, "thread_num": self.thread_num, "pipe_command": self._pipe}
        slots = self._slots
        files.DatasetBase.init(self, **{**kept, "download_cmd": self._download, **changed})
        if "use_var" not in changed:
            self._slots = slots

    def set_batch_size(self, batch_size):
        """The examples of a batch."""
        self._set(batch_size=batch_size)

    def set_thread(self, thread_num):
        """Kept in `thread_num`; files are read one after another."""
        self._set(thread_num=thread_num)

    def set_pipe_command(self, pipe_command):
        """The shell command that gets a file and gives its lines."""
        self._set(pipe_command=pipe_command)

    def set_use_var(self, var_list):
        """The variables that the values of a line are for, in order."""
        self._set(use_var=var_list)

    def set_download_cmd(self, download_cmd):
        """The shell command that gets the name of a file and gives its contents."""
        self._set(download_cmd=download_cmd)

    def desc(self):
        """The description of the dataset as text."""
        return self._desc()


class QueueDataset(DatasetBase, files.QueueDataset):
    """Examples that are read from the files while a program trains."""


class InMemoryDataset(DatasetBase, files.InMemoryDataset):
    """Examples that are read into memory before, where they can be shuffled."""

    def set_queue_num(self, queue_num):
        """Kept in `queue_num`."""
        self.queue_num = queue_num


class DatasetFactory:
    """Makes datasets by name."""

    def create_dataset(self, datafeed_class="QueueDataset"):
        """A dataset without settings.

        Args:
            datafeed_class: 'QueueDataset' or 'InMemoryDataset'.

        Raises:
            ValueError: There is no dataset of that name.

        Example:
            >>> import paddle
            >>> dataset = paddle.base.DatasetFactory().create_dataset("InMemoryDataset")
            >>> dataset.set_batch_size(4)
            >>> type(dataset).__name__
            'InMemoryDataset'
        """
        kinds = {"QueueDataset": QueueDataset, "InMemoryDataset": InMemoryDataset}
        if datafeed_class not in kinds:
            raise ValueError(
                f"create_dataset: datafeed_class has value {datafeed_class!r}; it must be one of {', '.join(kinds)}."
            )
        return kinds[datafeed_class]()
