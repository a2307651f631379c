# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` puts down: in a wheel build the libraries beside the Python package, else
# the component `inference`, the C++ and C library (headers, libraries, CMake package, pkg-config
# file). That needs neither Python nor OpenBLAS; linear algebra beyond products looks for
# libpaddle_linalg.so beside libpaddle_core.so and says so when it is not there, as programs of
# PaddlePaddle 2 do for libpaddle_legacy.so and jobs of processes for libpaddle_gloo.so.
if(SKBUILD)
  install(TARGETS paddle_core paddle_legacy paddle_cinn paddle_gloo paddle_conformance
          LIBRARY DESTINATION paddle/libs)
  install(FILES "${PADDLE_ONEDNN_FILE}" "${PADDLE_OPENBLAS_FILE}" "${PADDLE_GLOO_FILE}"
          DESTINATION paddle/libs)
  # The operator table, which `paddle conformance` runs on devices.
  install(DIRECTORY tests/op_cases DESTINATION paddle/device/conformance/table/tests
          FILES_MATCHING PATTERN "*.py")
  install(FILES tests/__init__.py DESTINATION paddle/device/conformance/table/tests)
  if(TARGET _core)
    install(TARGETS _core LIBRARY DESTINATION paddle)
  endif()
  return()
endif()

set(package_source "${CMAKE_CURRENT_SOURCE_DIR}/cmake/package")
set(package_build "${CMAKE_BINARY_DIR}/package")
configure_file("${package_source}/paddle_inference-config.cmake.in"
               "${package_build}/paddle_inference-config.cmake" @ONLY)
configure_file("${package_source}/paddle_inference.pc.in" "${package_build}/paddle_inference.pc"
               @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${package_build}/paddle_inference-config-version.cmake"
                                 VERSION ${PADDLE_VERSION} COMPATIBILITY AnyNewerVersion)

install(TARGETS paddle_core paddle_legacy paddle_cinn LIBRARY DESTINATION lib COMPONENT inference)
install(PROGRAMS "${PADDLE_ONEDNN_FILE}" DESTINATION lib COMPONENT inference)
install(FILES inference/predictor/paddle_inference_api.h inference/predictor/paddle_api.h
              inference/c_api/pd_inference_api.h
        DESTINATION include COMPONENT inference)
# Where programs that were written for PaddlePaddle's package look for the header.
install(FILES inference/predictor/paddle_inference_api.h inference/predictor/paddle_api.h
        DESTINATION include/paddle/include
        COMPONENT inference)
install(FILES "${package_build}/paddle_inference-config.cmake"
              "${package_build}/paddle_inference-config-version.cmake"
        DESTINATION lib/cmake/paddle_inference COMPONENT inference)
install(FILES "${package_build}/paddle_inference.pc" DESTINATION lib/pkgconfig COMPONENT inference)
install(FILES LICENSE third_party/NOTICES.md DESTINATION share/paddle_inference
        COMPONENT inference)
install(DIRECTORY third_party/onednn third_party/pocketfft third_party/llvm third_party/zstd
                  third_party/zlib
        DESTINATION share/paddle_inference COMPONENT inference FILES_MATCHING PATTERN "LICENSE*" PATTERN "THIRD*" PATTERN "NOTICE*")
# The names under which PaddlePaddle's package is linked.
install(CODE "
  foreach(name paddle_inference paddle_inference_c)
    file(CREATE_LINK libpaddle_core.so
         \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/lib\${name}.so\" SYMBOLIC)
  endforeach()"
        COMPONENT inference)
