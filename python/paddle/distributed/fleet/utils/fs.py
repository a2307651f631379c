# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The local file system behind the interface that fleet uses for files."""

import os
import shutil


class ExecuteError(Exception):
    """A command of a file system failed."""


class FSFileExistsError(FileExistsError):
    """There is something at a path already."""


class FSFileNotExistsError(FileNotFoundError):
    """There is nothing at a path."""


class FSTimeOut(Exception):
    """A command of a file system took too long."""


class LocalFS:
    """Files of this machine."""

    def ls_dir(self, fs_path):
        """Names of folders and of files in a folder."""
        if not self.is_exist(fs_path):
            return [], []
        names = sorted(os.listdir(fs_path))
        return (
            [n for n in names if os.path.isdir(os.path.join(fs_path, n))],
            [n for n in names if not os.path.isdir(os.path.join(fs_path, n))],
        )

    def list_dirs(self, fs_path):
        """Names of folders in a folder."""
        return self.ls_dir(fs_path)[0]

    def is_file(self, fs_path):
        """Whether the path is a file."""
        return os.path.isfile(fs_path)

    def is_dir(self, fs_path):
        """Whether the path is a folder."""
        return os.path.isdir(fs_path)

    def is_exist(self, fs_path):
        """Whether the path exists."""
        return os.path.exists(fs_path)

    def mkdirs(self, fs_path):
        """Make a folder and its parents."""
        if os.path.isfile(fs_path):
            raise FSFileExistsError(f"mkdirs: {fs_path} is a file.")
        os.makedirs(fs_path, exist_ok=True)

    def rename(self, fs_src_path, fs_dst_path):
        """Rename a file or folder."""
        os.rename(fs_src_path, fs_dst_path)

    def mv(self, src_path, dst_path, overwrite=False, test_exists=False):
        """Move a file or folder."""
        if not self.is_exist(src_path):
            raise FSFileNotExistsError(f"mv: {src_path} does not exist.")
        if self.is_exist(dst_path):
            if not overwrite:
                raise FSFileExistsError(f"mv: {dst_path} exists; pass overwrite=True.")
            self.delete(dst_path)
        self.rename(src_path, dst_path)

    def delete(self, fs_path):
        """Delete a file or folder, if it exists."""
        if os.path.isdir(fs_path) and not os.path.islink(fs_path):
            shutil.rmtree(fs_path)
        elif self.is_exist(fs_path):
            os.remove(fs_path)

    def touch(self, fs_path, exist_ok=True):
        """Make an empty file."""
        if self.is_exist(fs_path):
            if not exist_ok:
                raise FSFileExistsError(f"touch: {fs_path} exists.")
            return
        with open(fs_path, "a"):
            pass

    def cat(self, fs_path=None):
        """Text of a file."""
        with open(fs_path) as file:
            return file.read().rstrip("\n")

    def need_upload_download(self):
        """False: files are here."""
        return False

    def upload(self, local_path, fs_path):
        """NotImplementedError: files are here; `need_upload_download` says so."""
        raise NotImplementedError("LocalFS.upload: files are on this machine; copy them with shutil.")

    def upload_dir(self, local_dir, dest_dir):
        """NotImplementedError: files are here; `need_upload_download` says so."""
        raise NotImplementedError("LocalFS.upload_dir: files are on this machine; copy them with shutil.")

    def download(self, fs_path, local_path):
        """NotImplementedError: files are here; `need_upload_download` says so."""
        raise NotImplementedError("LocalFS.download: files are on this machine; copy them with shutil.")


def __getattr__(name):
    if name == "HDFSClient":
        from .hdfs import HDFSClient

        return HDFSClient
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
