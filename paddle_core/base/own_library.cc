// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Opens libraries of the package and looks their symbols up.
#include "paddle_core/base/own_library.h"

#include <dlfcn.h>

#include "paddle_core/base/error.h"

namespace paddle {
namespace {

// The folder of the shared library that holds this function.
std::string own_folder() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void*>(&own_folder), &info) || !info.dli_fname) return ".";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

OwnLibrary::OwnLibrary(const std::string& file, std::string_view user)
    : path_(own_folder() + '/' + file), handle_(dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_) return;
  const char* reason = dlerror();
  throw_error(ErrorKind::kRuntime,
              str(user, " needs ", path_, ", which cannot be opened (",
                  reason ? reason : "no reason is known",
                  "); reinstall paddle, or copy the file there from a package of this version."));
}

void* OwnLibrary::find(const std::string& symbol) const {
  void* address = dlsym(handle_, symbol.c_str());
  PADDLE_CHECK_RUNTIME(address, path_, " has no symbol ", symbol,
                       ": it belongs to another version; reinstall paddle.");
  return address;
}

}  // namespace paddle
