# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Files from URLs, here those of the local file system."""

import hashlib
import io
import tarfile
import zipfile

import pytest
from paddle.utils.download import get_path_from_url, get_weights_path_from_url, is_url


def test_a_file_is_fetched_once_and_checked(tmp_path):
    source = tmp_path / "source.txt"
    source.write_text("text")
    total = hashlib.md5(b"text").hexdigest()
    path = get_path_from_url(source.as_uri(), str(tmp_path / "kept"), total)
    assert open(path).read() == "text"
    source.unlink()
    assert get_path_from_url(source.as_uri(), str(tmp_path / "kept"), total) == path
    with pytest.raises(RuntimeError, match="cannot be fetched"):
        get_path_from_url(source.as_uri(), str(tmp_path / "kept"), "0" * 32)


def test_a_wrong_sum_is_an_error(tmp_path):
    (tmp_path / "a").write_text("text")
    with pytest.raises(RuntimeError, match="MD5"):
        get_path_from_url((tmp_path / "a").as_uri(), str(tmp_path / "kept"), "0" * 32)
    assert not list((tmp_path / "kept").iterdir())


def test_archives_are_unpacked(tmp_path):
    with tarfile.open(tmp_path / "one.tar.gz", "w:gz") as archive:
        info = tarfile.TarInfo("data/a.txt")
        info.size = 1
        archive.addfile(info, io.BytesIO(b"x"))
    folder = get_path_from_url((tmp_path / "one.tar.gz").as_uri(), str(tmp_path / "kept"))
    assert folder == str(tmp_path / "kept" / "data") and open(folder + "/a.txt").read() == "x"
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.txt", "x")
        archive.writestr("b.txt", "y")
    folder = get_path_from_url((tmp_path / "two.zip").as_uri(), str(tmp_path / "kept"))
    assert folder == str(tmp_path / "kept" / "two") and open(folder + "/b.txt").read() == "y"


def test_names_that_lead_out_of_the_folder_are_refused(tmp_path):
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        info = tarfile.TarInfo("../evil.txt")
        info.size = 1
        archive.addfile(info, io.BytesIO(b"x"))
    with pytest.raises(RuntimeError, match="leads out"):
        get_path_from_url((tmp_path / "evil.tar").as_uri(), str(tmp_path / "kept"))


def test_only_urls_are_taken():
    assert is_url("https://a.b/c") and is_url("file:///c") and not is_url("/c")
    with pytest.raises(AssertionError, match="url"):
        get_weights_path_from_url("/no/url")
