// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Compiled kernels on disk, by what they compute and for which processor. Many processes may share
// a folder: files are written beside and renamed, and believed only when the key in them is the one
// asked for and their sum is right. A folder that others may write to is not used.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace paddle::cinn {

class DiskCache {
 public:
  // In the folder that FLAGS_cinn_cache_dir names.
  static DiskCache& global();
  // An empty folder: nothing is kept.
  DiskCache(std::string folder, int64_t most_bytes);
  std::optional<std::string> find(const std::string& key);
  void add(const std::string& key, const std::string& object);
  const std::string& folder() const { return folder_; }

 private:
  std::string path_of(const std::string& key) const;
  void shrink();

  std::string folder_;
  const int64_t most_bytes_;
  std::mutex mutex_;
};

}  // namespace paddle::cinn
