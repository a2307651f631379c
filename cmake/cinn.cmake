# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# libpaddle_cinn: the fusion compiler with MLIR and LLVM 19 linked into it. libpaddle_core opens it
# when the first program is to be compiled; it exports its entry and nothing of LLVM, so that other
# copies of LLVM may be in the process.
#
# Debian's CMake targets of MLIR link the shared libLLVM; the archives are named by path instead.
set(PADDLE_LLVM_ROOT "/usr/lib/llvm-19" CACHE PATH "Where LLVM and MLIR 19 are installed")
set(llvm_config "${PADDLE_LLVM_ROOT}/bin/llvm-config")
if(NOT EXISTS "${llvm_config}" OR NOT EXISTS "${PADDLE_LLVM_ROOT}/include/mlir/IR/MLIRContext.h")
  message(FATAL_ERROR "LLVM and MLIR 19 were not found in ${PADDLE_LLVM_ROOT}; install llvm-19-dev "
                      "and libmlir-19-dev (tools/setup.sh does), or set PADDLE_LLVM_ROOT.")
endif()
execute_process(
  COMMAND "${llvm_config}" --link-static --libfiles orcjit passes x86codegen x86asmparser
          nvptxcodegen irreader linker
  OUTPUT_VARIABLE llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(llvm_archives)
file(GLOB mlir_archives "${PADDLE_LLVM_ROOT}/lib/libMLIR*.a")
list(FILTER mlir_archives EXCLUDE REGEX "Test|CAPI")
# Not every Linux has these libraries, so their archives are linked. (LLVM 19 needs no terminfo.)
find_library(zstd_archive NAMES libzstd.a REQUIRED)
find_library(zlib_archive NAMES libz.a REQUIRED)

# The objects, which the library and the C++ tests are made of.
file(GLOB_RECURSE cinn_sources CONFIGURE_DEPENDS cinn/*.cc)
add_library(paddle_cinn_objects OBJECT ${cinn_sources})
target_include_directories(paddle_cinn_objects SYSTEM PRIVATE "${PADDLE_LLVM_ROOT}/include")
target_compile_definitions(
  paddle_cinn_objects PRIVATE _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS
                              __STDC_LIMIT_MACROS)
target_compile_options(paddle_cinn_objects PRIVATE -ffunction-sections -fdata-sections)
set_target_properties(paddle_cinn_objects PROPERTIES PADDLE_LOADED_LATE ON)
# GCC 12 sees variants of statements used before they are set: here, and in code that sanitizers
# added to.
set_source_files_properties(cinn/schedule/blocks.cc PROPERTIES COMPILE_OPTIONS
                                                               -Wno-maybe-uninitialized)
if(PADDLE_SANITIZE)
  target_compile_options(paddle_cinn_objects PRIVATE -Wno-maybe-uninitialized)
endif()
target_link_libraries(paddle_cinn_objects PUBLIC paddle_core PRIVATE paddle_warnings)

add_library(paddle_cinn_llvm INTERFACE)
target_link_libraries(
  paddle_cinn_llvm INTERFACE -Wl,--start-group ${mlir_archives} ${llvm_archives} -Wl,--end-group
                             "${zstd_archive}" "${zlib_archive}" Threads::Threads ${CMAKE_DL_LIBS} m)
target_link_options(paddle_cinn_llvm INTERFACE -Wl,--gc-sections)
find_package(Threads REQUIRED)

add_library(paddle_cinn SHARED $<TARGET_OBJECTS:paddle_cinn_objects>)
target_link_libraries(paddle_cinn PRIVATE paddle_core paddle_cinn_llvm)
set(cinn_exports "${CMAKE_CURRENT_SOURCE_DIR}/cmake/cinn_exports.map")
# The build-id tells kernels that it left on disk from those of other builds.
target_link_options(paddle_cinn PRIVATE "-Wl,--version-script=${cinn_exports}"
                    -Wl,--build-id=sha1)
if(NOT PADDLE_SANITIZE)
  target_link_options(paddle_cinn PRIVATE -Wl,-Bsymbolic -Wl,--no-undefined -Wl,--strip-debug)
endif()
set_target_properties(
  paddle_cinn
  PROPERTIES LINK_DEPENDS "${cinn_exports}"
             LIBRARY_OUTPUT_DIRECTORY "${package_dir}/libs"
             BUILD_WITH_INSTALL_RPATH ON
             INSTALL_RPATH "$ORIGIN")
