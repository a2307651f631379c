// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole files in and out. Only regular files are read, so that their size bounds what is read.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "paddle_core/base/export.h"

namespace paddle::pir {

struct RegularFile {
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  std::unique_ptr<std::FILE, Close> stream;
  uint64_t size = 0;
};

// ValueError when the path names no regular file that can be read.
PADDLE_API RegularFile open_regular(const std::string& path);
PADDLE_API std::string read_file(const std::string& path);
// OSError when it fails.
PADDLE_API void write_file(const std::string& path, const std::string& content);

}  // namespace paddle::pir
