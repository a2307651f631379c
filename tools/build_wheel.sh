#!/bin/sh
# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Builds the wheel into dist/: CMake and Ninja through scikit-build-core, stripped; oneDNN, OpenBLAS and Gloo
# under names of their own in paddle/libs, libgomp and what Gloo needs bundled by auditwheel. Prints the tag and a size table,
# and fails when the wheel is above 50 MB or the compiler above 22 MB in it.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"

rm -rf build/wheelhouse dist
mkdir -p build/wheelhouse dist
python -m pip wheel . -q --no-deps --no-build-isolation --disable-pip-version-check \
  --wheel-dir build/wheelhouse
auditwheel repair --wheel-dir dist build/wheelhouse/paddle_core-*.whl
wheel="$(ls dist/*.whl)"
auditwheel show "$wheel"

python - "$wheel" <<'PYTHON'
import os
import sys
import zipfile

path = sys.argv[1]
limit, compiler_limit = 50e6, 22e6
print(f"\n{'library':<60}{'MB':>8}{'MB in wheel':>14}")
for item in sorted(zipfile.ZipFile(path).infolist(), key=lambda i: -i.file_size):
    if ".so" in item.filename:
        print(f"{item.filename:<60}{item.file_size / 1e6:>8.2f}{item.compress_size / 1e6:>14.2f}")
    if item.filename.endswith("libpaddle_cinn.so") and item.compress_size > compiler_limit:
        taken, most = item.compress_size / 1e6, compiler_limit / 1e6
        sys.exit(f"build_wheel: {item.filename} takes {taken:.1f} MB; the limit is {most:.0f} MB.")
size = os.path.getsize(path)
print(f"{os.path.basename(path):<60}{'':>8}{size / 1e6:>14.2f}")
if size > limit:
    sys.exit(f"build_wheel: the wheel has {size / 1e6:.1f} MB; the limit is {limit / 1e6:.0f} MB.")
PYTHON
