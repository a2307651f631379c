// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs of PaddlePaddle 3 as a predictor loads them: with parameters (here zeros) as constants,
// through the passes of deployment in float32 and in bfloat16.
#include <cstring>
#include <map>

#include "tests/fuzz/target.h"

namespace {

namespace pir = paddle::pir;

constexpr int64_t kMostBytes = 1 << 18;

// Zeros for the parameters that the program declares; none when they are large.
std::string zeros_for(std::string_view text) {
  const auto program = pir::program_from_json(text);
  std::map<std::string, pir::Type> types;
  int64_t bytes = 0;
  for (const auto& op : program->block().operations()) {
    if (!op->is("builtin.parameter") || op->num_results() != 1) continue;
    const pir::Type& type = op->result()->type();
    int64_t size = type.is_tensor() ? static_cast<int64_t>(paddle::size_of(type.dtype())) : 0;
    for (size_t i = 0; size > 0 && i < type.shape().size(); ++i) {
      const paddle::Dim d = type.shape()[i];
      const int64_t n = d.is_symbolic() ? 0 : d.value();
      size = n < 0 || n > kMostBytes / size ? 0 : size * n;
    }
    bytes += size;
    if (size == 0 || bytes > kMostBytes) return {};
    types.emplace(op->attribute("name").get<std::string>(), type);
  }
  paddle::TensorList tensors;
  for (const auto& [name, type] : types) {
    tensors.push_back(paddle::Tensor::empty(type.shape(), type.dtype()));
    std::memset(tensors.back().raw_data(), 0,
                static_cast<size_t>(tensors.back().numel()) * paddle::size_of(type.dtype()));
  }
  return pir::tensors_to_records(tensors);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return paddle::fuzz::read_input(data, size, [](std::string_view text) {
    if (!pir::is_json_program(text)) return;
    const std::string parameters = zeros_for(text);
    pir::LoadOptions options;
    options.frozen = true;
    for (const bool bfloat16 : {false, true}) {
      options.bfloat16 = bfloat16;
      pir::load_program_from_memory(text, parameters, options);
    }
  });
}
