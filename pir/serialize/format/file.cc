// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing of whole files.
#include "pir/serialize/format/file.h"

#include <sys/stat.h>

#include "paddle_core/base/error.h"

namespace paddle::pir {

RegularFile open_regular(const std::string& path) {
  struct stat info;
  PADDLE_CHECK_VALUE(stat(path.c_str(), &info) == 0, "model file: ", path, " does not exist.");
  PADDLE_CHECK_VALUE(S_ISREG(info.st_mode), "model file: ", path, " is not a file.");
  RegularFile file;
  file.stream.reset(std::fopen(path.c_str(), "rb"));
  PADDLE_CHECK_VALUE(file.stream, "model file: ", path, " cannot be read.");
  file.size = static_cast<uint64_t>(info.st_size);
  return file;
}

std::string read_file(const std::string& path) {
  const RegularFile file = open_regular(path);
  std::string content(file.size, '\0');
  PADDLE_CHECK_VALUE(std::fread(content.data(), 1, content.size(), file.stream.get()) == file.size,
                     "model file: ", path, " cannot be read.");
  return content;
}

void write_file(const std::string& path, const std::string& content) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  bool good = file != nullptr;
  good = good && std::fwrite(content.data(), 1, content.size(), file) == content.size();
  if (file) good = std::fclose(file) == 0 && good;
  PADDLE_CHECK_KIND(ErrorKind::kOs, good, "jit.save: ", path, " cannot be written.");
}

}  // namespace paddle::pir
