# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# The commands of a developer. `make quickstart` and `make test` need nothing before them.
PYTHON := .venv/bin/python
CXX_FILES = $(shell git ls-files -co --exclude-standard '*.h' '*.cc' | xargs -r ls 2>/dev/null)
CHANGED_CC = $(shell git diff --name-only --diff-filter=d HEAD -- '*.cc'; git ls-files -o --exclude-standard '*.cc')

.PHONY: setup develop quickstart test test-full test-op bench bench-operators lint format fuzz sanitize sanitize-threads wheel install cpp-package docs stubs clean

setup:
	@tools/setup.sh

# Builds into build/ and puts the libraries into python/paddle, for PYTHONPATH=python.
develop: setup
	@cmake -S . -B build -G Ninja --log-level=WARNING
	@cmake --build build

# The C++ and C inference library: headers, libraries, CMake package, pkg-config file.
PREFIX ?= /usr/local
install: develop
	@cmake --install build --prefix $(PREFIX) --component inference --strip

# The same as an archive in dist/.
CPP_PACKAGE = paddle_inference-$(shell cat VERSION)-linux-$(shell uname -m)
cpp-package: develop
	@rm -rf build/$(CPP_PACKAGE) && mkdir -p dist
	@cmake --install build --prefix build/$(CPP_PACKAGE) --component inference --strip >/dev/null
	@tar -C build -czf dist/$(CPP_PACKAGE).tar.gz $(CPP_PACKAGE)
	@ls -l dist/$(CPP_PACKAGE).tar.gz

wheel: setup
	@tools/build_wheel.sh

quickstart: wheel
	@$(PYTHON) -m pip install -q --disable-pip-version-check --force-reinstall --no-deps dist/*.whl
	@$(PYTHON) examples/quickstart.py

test:
	@tools/setup.sh models
	@$(PYTHON) tools/run_tests.py

test-full:
	@tools/setup.sh models
	@$(PYTHON) tools/run_tests.py --full

# One operator in all modes: make test-op OP=rms_norm
test-op: develop
	@test -n "$(OP)" || { echo "make test-op needs OP=<operator>"; exit 1; }
	@OP=$(OP) PYTHONPATH=python $(PYTHON) -m pytest -q tests/test_op_cases.py tests/test_op_modes.py tests/test_op_decompositions.py

bench: develop
	@PYTHONPATH=$(CURDIR)/python $(PYTHON) tests/bench/run.py

# docs/operators_speed.md, measured against PyTorch: make bench-operators TORCH_PYTHON=/path/to/python
bench-operators: develop
	@PYTHONPATH=$(CURDIR)/python $(PYTHON) tests/bench/operator_page.py

# clang 14, that of Debian 12, has _Float16 only with -mavx512fp16.
lint: develop
	@$(PYTHON) tools/check_format.py
	@$(PYTHON) -m ruff check .
	@files="$(CHANGED_CC)"; test -z "$$files" || clang-tidy -p build --quiet --extra-arg=-mavx512fp16 $$files

format: setup
	@clang-format -i $(CXX_FILES)
	@$(PYTHON) -m ruff check -q --fix-only .
	@$(PYTHON) -m ruff format -q .

# libFuzzer on the readers of files; needs clang.
SECONDS ?= 60
fuzz: develop
	@tools/fuzz.sh $(SECONDS)

sanitize: setup
	@tools/sanitize.sh

sanitize-threads: setup
	@tools/sanitize.sh --threads

# The operator reference, generated: build/docs/ops
docs: develop
	@PYTHONPATH=python $(PYTHON) tools/generate_reference.py

# The .pyi stubs beside the Python sources, for an editor; the wheel has its own.
stubs: develop
	@PYTHONPATH=python $(PYTHON) python/stubs/generate.py --output python

clean:
	@rm -rf build dist python/paddle/libs python/paddle/include python/paddle/_core*.so
