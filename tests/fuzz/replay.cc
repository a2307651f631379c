// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzz target on files, and on damaged copies of each: cut short, bits flipped, bytes
// overwritten by ones that are often wrong, parts repeated. The damage is the same on every
// machine.
//
//   replay MUTATIONS FILE_OR_FOLDER...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

// xorshift64* (Vigna 2016).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2654435761u + 1) {}
  size_t below(size_t n) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return n ? static_cast<size_t>((state_ * 2685821657736338717u) >> 33) % n : 0;
  }

 private:
  uint64_t state_;
};

Bytes damaged(Bytes bytes, Random& random) {
  if (bytes.empty()) return bytes;
  constexpr uint8_t kOften[] = {0, 1, 127, 128, 255, '0', '9', '-', '"', '[', '{', ']', '}'};
  switch (random.below(5)) {
    case 0:
      bytes.resize(random.below(bytes.size()));
      break;
    case 1:
      for (size_t n = random.below(4) + 1; n > 0; --n) {
        bytes[random.below(bytes.size())] ^= static_cast<uint8_t>(1u << random.below(8));
      }
      break;
    case 2:
      bytes[random.below(bytes.size())] = kOften[random.below(std::size(kOften))];
      break;
    case 3: {
      const size_t at = random.below(bytes.size());
      for (size_t i = at; i < std::min(at + 8, bytes.size()); ++i) bytes[i] = 255;
      break;
    }
    default: {
      const size_t from = random.below(bytes.size());
      const size_t n = std::min(random.below(200) + 1, bytes.size() - from);
      const Bytes part(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                       bytes.begin() + static_cast<std::ptrdiff_t>(from + n));
      const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(random.below(bytes.size()));
      bytes.insert(at, part.begin(), part.end());
    }
  }
  return bytes;
}

std::vector<std::string> files_of(int argc, char** argv) {
  std::vector<std::string> files;
  for (int i = 2; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "replay MUTATIONS FILE_OR_FOLDER...\n"), 2;
  const size_t mutations = std::strtoull(argv[1], nullptr, 10);
  const std::vector<std::string> files = files_of(argc, argv);
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    const Bytes bytes((std::istreambuf_iterator<char>(in)), {});
    std::fprintf(stderr, "%s\n", file.c_str());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    for (size_t i = 0; i < mutations; ++i) {
      Random random(i + 1);
      const Bytes bad = damaged(bytes, random);
      LLVMFuzzerTestOneInput(bad.data(), bad.size());
    }
  }
  std::printf("%zu files, %zu damaged copies of each\n", files.size(), mutations);
  return files.empty() ? 1 : 0;
}
