# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# The targets, from the lowest layer up: libpaddle_core (core, operators, CPU kernels, IR,
# predictor), libpaddle_legacy (programs of PaddlePaddle 2), which is opened by libpaddle_core when a
# file needs it, and the Python extension paddle._core. Sources are found by folder; nothing is
# listed by hand.
#
# A build by hand puts its results beside the Python sources (python/paddle), so that
# PYTHONPATH=python works; package.cmake says what is installed.
file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS paddle_core/*.cc phi_kernels/ops/*.cc pir/*.cc
     inference/*.cc distributed/comm/*.cc distributed/spmd/*.cc)
file(GLOB_RECURSE plugin_sources CONFIGURE_DEPENDS backends/host/*.cc)
file(GLOB_RECURSE legacy_sources CONFIGURE_DEPENDS pir/legacy/*.cc)
list(REMOVE_ITEM core_sources ${legacy_sources})
file(GLOB_RECURSE kernel_sources CONFIGURE_DEPENDS phi_kernels/cpu/*.cc)
file(GLOB_RECURSE binding_sources CONFIGURE_DEPENDS python/bindings/*.cc)

foreach(source IN LISTS kernel_sources)
  # Nothing reads errno or the exception flags of the processor; with them, sqrt and floor would be
  # calls.
  set(flags -O3 -fno-math-errno -fno-trapping-math)
  if(source MATCHES "_amx\\.cc$")
    list(APPEND flags ${PADDLE_ISA_AMX})
  elseif(source MATCHES "_avx512\\.cc$")
    list(APPEND flags ${PADDLE_ISA_AVX512})
  elseif(source MATCHES "_avx2\\.cc$")
    list(APPEND flags ${PADDLE_ISA_AVX2})
  endif()
  # They prepare and check the calls of LAPACK, and of loops that other files hold.
  if(source MATCHES "/(eigen|lstsq|svd|lu|fft_columns)\\.cc$")
    set(flags -Os)
  endif()
  set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS "${flags}")
endforeach()

# Files are read and written, rules and passes applied, programs recorded and drawings made,
# predictors set up once per program, calls decomposed or run on the host for a device; records of
# operators whose kernels take long are read rarely.
# Small code there, which is half as large.
set(seldom_dispatch "cost|decomposition|compile_hook|fallback|on_device|resolve|promote|meta_calls")
set(seldom_bindings
    "call/(describe|docstring)|program/(operator_desc|passes|recorded|recording|saved_program)")
if(NOT PADDLE_SANITIZE)
  foreach(source IN LISTS core_sources legacy_sources binding_sources)
    if(source MATCHES "/(pir/(legacy|serialize|draw|drr|transform)|paddle_core/extension|inference)/"
       OR source MATCHES "/paddle_core/dispatch/([a-z]+/)?(${seldom_dispatch})\\.cc$"
       OR source MATCHES "/python/bindings/(${seldom_bindings})\\.cc$"
       OR source MATCHES "/phi_kernels/ops/(linalg|vision|fft|signal|rnn|optimizer|sort|conv|pool|attention|loss|sampling)/"
       AND NOT source MATCHES "/linalg/matmul.cc$")
      set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS -Os)
    endif()
  endforeach()
endif()

if(SKBUILD OR PADDLE_SANITIZE)
  set(package_dir "${CMAKE_BINARY_DIR}/python/paddle")
else()
  set(package_dir "${CMAKE_CURRENT_SOURCE_DIR}/python/paddle")
endif()

add_library(paddle_core SHARED ${core_sources} ${kernel_sources} ${PADDLE_GENERATED_SOURCES}
                               ${plugin_sources})
target_include_directories(paddle_core PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}"
                                              "${PADDLE_GENERATED_INCLUDE}")
target_include_directories(paddle_core SYSTEM
                           PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/third_party/pocketfft")
target_link_libraries(paddle_core PUBLIC paddle_options
                      PRIVATE paddle_warnings paddle_onednn OpenMP::OpenMP_CXX ${CMAKE_DL_LIBS})
if(NOT PADDLE_SANITIZE)
  target_link_options(paddle_core PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(
  paddle_core
  PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${package_dir}/libs"
             BUILD_WITH_INSTALL_RPATH ON
             INSTALL_RPATH "$ORIGIN")
add_custom_command(
  TARGET paddle_core POST_BUILD
  COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${PADDLE_ONEDNN_FILE}"
          "${PADDLE_OPENBLAS_FILE}" "${package_dir}/libs"
  VERBATIM)

add_library(paddle_legacy SHARED ${legacy_sources})
target_link_libraries(paddle_legacy PRIVATE paddle_core paddle_warnings)
if(NOT PADDLE_SANITIZE)
  target_link_options(paddle_legacy PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(
  paddle_legacy
  PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${package_dir}/libs"
             BUILD_WITH_INSTALL_RPATH ON
             INSTALL_RPATH "$ORIGIN")

# The cases of the conformance suite of device plugins, which know nothing but their header.
file(GLOB conformance_sources CONFIGURE_DEPENDS backends/conformance/*.cc)
add_library(paddle_conformance SHARED ${conformance_sources})
target_include_directories(paddle_conformance PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/backends/include")
target_link_libraries(paddle_conformance PRIVATE paddle_options paddle_warnings ${CMAKE_DL_LIBS})
set_target_properties(paddle_conformance PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${package_dir}/libs")

# The headers of users' operators, as part of the package: paddle/include.
add_custom_target(
  paddle_extension_headers ALL
  COMMAND "${CMAKE_COMMAND}" -E copy_directory
          "${CMAKE_CURRENT_SOURCE_DIR}/paddle_core/extension/include" "${package_dir}/include"
  COMMAND "${CMAKE_COMMAND}" -E copy_directory "${PADDLE_EXTENSION_GENERATED}"
          "${package_dir}/include"
  COMMAND "${CMAKE_COMMAND}" -E copy_if_different
          "${CMAKE_CURRENT_SOURCE_DIR}/backends/include/paddle_device.h" "${package_dir}/include"
  DEPENDS "${PADDLE_EXTENSION_GENERATED}/paddle/extension/functions.h"
  VERBATIM)
install(DIRECTORY paddle_core/extension/include/ "${PADDLE_EXTENSION_GENERATED}/"
        DESTINATION paddle/include)
install(FILES backends/include/paddle_device.h DESTINATION paddle/include)

if(binding_sources)
  pybind11_add_module(_core MODULE NO_EXTRAS ${binding_sources})
  target_link_libraries(_core PRIVATE paddle_core paddle_warnings)
  target_compile_definitions(_core PRIVATE PADDLE_CORE_VERSION="${PADDLE_VERSION}")
  set_target_properties(
    _core
    PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${package_dir}"
               BUILD_WITH_INSTALL_RPATH ON
               INSTALL_RPATH "$ORIGIN/libs")
endif()
