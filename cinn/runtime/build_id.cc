// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The note of the linker in the segments of the loaded library.
#include "cinn/runtime/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstring>

namespace paddle::cinn {
namespace {

constexpr size_t rounded(size_t bytes) { return (bytes + 3) / 4 * 4; }

std::string id_in(const char* at, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof(note));
    const size_t name = rounded(note.n_namesz), text = rounded(note.n_descsz);
    const size_t whole = sizeof(note) + name + text;
    if (whole > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(at + sizeof(note), "GNU", 4) == 0) {
      std::string out;
      for (size_t i = 0; i < note.n_descsz; ++i) {
        constexpr const char* kDigits = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(at[sizeof(note) + name + i]);
        out += kDigits[byte >> 4];
        out += kDigits[byte & 15];
      }
      return out;
    }
    at += whole;
    size -= whole;
  }
  return {};
}

int look(dl_phdr_info* info, size_t, void* result) {
  const auto own = reinterpret_cast<ElfW(Addr)>(&look);
  const auto address = [&](const ElfW(Phdr) & p) { return info->dlpi_addr + p.p_vaddr; };
  bool is_own = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    if (p.p_type == PT_LOAD && own >= address(p) && own < address(p) + p.p_memsz) is_own = true;
  }
  if (!is_own) return 0;
  auto& id = *static_cast<std::string*>(result);
  for (int i = 0; i < info->dlpi_phnum && id.empty(); ++i) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    // The loader has mapped the segment at this address.
    if (p.p_type == PT_NOTE) id = id_in(reinterpret_cast<const char*>(address(p)), p.p_memsz);
  }
  return 1;
}

}  // namespace

std::string build_id() {
  std::string id;
  dl_iterate_phdr(look, &id);
  return id;
}

}  // namespace paddle::cinn
