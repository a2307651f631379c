# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`HDFSClient`, on a command that keeps the files in a folder of this machine."""

import pytest
from paddle.distributed.fleet.utils import HDFSClient, LocalFS, fs
from paddle.distributed.fleet.utils.fs import ExecuteError, FSFileExistsError, FSFileNotExistsError, FSTimeOut

HADOOP = """#!/bin/bash
shift
while [[ $1 == -D* ]]; do echo "$1" >> {root}.settings; shift; done
command=$1; shift
case $command in
  -test) test $1 {root}$2 ;;
  -ls) for f in {root}$1/*; do
         [ -e "$f" ] || continue
         d=-; [ -d "$f" ] && d=d
         echo "${{d}}rw-r--r-- 1 me us $(stat -c %s "$f") 2026-01-31 10:00 $1/$(basename "$f")"
       done ;;
  -mkdir) mkdir -p {root}$2 ;;
  -rm) [ $1 = -r ] && shift && rm -r {root}$1 || rm -f {root}$1 ;;
  -touchz) touch {root}$1 ;;
  -mv) mv {root}$1 {root}$2 ;;
  -cat) cat {root}$1 ;;
  -put) n=-n; [ $1 = -f ] && n= && shift; [ -n "$n" ] && [ -e {root}$2/$(basename $1) ] && exit 1; cp -r $1 {root}$2 ;;
  -get) [ $1 = -f ] && shift; cp -r {root}$1 $2 ;;
  *) echo "no $command" >&2; exit 255 ;;
esac
"""


@pytest.fixture
def client(tmp_path):
    (tmp_path / "home" / "bin").mkdir(parents=True)
    root = tmp_path / "files"
    root.mkdir()
    command = tmp_path / "home" / "bin" / "hadoop"
    command.write_text(HADOOP.format(root=root))
    command.chmod(0o755)
    return HDFSClient(str(tmp_path / "home"), {"fs.default.name": "hdfs://host:1"})


def test_files_and_folders(client, tmp_path):
    assert client.need_upload_download() and client.ls_dir("/none") == ([], [])
    client.mkdirs("/a/b")
    client.touch("/a/f")
    client.touch("/a/f")
    assert (tmp_path / "files.settings").read_text().startswith("-Dfs.default.name=hdfs://host:1\n")
    with pytest.raises(FSFileExistsError):
        client.touch("/a/f", exist_ok=False)
    assert client.is_dir("/a/b") and client.is_file("/a/f") and not client.is_exist("/zz")
    assert client.ls_dir("/a") == (["b"], ["f"]) and client.list_dirs("/a") == ["b"]
    client.rename("/a/f", "/a/g")
    with pytest.raises(FSFileNotExistsError):
        client.mv("/a/f", "/a/h")
    client.touch("/a/h")
    with pytest.raises(FSFileExistsError):
        client.mv("/a/g", "/a/h")
    client.mv("/a/g", "/a/h", overwrite=True)
    assert client.ls_dir("/a") == (["b"], ["h"])
    client.delete("/a")
    client.delete("/a")
    assert not client.is_exist("/a")


def test_copies(client, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    for i in range(3):
        (folder / f"part-{i}").write_text("x" * i + "\n")
    client.upload(str(folder), "/in", multi_processes=2)
    assert client.ls_dir("/in/data") == ([], ["part-0", "part-1", "part-2"])
    assert client.cat("/in/data/part-2") == "xx" and client.cat("/in/none") == ""
    assert client.list_files_info(["/in/data"])[2] == {"path": "/in/data/part-2", "size": 3}
    with pytest.raises(ExecuteError, match="-put"):
        client.upload(str(folder / "part-0"), "/in/data")
    client.upload(str(folder / "part-0"), "/in/data", overwrite=True)
    client.upload_dir(str(folder), "/other")
    client.download("/other/data", str(tmp_path / "out"))
    client.download("/other/data/part-1", str(tmp_path / "one"))
    assert (tmp_path / "out" / "part-2").read_text() == "xx\n" and (tmp_path / "one" / "part-1").exists()
    for call in (client.upload, client.download):
        with pytest.raises(FSFileNotExistsError):
            call("/none", "/x")


def test_commands_that_fail(client, tmp_path):
    with pytest.raises(ExecuteError, match="hadoop_home"):
        HDFSClient("/none", {}).mkdirs("/x")
    (tmp_path / "home" / "bin" / "hadoop").write_text("#!/bin/bash\nexec sleep 20\n")
    with pytest.raises(FSTimeOut):
        HDFSClient(str(tmp_path / "home"), {}, time_out=100).is_exist("/x")


def test_files_of_this_machine_are_not_copied():
    assert fs.HDFSClient is HDFSClient and not LocalFS().need_upload_download()
    for call in (LocalFS().upload, LocalFS().upload_dir, LocalFS().download):
        with pytest.raises(NotImplementedError, match="shutil"):
            call("a", "b")
    with pytest.raises(FSFileNotExistsError):
        LocalFS().mv("/none/a", "/none/b")
