// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Files of one kernel each: a line that says what it is, the key, the object.
#include "cinn/runtime/disk_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "cinn/runtime/build_id.h"
#include "paddle_core/base/error.h"
#include "paddle_core/base/flags.h"
#include "paddle_core/base/log.h"

namespace paddle::cinn {
namespace {

namespace fs = std::filesystem;

// Names the form of the file, and the build of the library that makes the objects.
const std::string& header() {
  static const std::string text = "paddle cinn kernel 1 " + build_id();
  return text;
}
constexpr const char* kSuffix = ".kernel";
constexpr std::chrono::hours kLongest{1};  // that writing a file takes

uint64_t hash(const std::string& text, uint64_t seed) {
  uint64_t h = 0xcbf29ce484222325u ^ seed;
  for (const char c : text) {
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    h ^= h >> 31;
  }
  return h;
}

std::string default_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) {
    return std::string(cache) + "/paddle/cinn";
  }
  const char* home = std::getenv("HOME");
  return home && *home ? std::string(home) + "/.cache/paddle/cinn" : std::string();
}

// Made when it is not there. Why it cannot be used, or empty.
std::string problem_with(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return "it cannot be made: " + error.message();
  struct stat about {};
  if (stat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) return "it is no folder";
  if (about.st_uid != geteuid()) return "it belongs to another user";
  if (about.st_mode & (S_IWGRP | S_IWOTH)) return "other users may write to it";
  return "";
}

}  // namespace

DiskCache& DiskCache::global() {
  static auto* cache = [] {
    std::string folder = std::get<std::string>(get_flag("FLAGS_cinn_cache_dir"));
    if (folder == "default") folder = default_folder();
    const int64_t megabytes = std::get<int64_t>(get_flag("FLAGS_cinn_cache_mb"));
    return new DiskCache(std::move(folder), megabytes << 20);
  }();
  return *cache;
}

DiskCache::DiskCache(std::string folder, int64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {
  if (folder_.empty()) return;
  if (const std::string problem = problem_with(folder_); !problem.empty()) {
    warn(str("cinn: kernels are not kept in ", folder_, ": ", problem,
             "; set FLAGS_cinn_cache_dir to a folder of your own, or to nothing."));
    folder_.clear();
  }
}

std::string DiskCache::path_of(const std::string& key) const {
  std::ostringstream name;
  const std::string named = header() + key;
  name << folder_ << '/' << std::hex << hash(named, 0) << hash(named, 0x9e3779b97f4a7c15u)
       << kSuffix;
  return std::move(name).str();
}

std::optional<std::string> DiskCache::find(const std::string& key) {
  if (folder_.empty()) return std::nullopt;
  const std::string path = path_of(key);
  std::ifstream in(path, std::ios::binary);
  std::string first;
  uint64_t key_size = 0, size = 0, sum = 0;
  if (!in || !std::getline(in, first) || first != header()) return std::nullopt;
  in >> key_size >> size >> sum;
  in.get();
  constexpr uint64_t kMost = uint64_t{1} << 28;
  if (!in || key_size != key.size() || size > kMost) return std::nullopt;
  std::string known(key_size, '\0'), object(size, '\0');
  in.read(known.data(), static_cast<std::streamsize>(key_size));
  in.read(object.data(), static_cast<std::streamsize>(size));
  if (!in || known != key || hash(object, size) != sum) return std::nullopt;
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // the last used stay longest
  return object;
}

void DiskCache::add(const std::string& key, const std::string& object) {
  if (folder_.empty()) return;
  const std::lock_guard lock(mutex_);
  const std::string path = path_of(key);
  const std::string draft = str(path, ".", getpid());
  {
    std::ofstream out(draft, std::ios::binary);
    out << header() << '\n'
        << key.size() << ' ' << object.size() << ' ' << hash(object, object.size()) << '\n'
        << key << object;
    if (!out.flush()) {  // a full disk is no reason to stop
      out.close();
      unlink(draft.c_str());
      return;
    }
  }
  if (rename(draft.c_str(), path.c_str()) != 0) unlink(draft.c_str());
  shrink();
}

// Removes what was not used for longest until the rest fits.
void DiskCache::shrink() {
  struct File {
    fs::file_time_type used;
    int64_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  int64_t total = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const auto bytes = static_cast<int64_t>(entry.file_size(error));
    if (error) continue;  // another process removed it
    const auto used = entry.last_write_time(error);
    if (error) continue;
    const bool draft = entry.path().stem().extension() == kSuffix;
    if (!draft && entry.path().extension() != kSuffix) continue;  // none of ours
    // Left by a process that ended while it wrote.
    if (draft && fs::file_time_type::clock::now() - used > kLongest) {
      fs::remove(entry.path(), error);
      continue;
    }
    total += bytes;
    files.push_back({used, bytes, entry.path()});
  }
  if (total <= most_bytes_) return;
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& file : files) {
    if (total <= most_bytes_) break;
    fs::remove(file.path, error);
    total -= file.bytes;
  }
}

}  // namespace paddle::cinn
