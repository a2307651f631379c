// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of errors, flags, logging and the containers of base/.
#include <gtest/gtest.h>

#include <cstdlib>

#include "paddle_core/base/error.h"
#include "paddle_core/base/flags.h"
#include "paddle_core/base/log.h"
#include "paddle_core/base/small_vector.h"

namespace paddle {
namespace {

std::string g_last;
int g_messages = 0;
void remember(LogLevel, const std::string& message) {
  g_last = message;
  ++g_messages;
}

TEST(Error, CarriesKindAndMessage) {
  try {
    PADDLE_CHECK_VALUE(1 > 2, "op: x has value ", 3, "; use 4.");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kValue);
    EXPECT_EQ(e.message(), "op: x has value 3; use 4.");
  }
}

TEST(Flags, BuiltInFlagsHaveTheirDefaults) {
  EXPECT_EQ(std::get<bool>(get_flag("FLAGS_check_nan_inf")), false);
  EXPECT_EQ(std::get<int64_t>(get_flag("FLAGS_paddle_num_threads")), 0);
}

TEST(Flags, UnknownFlagIsAValueError) {
  EXPECT_THROW(get_flag("FLAGS_nothing"), Error);
  EXPECT_THROW(set_flag("FLAGS_nothing", true), Error);
}

TEST(Flags, TheEnvironmentGivesTheFirstValue) {
  setenv("FLAGS_test_env", "2.5", 1);
  define_flag("FLAGS_test_env", 1.0, "test");
  EXPECT_EQ(std::get<double>(get_flag("FLAGS_test_env")), 2.5);
  setenv("FLAGS_test_bad", "many", 1);
  EXPECT_THROW(define_flag("FLAGS_test_bad", int64_t{1}, "test"), Error);
}

TEST(Flags, ValuesAreConvertedToTheFlagsType) {
  define_flag("FLAGS_test_bool", false, "test");
  const auto* hot = bool_flag("FLAGS_test_bool");
  set_flag("FLAGS_test_bool", int64_t{1});
  EXPECT_TRUE(hot->load());
  set_flag("FLAGS_test_bool", std::string("False"));
  EXPECT_FALSE(hot->load());
  EXPECT_THROW(set_flag("FLAGS_test_bool", 0.5), Error);
  EXPECT_THROW(define_flag("FLAGS_test_bool", true, "again"), Error);
  EXPECT_THROW(int_flag("FLAGS_test_bool"), Error);
}

TEST(Log, WarnOnceGoesOutOncePerKey) {
  const LogSink before = set_log_sink(&remember);
  g_messages = 0;
  EXPECT_TRUE(warn_once("k", "first"));
  EXPECT_FALSE(warn_once("k", "second"));
  log_message(LogLevel::kDebug, "not shown");
  EXPECT_EQ(g_messages, 1);
  EXPECT_EQ(g_last, "first");
  set_log_sink(before);
}

TEST(SmallVector, GrowsBeyondItsInlineRoomAndMoves) {
  SmallVector<std::string, 2> v{"a", "b"};
  v.push_back("c");
  SmallVector<std::string, 2> w = std::move(v);
  EXPECT_EQ(w.size(), 3u);
  EXPECT_EQ(w[2], "c");
  EXPECT_TRUE(v.empty());
}

}  // namespace
}  // namespace paddle
