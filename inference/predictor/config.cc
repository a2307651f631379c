// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Config: setters, getters, and the look-up of the files of a model.
#include <algorithm>
#include <filesystem>

#include "inference/predictor/settings.h"
#include "paddle_core/base/log.h"
#include "paddle_core/device/parallel.h"
#include "phi_kernels/cpu/libraries/onednn_isa.h"
#include "pir/transform/transform.h"

namespace paddle_infer {
namespace detail {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

std::string if_file(const fs::path& path) { return is_file(path) ? path.string() : std::string(); }

std::pair<std::string, std::string> files_of_folder(const std::string& folder) {
  std::error_code failed;
  PADDLE_CHECK_VALUE(fs::is_directory(folder, failed), "Config: the folder '", folder,
                     "' does not exist.");
  const fs::path root(folder);
  if (is_file(root / "__model__")) {
    return {(root / "__model__").string(), if_file(root / "__params__")};
  }
  std::vector<fs::path> programs, complete;
  for (const fs::directory_entry& entry : fs::directory_iterator(root, failed)) {
    const std::string suffix = entry.path().extension().string();
    if ((suffix != ".json" && suffix != ".pdmodel") || !is_file(entry.path())) continue;
    programs.push_back(entry.path());
    fs::path params = entry.path();
    if (is_file(params.replace_extension(".pdiparams"))) complete.push_back(entry.path());
  }
  if (!complete.empty()) programs = complete;
  PADDLE_CHECK_VALUE(programs.size() == 1, "Config: the folder '", folder, "' has ",
                     programs.size(), " models; pass the program and the parameter file.");
  fs::path params = programs[0];
  return {programs[0].string(), if_file(params.replace_extension(".pdiparams"))};
}

}  // namespace

std::pair<std::string, std::string> model_files(const Settings& s) {
  if (!s.prog_file.empty()) {
    PADDLE_CHECK_VALUE(is_file(s.prog_file), "Config: the program file '", s.prog_file,
                       "' does not exist.");
    // A program without parameters is saved without a file of them, so only the reader can tell.
    return {s.prog_file, if_file(s.params_file)};
  }
  PADDLE_CHECK_VALUE(!s.model_dir.empty(),
                     "Config: no model is set; pass a folder or a program and a parameter file.");
  return files_of_folder(s.model_dir);
}

namespace {

std::vector<std::string> passes_left_out(const Settings& s) {
  std::vector<std::string> names = s.deleted_passes;
  if (s.bfloat16_ops.empty()) return names;
  const auto any = [&](std::initializer_list<const char*> ops) {
    return std::any_of(ops.begin(), ops.end(), [&](const char* op) {
      return s.bfloat16_ops.contains(op) || s.bfloat16_ops.contains(std::string("pd_op.") + op);
    });
  };
  if (!any({"conv2d", "depthwise_conv2d", "conv2d_transpose", "fused_conv2d", "conv2d_epilogue"})) {
    names.emplace_back("bfloat16_conv");
  }
  if (!any({"matmul", "matmul_v2", "mul", "fc", "linear", "fused_matmul", "matmul_epilogue"})) {
    names.emplace_back("bfloat16_matmul");
  }
  return names;
}

}  // namespace

std::vector<std::string> passes_of(const Settings& s) {
  using paddle::pir::Pipeline;
  if (!s.ir_optim) return {};
  if (s.passes) return *s.passes;
  std::vector<std::string> names =
      pipeline(s.bfloat16 ? Pipeline::kDeployedBfloat16 : Pipeline::kDeployed);
  const std::vector<std::string> out = passes_left_out(s);
  std::erase_if(names, [&](const std::string& name) {
    return std::find(out.begin(), out.end(), name) != out.end();
  });
  return names;
}

}  // namespace detail

std::vector<std::string> PassBuilder::AllPasses() const { return detail::passes_of(*settings_); }

void PassBuilder::DeletePass(const std::string& name) {
  settings_->deleted_passes.push_back(name);
  if (settings_->passes) std::erase(*settings_->passes, name);
}

void PassBuilder::AppendPass(const std::string& name) { InsertPass(AllPasses().size(), name); }

void PassBuilder::InsertPass(size_t index, const std::string& name) {
  std::vector<std::string> names = AllPasses();
  PADDLE_CHECK_INDEX(index <= names.size(), "insert_pass: idx has value ", index, "; there are ",
                     names.size(), " passes.");
  names.insert(names.begin() + static_cast<std::ptrdiff_t>(index), name);
  SetPasses(names);
}

void PassBuilder::SetPasses(const std::vector<std::string>& names) { settings_->passes = names; }
void PassBuilder::TurnOnDebug() { settings_->ir_debug = true; }

Config::Config() : settings_(std::make_unique<detail::Settings>()) {}
Config::Config(const std::string& model_dir) : Config() { SetModel(model_dir); }
Config::Config(const std::string& prog_file, const std::string& params_file) : Config() {
  SetModel(prog_file, params_file);
}
Config::Config(const Config& other)
    : settings_(std::make_unique<detail::Settings>(*other.settings_)) {}
Config& Config::operator=(const Config& other) {
  *settings_ = *other.settings_;
  return *this;
}
Config::~Config() = default;

void Config::SetModel(const std::string& model_dir) { settings_->model_dir = model_dir; }
void Config::SetModel(const std::string& prog_file, const std::string& params_file) {
  std::error_code failed;
  if (!std::filesystem::is_directory(prog_file, failed)) {
    SetProgFile(prog_file);
    SetParamsFile(params_file);
    return;
  }
  const std::string prefix = (std::filesystem::path(prog_file) / params_file).string();
  const bool old = std::filesystem::exists(prefix + ".pdmodel", failed) &&
                   !std::filesystem::exists(prefix + ".json", failed);
  SetProgFile(prefix + (old ? ".pdmodel" : ".json"));
  const bool has_params = std::filesystem::exists(prefix + ".pdiparams", failed);
  SetParamsFile(has_params ? prefix + ".pdiparams" : std::string());
}
void Config::SetProgFile(const std::string& path) { settings_->prog_file = path; }
void Config::SetParamsFile(const std::string& path) { settings_->params_file = path; }
void Config::SetModelBuffer(const char* prog, size_t prog_size, const char* params,
                            size_t params_size) {
  using Buffers = std::pair<std::string, std::string>;
  settings_->buffers = std::make_shared<const Buffers>(
      std::string(prog, prog_size), params ? std::string(params, params_size) : std::string());
}
bool Config::model_from_memory() const { return settings_->buffers != nullptr; }
const std::string& Config::model_dir() const { return settings_->model_dir; }
const std::string& Config::prog_file() const { return settings_->prog_file; }
const std::string& Config::params_file() const { return settings_->params_file; }

void Config::SetCpuMathLibraryNumThreads(int n) {
  PADDLE_CHECK_VALUE(n >= 1, "Config: cpu_math_library_num_threads has value ", n,
                     "; it must be at least 1.");
  settings_->threads = n;
}
int Config::cpu_math_library_num_threads() const {
  return settings_->threads ? settings_->threads : paddle::num_threads();
}
void Config::SwitchIrOptim(bool on) { settings_->ir_optim = on; }
bool Config::ir_optim() const { return settings_->ir_optim; }
void Config::SwitchIrDebug(bool on) { settings_->ir_debug = on; }
void Config::DeletePass(const std::string& name) { passes_.DeletePass(name); }
void Config::EnableMemoryOptim(bool on) { settings_->memory_optim = on; }
bool Config::enable_memory_optim() const { return settings_->memory_optim; }
void Config::EnableMKLDNN() { settings_->onednn = true; }
void Config::DisableMKLDNN() { settings_->onednn = false; }
bool Config::mkldnn_enabled() const { return settings_->onednn; }
void Config::EnableProfile() { settings_->profile = true; }
bool Config::profile_enabled() const { return settings_->profile; }
void Config::DisableGlogInfo() { settings_->glog_disabled = true; }
bool Config::glog_info_disabled() const { return settings_->glog_disabled; }
void Config::SwitchUseFeedFetchOps(bool on) { settings_->feed_fetch = on; }
bool Config::use_feed_fetch_ops_enabled() const { return settings_->feed_fetch; }
void Config::SwitchSpecifyInputNames(bool on) { settings_->specify_names = on; }
bool Config::specify_input_name() const { return settings_->specify_names; }
void Config::SetOptimCacheDir(const std::string& path) { settings_->cache_dir = path; }
void Config::EnableNewIR(bool on) { settings_->new_ir = on; }
bool Config::new_ir_enabled() const { return settings_->new_ir; }

std::string Config::Summary() const {
  const detail::Settings& s = *settings_;
  const auto flag = [](bool on) { return on ? "true" : "false"; };
  return paddle::str("model         ", s.prog_file.empty() ? s.model_dir : s.prog_file,
                     "\nparams        ", s.params_file, "\nthreads       ",
                     cpu_math_library_num_threads(), "\nir_optim      ", flag(s.ir_optim),
                     "\nmemory_optim  ", flag(s.memory_optim), "\nmkldnn        ", flag(s.onednn),
                     "\nbfloat16      ", flag(s.bfloat16));
}

void Config::EnableUseGpu(uint64_t, int, Precision) {
  NoEffect("enable_use_gpu", "paddle has no GPU support");
}
void Config::EnableTensorRtEngine(int64_t, int, int, Precision, bool, bool, bool) {
  NoEffect("enable_tensorrt_engine", "paddle has no TensorRT");
}
void Config::SetTRTDynamicShapeInfo(const ShapeByName&, const ShapeByName&, const ShapeByName&,
                                    bool) {
  NoEffect("set_trt_dynamic_shape_info", "paddle has no TensorRT");
}
void Config::EnableTunedTensorRtDynamicShape(const std::string&, bool) {
  NoEffect("enable_tuned_tensorrt_dynamic_shape", "paddle has no TensorRT");
}
void Config::CollectShapeRangeInfo(const std::string&) {
  NoEffect("collect_shape_range_info", "programs run with any shapes, so no file is written");
}
void Config::EnableMkldnnBfloat16() {
  settings_->bfloat16 = paddle::cpu::onednn_multiplies(paddle::DType::kBFloat16);
  if (!settings_->bfloat16) {
    NoEffect("enable_mkldnn_bfloat16", "this processor has no bfloat16 instructions");
  }
}
void Config::SetBfloat16Op(const std::unordered_set<std::string>& op_list) {
  settings_->bfloat16_ops = op_list;
}
bool Config::mkldnn_bfloat16_enabled() const { return settings_->bfloat16; }
void Config::EnableMkldnnInt8(const std::unordered_set<std::string>&) {
  NoEffect("enable_mkldnn_int8", "models run in the precision in which they were saved");
}
void Config::EnableONNXRuntime() {
  NoEffect("enable_onnxruntime", "paddle does not carry ONNX Runtime");
}
void Config::EnableCINN() { settings_->cinn = true; }
bool Config::cinn_enabled() const { return settings_->cinn; }
void Config::EnableXpu(int) { NoEffect("enable_xpu", "paddle has no XPU support"); }
void Config::EnableCustomDevice(const std::string& device_type, int, Precision) {
  NoEffect("enable_custom_device", paddle::str("device '", device_type, "' is not registered"));
}

void Config::NoEffect(const std::string& name, const std::string& why) const {
  paddle::warn_once("Config." + name, paddle::str("Config.", name, ": ", why,
                                                  "; the model runs on the CPU as before."));
}

}  // namespace paddle_infer
