// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The processor that code is made for.
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "cinn/codegen/cpu.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

namespace paddle::cinn {

CpuTarget CpuTarget::host() {
  CpuTarget target;
  target.cpu = llvm::sys::getHostCPUName().str();
  const auto features = llvm::sys::getHostCPUFeatures();
  const char* wanted = std::getenv("PADDLE_CPU_ISA");
  const bool less = wanted && std::string_view(wanted) == "avx2";
  const bool wide = !less && features.lookup("avx512f") && features.lookup("avx512dq") &&
                    features.lookup("avx512bw") && features.lookup("avx512vl");
  target.vector_bytes = wide ? 64 : 32;
  target.rounds_to_bfloat16 = wide && features.lookup("avx512bf16");
  // Sorted: a string map has an order of its own, and the text is part of a cache's key.
  std::vector<std::string> list;
  for (const auto& feature : features) {
    const bool on = feature.second && (wide || !feature.first().starts_with("avx512"));
    list.push_back((on ? "+" : "-") + feature.first().str());
  }
  std::sort(list.begin(), list.end());
  for (const std::string& feature : list)
    target.features += (target.features.empty() ? "" : ",") + feature;
  return target;
}

}  // namespace paddle::cinn
