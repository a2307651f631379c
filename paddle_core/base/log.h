// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Messages to the user. A message of a level up to FLAGS_log_level goes to the sink: standard error
// until another one is installed (the bindings route warnings to Python's warnings.warn).
// Thread-safe; the sink is called without any lock held and may throw.
#pragma once

#include <string>

#include "paddle_core/base/error.h"

namespace paddle {

enum class LogLevel : int { kError = -1, kWarning = 0, kInfo = 1, kDebug = 2 };

using LogSink = void (*)(LogLevel level, const std::string& message);
// Returns the previous sink; nullptr installs the one that writes to standard error.
PADDLE_API LogSink set_log_sink(LogSink sink);

PADDLE_API bool log_enabled(LogLevel level);
PADDLE_API void log_message(LogLevel level, const std::string& message);
PADDLE_API void warn(const std::string& message);
// Once per key in the life of the process; true when the message went out.
PADDLE_API bool warn_once(const std::string& key, const std::string& message);

}  // namespace paddle
