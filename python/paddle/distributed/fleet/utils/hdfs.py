# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of a Hadoop file system, through the command `hadoop fs`."""

import os
import subprocess

from .fs import ExecuteError, FSFileExistsError, FSFileNotExistsError, FSTimeOut


class HDFSClient:
    """A Hadoop file system, with the methods of `LocalFS`.

    Args:
        hadoop_home: Folder of the installation; its `bin/hadoop` is run.
        configs: Settings, such as {"fs.default.name": "hdfs://host:port", "hadoop.job.ugi": "user,password"}.
        time_out: Milliseconds that a command may take.
        sleep_inter: Accepted: a command that failed is not tried again.

    Example:
        >>> from paddle.distributed.fleet.utils import HDFSClient
        >>> client = HDFSClient("/opt/hadoop", {"fs.default.name": "hdfs://host:54310"})
        >>> client.need_upload_download()
        True
    """

    def __init__(self, hadoop_home, configs, time_out=5 * 60 * 1000, sleep_inter=1000):
        self._command = [os.path.join(hadoop_home, "bin", "hadoop"), "fs"]
        self._command += [f"-D{name}={value}" for name, value in (configs or {}).items()]
        self._seconds = time_out / 1000

    # -- commands --------------------------------------------------------------------------------
    def _run(self, *arguments):
        """(exit status, output) of a command."""
        try:
            ended = subprocess.run([*self._command, *arguments], capture_output=True, timeout=self._seconds)
        except FileNotFoundError:
            raise ExecuteError(f"HDFSClient: there is no {self._command[0]}; pass hadoop_home.") from None
        except subprocess.TimeoutExpired:
            raise FSTimeOut(f"HDFSClient: {' '.join(arguments)} took more than {self._seconds} s.") from None
        self._said = ended.stderr.decode(errors="replace").strip()
        return ended.returncode, ended.stdout.decode(errors="replace")

    def _done(self, *arguments):
        status, output = self._run(*arguments)
        if status:
            raise ExecuteError(f"HDFSClient: {' '.join(arguments)} ended with {status}: {self._said[-500:]}")
        return output

    def _holds(self, kind, path):
        return self._run("-test", kind, path)[0] == 0

    def _entries(self, path):
        """(whether it is a folder, its path, its size) of what is in a folder."""
        for line in self._done("-ls", path).splitlines():
            words = line.split(None, 7)
            if len(words) == 8:
                yield words[0].startswith("d"), words[7], int(words[4])

    # -- looking ---------------------------------------------------------------------------------
    def is_exist(self, fs_path):
        """Whether there is something at a path."""
        return self._holds("-e", fs_path)

    def is_dir(self, fs_path):
        """Whether it is a folder."""
        return self._holds("-d", fs_path)

    def is_file(self, fs_path):
        """Whether it is a file."""
        return self._holds("-f", fs_path)

    def ls_dir(self, fs_path):
        """Names of folders and of files in a folder; two empty lists where it is not there."""
        if not self.is_exist(fs_path):
            return [], []
        entries = [(is_dir, os.path.basename(path)) for is_dir, path, _ in self._entries(fs_path)]
        return [name for is_dir, name in entries if is_dir], [name for is_dir, name in entries if not is_dir]

    def list_dirs(self, fs_path):
        """Names of folders in a folder."""
        return self.ls_dir(fs_path)[0]

    def list_files_info(self, path_list):
        """{'path', 'size'} of each file in some paths, as a list."""
        made = []
        for path in path_list:
            made += [{"path": found, "size": size} for is_dir, found, size in self._entries(path) if not is_dir]
        return made

    def cat(self, fs_path=None):
        """Text of a file; "" where it is not there."""
        return self._done("-cat", fs_path).rstrip("\n") if self.is_file(fs_path) else ""

    def need_upload_download(self):
        """True: files are elsewhere."""
        return True

    # -- changing --------------------------------------------------------------------------------
    def mkdirs(self, fs_path):
        """Make a folder and its parents."""
        if not self.is_exist(fs_path):
            self._done("-mkdir", "-p", fs_path)

    def delete(self, fs_path):
        """Delete a file or folder, if it exists."""
        if self.is_exist(fs_path):
            self._done(*(("-rm", "-r") if self.is_dir(fs_path) else ("-rm",)), fs_path)

    def touch(self, fs_path, exist_ok=True):
        """Make an empty file."""
        if self.is_exist(fs_path):
            if not exist_ok:
                raise FSFileExistsError(f"HDFSClient.touch: {fs_path} exists.")
            return
        self._done("-touchz", fs_path)

    def mv(self, fs_src_path, fs_dst_path, overwrite=False, test_exists=True):
        """Move a file or folder.

        Args:
            fs_src_path, fs_dst_path: From and to.
            overwrite: Whether to delete what is at the new path.
            test_exists: Whether to look at both paths first.
        """
        if overwrite and self.is_exist(fs_dst_path):
            self.delete(fs_dst_path)
        if test_exists:
            if not self.is_exist(fs_src_path):
                raise FSFileNotExistsError(f"HDFSClient.mv: {fs_src_path} does not exist.")
            if self.is_exist(fs_dst_path):
                raise FSFileExistsError(f"HDFSClient.mv: {fs_dst_path} exists; pass overwrite=True.")
        self._done("-mv", fs_src_path, fs_dst_path)

    def rename(self, fs_src_path, fs_dst_path):
        """Rename a file or folder."""
        self.mv(fs_src_path, fs_dst_path)

    # -- copying ---------------------------------------------------------------------------------
    def upload(self, local_path, fs_path, multi_processes=5, overwrite=False):
        """Copy a file or folder of this machine into a folder.

        Args:
            local_path: The file or folder.
            fs_path: The folder.
            multi_processes: Number of copies at the same time.
            overwrite: Whether to replace files.
        """
        if not os.path.exists(local_path):
            raise FSFileNotExistsError(f"HDFSClient.upload: {local_path} does not exist.")
        flags = ("-f",) if overwrite else ()
        paths = [local_path]
        if os.path.isdir(local_path):
            fs_path = os.path.join(fs_path, os.path.basename(os.path.normpath(local_path)))
            paths = [os.path.join(local_path, name) for name in sorted(os.listdir(local_path))]
        self.mkdirs(fs_path)
        self._copy([("-put", *flags, path, fs_path) for path in paths], multi_processes)

    def upload_dir(self, local_dir, dest_dir, overwrite=False):
        """Copy a folder of this machine into a folder."""
        self.upload(local_dir, dest_dir, overwrite=overwrite)

    def download(self, fs_path, local_path, multi_processes=5, overwrite=False):
        """Copy a file, or what is in a folder, into a folder of this machine.

        Args:
            fs_path: The file or folder.
            local_path: The folder.
            multi_processes: Number of copies at the same time.
            overwrite: Whether to replace files.
        """
        if not self.is_exist(fs_path):
            raise FSFileNotExistsError(f"HDFSClient.download: {fs_path} does not exist.")
        paths = [fs_path] if self.is_file(fs_path) else [path for _, path, _ in self._entries(fs_path)]
        os.makedirs(local_path, exist_ok=True)
        flags = ("-f",) if overwrite else ()
        self._copy([("-get", *flags, path, local_path) for path in paths], multi_processes)

    def _copy(self, commands, count):
        import concurrent.futures

        with concurrent.futures.ThreadPoolExecutor(max(count, 1)) as pool:
            for done in [pool.submit(self._done, *command) for command in commands]:
                done.result()
