// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Libraries of the package that are opened late.
#include "paddle_core/base/own_library.h"

#include <gtest/gtest.h>

#include "paddle_core/base/error.h"

namespace paddle {
namespace {

template <typename Fn>
std::string runtime_error_of(const Fn& fn) {
  try {
    fn();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kRuntime);
    return e.message();
  }
  ADD_FAILURE() << "nothing was raised";
  return {};
}

TEST(OwnLibrary, AMissingFileIsNamedWithItsUserAndTheRemedy) {
  const std::string message =
      runtime_error_of([] { OwnLibrary("libpaddle_absent.so", "program file: operator fc"); });
  EXPECT_EQ(message.find("program file: operator fc needs /"), 0u) << message;
  EXPECT_NE(message.find("/libs/libpaddle_absent.so, which cannot be opened"), std::string::npos)
      << message;
  EXPECT_NE(message.find("; reinstall paddle, or copy the file there"), std::string::npos)
      << message;
}

TEST(OwnLibrary, LiesBesideTheCoreAndGivesItsSymbols) {
  const OwnLibrary library("libpaddle_legacy.so", "this test");
  EXPECT_NE(library.find("paddle_legacy_library"), nullptr);
  const std::string message = runtime_error_of([&] { library.find("paddle_absent"); });
  EXPECT_NE(message.find("libpaddle_legacy.so has no symbol paddle_absent"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace paddle
