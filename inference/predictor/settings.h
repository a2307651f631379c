// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a Config holds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "inference/predictor/paddle_inference_api.h"

namespace paddle_infer::detail {

struct Settings {
  std::string model_dir, prog_file, params_file, cache_dir;
  // Contents of both files, shared by copies of a Config; null: the model comes from files.
  std::shared_ptr<const std::pair<std::string, std::string>> buffers;
  int threads = 0;
  bool ir_optim = true, ir_debug = false, memory_optim = false, onednn = true, profile = false;
  bool glog_disabled = false, feed_fetch = false, specify_names = false, new_ir = false;
  // Convolutions and products in bfloat16; `bfloat16_ops`: only these operators, empty: all.
  bool bfloat16 = false, cinn = false;
  std::unordered_set<std::string> bfloat16_ops;
  std::vector<std::string> deleted_passes;
  std::optional<std::vector<std::string>> passes;  // instead of those of a pipeline
};

// The passes that a model goes through.
std::vector<std::string> passes_of(const Settings& settings);

// Paths of the program and of the parameters (empty: none); ValueError when there is no model, or
// when a folder holds none or several.
PADDLE_INFER_API std::pair<std::string, std::string> model_files(const Settings& settings);

}  // namespace paddle_infer::detail
