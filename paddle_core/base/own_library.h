// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Shared libraries of the package that are opened at their first use. They lie beside the library
// that holds this code and are looked for nowhere else.
#pragma once

#include <string>
#include <string_view>

#include "paddle_core/base/export.h"

namespace paddle {

// Stays open for the life of the process. Whoever keeps one in a function-local static loads it
// once, whichever thread comes first, and tries again after a failure.
class PADDLE_API OwnLibrary {
 public:
  // `user` says in the errors what needs the library: "linear algebra". RuntimeError when it cannot
  // be opened.
  OwnLibrary(const std::string& file, std::string_view user);
  // RuntimeError when the library has no such symbol.
  void* find(const std::string& symbol) const;

 private:
  std::string path_;
  void* handle_;
};

}  // namespace paddle
