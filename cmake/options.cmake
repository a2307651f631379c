# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# What a user of the build may choose, and how code is compiled: language level, optimisation,
# visibility, thread-local model, sanitizers, compiler cache and linker. Floating-point semantics
# are never relaxed (-ffast-math also changes the mode of the whole process when linking).
option(PADDLE_BUILD_TESTS "Build the GoogleTest executables in tests/cpp" OFF)
option(PADDLE_USE_CCACHE "Compile through ccache when it is installed" ON)
option(PADDLE_USE_MOLD "Link with mold when it is installed" ON)
set(PADDLE_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

add_library(paddle_options INTERFACE)
target_compile_options(paddle_options INTERFACE -fno-plt -fno-semantic-interposition)

if(PADDLE_SANITIZE)
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -g1")
  target_compile_options(
    paddle_options INTERFACE -fsanitize=${PADDLE_SANITIZE} -fno-omit-frame-pointer
                             -fno-sanitize-recover=undefined)
  target_link_options(paddle_options INTERFACE -fsanitize=${PADDLE_SANITIZE})
else()
  # Our few hundred bytes of thread-local data are at a fixed offset. No code of ours may use the
  # thread-local data of another library (std::call_once does): where that was loaded late, as
  # after `import torch`, the loader refuses our library. tests/python/process checks it.
  # A library that is loaded late as a rule (PADDLE_LOADED_LATE) takes no such room.
  target_compile_options(
    paddle_options
    INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:PADDLE_LOADED_LATE>>>:-ftls-model=initial-exec>)
  target_link_options(paddle_options INTERFACE -Wl,--as-needed)
endif()

# Instruction sets: everything is x86-64-v2 except kernel files that say otherwise in their name.
set(PADDLE_ISA_BASELINE "")
set(PADDLE_ISA_AVX2 "")
set(PADDLE_ISA_AVX512 "")
set(PADDLE_ISA_AMX "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(PADDLE_ISA_BASELINE -march=x86-64-v2)
  set(PADDLE_ISA_AVX2 -mavx2 -mfma -mf16c)
  set(PADDLE_ISA_AVX512 ${PADDLE_ISA_AVX2} -mavx512f -mavx512dq -mavx512bw -mavx512vl)
  set(PADDLE_ISA_AMX ${PADDLE_ISA_AVX512} -mamx-tile -mamx-bf16 -mamx-int8)
endif()
target_compile_options(paddle_options INTERFACE ${PADDLE_ISA_BASELINE})

if(PADDLE_USE_CCACHE)
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  endif()
endif()
if(PADDLE_USE_MOLD)
  find_program(MOLD_PROGRAM mold)
  if(MOLD_PROGRAM)
    target_link_options(paddle_options INTERFACE -fuse-ld=mold)
  endif()
endif()
