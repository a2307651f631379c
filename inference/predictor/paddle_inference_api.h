// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Running exported models from C++. Link with the CMake target paddle::inference; nothing but this
// header and the standard library is included.
//
//   paddle_infer::Config config("model.json", "model.pdiparams");  // or a .pdmodel
//   auto predictor = paddle_infer::CreatePredictor(config);
//   auto input = predictor->GetInputHandle(predictor->GetInputNames()[0]);
//   input->Reshape({1, 3, 224, 224});
//   input->CopyFromCpu(image.data());
//   predictor->Run();
//   auto output = predictor->GetOutputHandle(predictor->GetOutputNames()[0]);
//   std::vector<float> result(output->numel());
//   output->CopyToCpu(result.data());
//
// Errors are exceptions derived from std::exception whose what() is one sentence. Threads: one
// Predictor belongs to one thread at a time; Clone() gives another thread its own, with the same
// parameters. Names are those of PaddlePaddle's inference library. Switches of Config for engines
// and devices that paddle does not have are accepted and warn once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#define PADDLE_INFER_API __attribute__((visibility("default")))

namespace paddle {
struct float16;
struct bfloat16;
}  // namespace paddle

namespace paddle_infer {

namespace detail {
struct Settings;
struct Io;
class Runner;
}  // namespace detail

enum class DataType { FLOAT32, INT64, INT32, UINT8, INT8, FLOAT16, BOOL, FLOAT64, BFLOAT16 };
enum class PlaceType { kUNK = -1, kCPU, kGPU, kXPU, kIPU, kCUSTOM };
enum class DataLayout { kUNK = -1, kAny, kNHWC, kNCHW };

// The passes that a model goes through when it is loaded.
class PADDLE_INFER_API PassBuilder {
 public:
  explicit PassBuilder(detail::Settings* settings) : settings_(settings) {}
  // Names in the order in which they run.
  std::vector<std::string> AllPasses() const;
  // Leaves a pass out; unknown names are ignored.
  void DeletePass(const std::string& name);
  // From here on the list is the caller's: what switches of Config change is no longer seen. Passes
  // that paddle does not have are ignored, with one warning each, when the model is loaded.
  void AppendPass(const std::string& name);
  // IndexError when the list is shorter than `index`.
  void InsertPass(size_t index, const std::string& name);
  void SetPasses(const std::vector<std::string>& names);
  // Logs the program after each pass that changes it.
  void TurnOnDebug();

 private:
  detail::Settings* settings_;
};

// Which model to load and how to run it.
class PADDLE_INFER_API Config {
 public:
  enum class Precision { kFloat32 = 0, kInt8, kHalf, kBf16 };

  Config();
  // The folder that holds one model.
  explicit Config(const std::string& model_dir);
  // The program (.json or .pdmodel) and its parameters (.pdiparams; empty: it has none), or a
  // folder and the name that its files share.
  Config(const std::string& prog_file, const std::string& params_file);
  Config(const Config& other);
  Config& operator=(const Config& other);
  ~Config();

  void SetModel(const std::string& model_dir);
  void SetModel(const std::string& prog_file, const std::string& params_file);
  void SetProgFile(const std::string& path);
  void SetParamsFile(const std::string& path);
  // The contents of both files; they are copied.
  void SetModelBuffer(const char* prog, size_t prog_size, const char* params, size_t params_size);
  bool model_from_memory() const;
  const std::string& model_dir() const;
  const std::string& prog_file() const;
  const std::string& params_file() const;

  // Threads that one operator may use; 0, the default: all processors that the process may use.
  void SetCpuMathLibraryNumThreads(int n);
  int cpu_math_library_num_threads() const;
  // Whether the program is optimised when it is loaded.
  void SwitchIrOptim(bool on = true);
  bool ir_optim() const;
  // Logs the program after each pass that changes it.
  void SwitchIrDebug(bool on = true);
  PassBuilder* pass_builder() const { return &passes_; }
  void DeletePass(const std::string& name);
  // Memory of values that are no longer needed is always used again.
  void EnableMemoryOptim(bool on = true);
  bool enable_memory_optim() const;
  // Operators choose the fastest implementation, oneDNN's among them, by themselves.
  void EnableMKLDNN();
  void DisableMKLDNN();
  bool mkldnn_enabled() const;
  void EnableONEDNN() { EnableMKLDNN(); }
  void DisableONEDNN() { DisableMKLDNN(); }
  bool onednn_enabled() const { return mkldnn_enabled(); }
  void SetMkldnnCacheCapacity(int) {}
  void SetOnednnCacheCapacity(int) {}
  // Convolutions and products of the optimised program compute in bfloat16, what runs between them
  // too; norms, softmax, inputs and outputs stay in float32. A processor without bfloat16
  // instructions warns once and stays in float32.
  void EnableMkldnnBfloat16();
  void EnableOnednnBfloat16() { EnableMkldnnBfloat16(); }
  bool mkldnn_bfloat16_enabled() const;
  bool onednn_bfloat16_enabled() const { return mkldnn_bfloat16_enabled(); }
  // Of these operators only: conv2d, depthwise_conv2d, matmul, fc, ...
  void SetBfloat16Op(const std::unordered_set<std::string>& op_list);
  // A table of the time of each operator is logged when the predictor is destroyed.
  void EnableProfile();
  bool profile_enabled() const;
  void DisableGlogInfo();
  bool glog_info_disabled() const;
  void SwitchUseFeedFetchOps(bool on = true);
  bool use_feed_fetch_ops_enabled() const;
  void SwitchSpecifyInputNames(bool on = true);
  bool specify_input_name() const;
  void SetOptimCacheDir(const std::string& path);
  void EnableNewExecutor(bool = true) {}
  void EnableNewIR(bool on = true);
  bool new_ir_enabled() const;
  // The settings as a table.
  std::string Summary() const;

  // Engines and devices of other builds.
  void DisableGpu() {}
  bool use_gpu() const { return false; }
  int gpu_device_id() const { return 0; }
  int memory_pool_init_size_mb() const { return 0; }
  void EnableUseGpu(uint64_t memory_pool_init_size_mb, int device_id = 0,
                    Precision precision = Precision::kFloat32);
  void EnableTensorRtEngine(int64_t workspace_size = 1 << 30, int max_batch_size = 1,
                            int min_subgraph_size = 3, Precision precision = Precision::kFloat32,
                            bool use_static = false, bool use_calib_mode = true,
                            bool use_cuda_graph = false);
  bool tensorrt_engine_enabled() const { return false; }
  using ShapeByName = std::map<std::string, std::vector<int>>;
  void SetTRTDynamicShapeInfo(const ShapeByName& least, const ShapeByName& most,
                              const ShapeByName& best, bool disable_fp16 = false);
  bool tensorrt_dynamic_shape_enabled() const { return false; }
  void EnableTunedTensorRtDynamicShape(const std::string& shape_range_info_path = "",
                                       bool allow_build_at_runtime = true);
  bool tuned_tensorrt_dynamic_shape() const { return false; }
  void EnableVarseqlen() {}
  void CollectShapeRangeInfo(const std::string& shape_range_info_path);
  bool shape_range_info_collected() const { return false; }
  void EnableMkldnnInt8(const std::unordered_set<std::string>& op_list = {});
  void EnableONNXRuntime();
  void DisableONNXRuntime() {}
  // Kernels are generated for what runs between library calls.
  void EnableCINN();
  bool cinn_enabled() const;
  void EnableXpu(int l3_workspace_size = 0xfffc00);
  template <typename... Rest>
  void EnableXpu(int l3_workspace_size, bool /*locked*/, Rest... /*rest*/) {
    EnableXpu(l3_workspace_size);
  }
  void EnableCustomDevice(const std::string& device_type, int device_id = 0,
                          Precision precision = Precision::kFloat32);
  // Warns once that a switch changes nothing, and why.
  void NoEffect(const std::string& name, const std::string& why) const;

  const detail::Settings& settings() const { return *settings_; }

 private:
  std::unique_ptr<detail::Settings> settings_;
  mutable PassBuilder passes_{settings_.get()};
};

using PrecisionType = Config::Precision;

// Handle on an input or an output of a Predictor. T is float, double, int64_t, int32_t, int16_t,
// uint8_t, int8_t, bool, paddle::float16 or paddle::bfloat16, and must be the element type of an
// output that is read.
class PADDLE_INFER_API Tensor {
 public:
  explicit Tensor(std::shared_ptr<detail::Io> io) : io_(std::move(io)) {}

  const std::string& name() const;
  // Announces the shape of the data to come.
  void Reshape(const std::vector<int>& shape);
  // Copies as many elements in as the announced shape has.
  template <typename T>
  void CopyFromCpu(const T* data);
  // Uses memory of the caller, which must stay as it is until the input gets other data.
  template <typename T>
  void ShareExternalData(const T* data, const std::vector<int>& shape,
                         PlaceType place = PlaceType::kCPU, DataLayout layout = DataLayout::kNCHW);
  // Memory of the announced shape, to be filled.
  template <typename T>
  T* mutable_data(PlaceType place = PlaceType::kCPU);
  // The elements; valid until the next run, or until the input gets other data.
  template <typename T>
  T* data(PlaceType* place, int* size) const;
  // numel() elements.
  template <typename T>
  void CopyToCpu(T* data) const;
  // The same: there is nothing to wait for, so it is done when the call returns.
  template <typename T>
  void CopyToCpuAsync(T* data, void* /*stream*/) const {
    CopyToCpu(data);
  }
  template <typename T>
  void CopyToCpuAsync(T* data, void (*finished)(void*), void* argument) const {
    CopyToCpu(data);
    finished(argument);
  }

  std::vector<int> shape() const;
  size_t numel() const;
  DataType type() const;
  PlaceType place() const { return PlaceType::kCPU; }
  // Where the sequences among the rows begin, {{0, 2, 5}}: models of PaddlePaddle 1 read them of
  // their inputs and tell them of their outputs.
  void SetLoD(const std::vector<std::vector<size_t>>& lod);
  std::vector<std::vector<size_t>> lod() const;

 private:
  std::shared_ptr<detail::Io> io_;
};

// Sees a tensor of an operator: "pd_op.relu:3" for the fourth operation of the program that runs
// (of the branch or loop that it stands in), the name of the tensor, and its value, which is for
// reading during the call.
using TensorHookFunc =
    std::function<void(const std::string& op, const std::string& name, const Tensor& tensor)>;
using InputTensorHookFunc = TensorHookFunc;
using OutputTensorHookFunc = TensorHookFunc;

class PADDLE_INFER_API Predictor {
 public:
  explicit Predictor(const Config& config);
  explicit Predictor(std::shared_ptr<detail::Runner> runner) : runner_(std::move(runner)) {}

  std::vector<std::string> GetInputNames() const;
  std::vector<std::string> GetOutputNames() const;
  std::unique_ptr<Tensor> GetInputHandle(const std::string& name) const;
  std::unique_ptr<Tensor> GetOutputHandle(const std::string& name) const;
  // As the model declares them; -1: any extent.
  std::map<std::string, std::vector<int64_t>> GetInputTensorShape() const;
  std::map<std::string, std::vector<int64_t>> GetOutputTensorShape() const;
  std::map<std::string, DataType> GetInputTypes() const;
  std::map<std::string, DataType> GetOutputTypes() const;
  // Reads the input handles, sets the output handles; true.
  bool Run();
  // From now on Run calls `hook` with each tensor that an operator reads, before it runs; or has
  // made, after it. Optimised programs have fused operators: SwitchIrOptim(false) shows those of
  // the file. Hooks are called in the order of registration; an exception of one ends the run.
  void RegisterInputHook(const InputTensorHookFunc& hook);
  void RegisterOutputHook(const OutputTensorHookFunc& hook);
  // A Predictor with handles of its own on the same program and parameters, and without hooks.
  std::unique_ptr<Predictor> Clone(void* stream = nullptr) const;
  // Nothing is left to do: intermediate values are gone when Run returns, and inputs and outputs
  // stay.
  void ClearIntermediateTensor() {}
  // Gives free memory back to the system when there is much of it. How many bytes were given up.
  uint64_t TryShrinkMemory();

 private:
  std::shared_ptr<detail::Runner> runner_;
};

PADDLE_INFER_API std::shared_ptr<Predictor> CreatePredictor(const Config& config);
PADDLE_INFER_API int GetNumBytesOfDataType(DataType type);
PADDLE_INFER_API std::string GetVersion();
// (0, 0, 0): there is no TensorRT.
PADDLE_INFER_API std::tuple<int, int, int> GetTrtCompileVersion();
PADDLE_INFER_API std::tuple<int, int, int> GetTrtRuntimeVersion();
// Writes a copy of a model whose float32 parameters are stored in `precision` (kHalf or kBf16):
// half the size. Operators compute in float32 as before. Parameters of operators in `black_list`,
// or, if it is not empty, of those that are not in `white_list`, stay as they are.
PADDLE_INFER_API void ConvertToMixedPrecision(
    const std::string& model_file, const std::string& params_file,
    const std::string& mixed_model_file, const std::string& mixed_params_file,
    PrecisionType precision, PlaceType backend = PlaceType::kCPU, bool keep_io_types = true,
    const std::unordered_set<std::string>& black_list = {},
    const std::unordered_set<std::string>& white_list = {});

namespace services {

// Predictors on one model, for a fixed number of threads.
class PADDLE_INFER_API PredictorPool {
 public:
  explicit PredictorPool(const Config& config, size_t size = 1);
  // IndexError when there is no such Predictor.
  Predictor* Retrieve(size_t index) const;
  Predictor* Retrive(size_t index) const { return Retrieve(index); }

 private:
  std::vector<std::unique_ptr<Predictor>> predictors_;
};

}  // namespace services
}  // namespace paddle_infer

namespace paddle {
using AnalysisConfig = paddle_infer::Config;
}  // namespace paddle
