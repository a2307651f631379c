// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The C functions over the C++ classes: exceptions become a return value and a kept message.
#include "inference/c_api/pd_inference_api.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "inference/predictor/paddle_inference_api.h"

struct PD_Config {
  paddle_infer::Config value;
  bool valid = true;
};
struct PD_Predictor {
  std::unique_ptr<paddle_infer::Predictor> value;
};
struct PD_Tensor {
  std::unique_ptr<paddle_infer::Tensor> value;
};

namespace {

using paddle_infer::DataType;

// The text lies on the heap: thread-local data of fixed offset is scarce (cmake/options.cmake).
thread_local std::string last_error;

void keep_error(const char* what) noexcept {
  try {
    last_error = what;
  } catch (...) {
    last_error.clear();
  }
}

template <typename R, typename F>
R guarded(R failed, F&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& e) {
    keep_error(e.what());
  } catch (...) {
    keep_error("an unknown error");
  }
  return failed;
}

template <typename F>
bool attempt(F&& body) noexcept {
  return guarded(false, [&] {
    body();
    return true;
  });
}

constexpr const char* kCpuOnly = "paddle runs models on the CPU";

void no_effect(PD_Config* config, const char* name, const char* why) {
  attempt([&] { config->value.NoEffect(name, why); });
}

char* copied(const std::string& text) {
  char* out = new char[text.size() + 1];
  std::memcpy(out, text.c_str(), text.size() + 1);
  return out;
}

PD_OneDimArrayCstr* array_of(const std::vector<std::string>& names) {
  auto* out = new PD_OneDimArrayCstr{names.size(), new char*[names.size()]};
  for (size_t i = 0; i < names.size(); ++i) out->data[i] = copied(names[i]);
  return out;
}

PD_DataType data_type(DataType type) {
  switch (type) {
    case DataType::FLOAT32:
      return PD_DATA_FLOAT32;
    case DataType::INT32:
      return PD_DATA_INT32;
    case DataType::INT64:
      return PD_DATA_INT64;
    case DataType::UINT8:
      return PD_DATA_UINT8;
    case DataType::INT8:
      return PD_DATA_INT8;
    case DataType::FLOAT64:
      return PD_DATA_FLOAT64;
    default:
      return PD_DATA_UNK;
  }
}

}  // namespace

extern "C" {

const char* PD_GetLastError(void) { return last_error.c_str(); }

const char* PD_GetVersion(void) {
  static const std::string* const version = new std::string(paddle_infer::GetVersion());
  return version->c_str();
}

PD_Config* PD_ConfigCreate(void) {
  return guarded<PD_Config*>(nullptr, [] { return new PD_Config(); });
}
void PD_ConfigDestroy(PD_Config* config) { delete config; }
void PD_ConfigSetModel(PD_Config* config, const char* prog_file, const char* params_file) {
  attempt([&] { config->value.SetModel(prog_file, params_file ? params_file : ""); });
}
void PD_ConfigSetModelDir(PD_Config* config, const char* model_dir) {
  attempt([&] { config->value.SetModel(model_dir); });
}
void PD_ConfigSetProgFile(PD_Config* config, const char* path) {
  attempt([&] { config->value.SetProgFile(path); });
}
void PD_ConfigSetParamsFile(PD_Config* config, const char* path) {
  attempt([&] { config->value.SetParamsFile(path); });
}
void PD_ConfigSetModelBuffer(PD_Config* config, const char* prog, size_t prog_size,
                             const char* params, size_t params_size) {
  attempt([&] { config->value.SetModelBuffer(prog, prog_size, params, params_size); });
}
const char* PD_ConfigGetModelDir(PD_Config* config) { return config->value.model_dir().c_str(); }
const char* PD_ConfigGetProgFile(PD_Config* config) { return config->value.prog_file().c_str(); }
const char* PD_ConfigGetParamsFile(PD_Config* config) {
  return config->value.params_file().c_str();
}
PD_Bool PD_ConfigModelFromMemory(PD_Config* config) { return config->value.model_from_memory(); }
void PD_ConfigSetCpuMathLibraryNumThreads(PD_Config* config, int32_t n) {
  attempt([&] { config->value.SetCpuMathLibraryNumThreads(n); });
}
int32_t PD_ConfigGetCpuMathLibraryNumThreads(PD_Config* config) {
  return guarded(0, [&] { return config->value.cpu_math_library_num_threads(); });
}
void PD_ConfigSwitchIrOptim(PD_Config* config, PD_Bool on) { config->value.SwitchIrOptim(on); }
PD_Bool PD_ConfigIrOptim(PD_Config* config) { return config->value.ir_optim(); }
void PD_ConfigSwitchIrDebug(PD_Config* config, PD_Bool on) { config->value.SwitchIrDebug(on); }
void PD_ConfigEnableMemoryOptim(PD_Config* config, PD_Bool on) {
  config->value.EnableMemoryOptim(on);
}
PD_Bool PD_ConfigMemoryOptimEnabled(PD_Config* config) {
  return config->value.enable_memory_optim();
}
void PD_ConfigEnableMKLDNN(PD_Config* config) { config->value.EnableMKLDNN(); }
PD_Bool PD_ConfigMkldnnEnabled(PD_Config* config) { return config->value.mkldnn_enabled(); }
void PD_ConfigEnableMkldnnBfloat16(PD_Config* config) {
  attempt([&] { config->value.EnableMkldnnBfloat16(); });
}
PD_Bool PD_ConfigMkldnnBfloat16Enabled(PD_Config* config) {
  return config->value.mkldnn_bfloat16_enabled();
}
void PD_ConfigSetBfloat16Op(PD_Config* config, size_t ops_num, const char** op_list) {
  attempt([&] { config->value.SetBfloat16Op({op_list, op_list + ops_num}); });
}
void PD_ConfigEnableProfile(PD_Config* config) { config->value.EnableProfile(); }
void PD_ConfigDisableGlogInfo(PD_Config* config) { config->value.DisableGlogInfo(); }
void PD_ConfigDeletePass(PD_Config* config, const char* name) {
  attempt([&] { config->value.DeletePass(name); });
}
PD_Bool PD_ConfigProfileEnabled(PD_Config* config) { return config->value.profile_enabled(); }
PD_Bool PD_ConfigGlogInfoDisabled(PD_Config* config) { return config->value.glog_info_disabled(); }
void PD_ConfigSetOptimCacheDir(PD_Config* config, const char* path) {
  attempt([&] { config->value.SetOptimCacheDir(path); });
}
void PD_ConfigSetMkldnnCacheCapacity(PD_Config*, int32_t) {}
void PD_ConfigEnableUseGpu(PD_Config* config, uint64_t, int32_t, PD_PrecisionType) {
  attempt([&] { config->value.EnableUseGpu(0); });
}
void PD_ConfigEnableTensorRtEngine(PD_Config* config, int32_t, int32_t, int32_t, PD_PrecisionType,
                                   PD_Bool, PD_Bool) {
  attempt([&] { config->value.EnableTensorRtEngine(); });
}
PD_Bool PD_ConfigTensorRtEngineEnabled(PD_Config*) { return 0; }
void PD_ConfigEnableTunedTensorRtDynamicShape(PD_Config* config, const char*, PD_Bool) {
  attempt([&] { config->value.EnableTunedTensorRtDynamicShape(); });
}
void PD_ConfigCollectShapeRangeInfo(PD_Config* config, const char*) {
  attempt([&] { config->value.CollectShapeRangeInfo({}); });
}
void PD_ConfigEnableONNXRuntime(PD_Config* config) {
  attempt([&] { config->value.EnableONNXRuntime(); });
}
void PD_ConfigDisableONNXRuntime(PD_Config*) {}
void PD_ConfigDisableGpu(PD_Config* config) { config->value.DisableGpu(); }
PD_Bool PD_ConfigUseGpu(PD_Config* config) { return config->value.use_gpu(); }
int32_t PD_ConfigGpuDeviceId(PD_Config* config) { return config->value.gpu_device_id(); }
int32_t PD_ConfigMemoryPoolInitSizeMb(PD_Config* config) {
  return config->value.memory_pool_init_size_mb();
}
float PD_ConfigFractionOfGpuMemoryForPool(PD_Config*) { return 0; }
void PD_ConfigEnableCudnn(PD_Config* config) { no_effect(config, "EnableCudnn", kCpuOnly); }
PD_Bool PD_ConfigCudnnEnabled(PD_Config*) { return 0; }
void PD_ConfigEnableGpuMultiStream(PD_Config* config) {
  no_effect(config, "EnableGpuMultiStream", kCpuOnly);
}
PD_Bool PD_ConfigThreadLocalStreamEnabled(PD_Config*) { return 0; }
void PD_ConfigEnableXpu(PD_Config* config, int32_t l3_workspace_size, PD_Bool, PD_Bool, const char*,
                        const char*, PD_Bool) {
  attempt([&] { config->value.EnableXpu(l3_workspace_size); });
}
PD_Bool PD_ConfigUseXpu(PD_Config*) { return 0; }
int32_t PD_ConfigXpuDeviceId(PD_Config*) { return 0; }
void PD_ConfigEnableCustomDevice(PD_Config* config, const char* device_type, int32_t device_id) {
  attempt([&] { config->value.EnableCustomDevice(device_type, device_id); });
}
PD_Bool PD_ConfigUseCustomDevice(PD_Config*) { return 0; }
int32_t PD_ConfigCustomDeviceId(PD_Config*) { return 0; }
void PD_ConfigSetTrtDynamicShapeInfo(PD_Config* config, size_t, const char**, size_t*, int32_t**,
                                     int32_t**, int32_t**, PD_Bool) {
  attempt([&] { config->value.SetTRTDynamicShapeInfo({}, {}, {}); });
}
PD_Bool PD_ConfigTensorRtDynamicShapeEnabled(PD_Config* config) {
  return config->value.tensorrt_dynamic_shape_enabled();
}
PD_Bool PD_ConfigTunedTensorRtDynamicShape(PD_Config* config) {
  return config->value.tuned_tensorrt_dynamic_shape();
}
PD_Bool PD_ConfigTrtAllowBuildAtRuntime(PD_Config*) { return 0; }
const char* PD_ConfigShapeRangeInfoPath(PD_Config*) { return ""; }
PD_Bool PD_ConfigShapeRangeInfoCollected(PD_Config* config) {
  return config->value.shape_range_info_collected();
}
void PD_ConfigDisableTensorRtOPs(PD_Config*, size_t, const char**) {}
void PD_ConfigEnableVarseqlen(PD_Config* config) { config->value.EnableVarseqlen(); }
PD_Bool PD_ConfigTensorRtOssEnabled(PD_Config*) { return 0; }
void PD_ConfigEnableTensorRtDla(PD_Config* config, int32_t) {
  no_effect(config, "EnableTensorRtDla", kCpuOnly);
}
PD_Bool PD_ConfigTensorRtDlaEnabled(PD_Config*) { return 0; }
PD_Bool PD_ConfigONNXRuntimeEnabled(PD_Config*) { return 0; }
void PD_ConfigEnableORTOptimization(PD_Config*) {}
void PD_ConfigSetMkldnnOp(PD_Config*, size_t, const char**) {}
void PD_ConfigEnableMkldnnInt8(PD_Config* config) {
  attempt([&] { config->value.EnableMkldnnInt8(); });
}
PD_Bool PD_ConfigMkldnnInt8Enabled(PD_Config*) { return 0; }
void PD_ConfigInsertPass(PD_Config* config, size_t idx, const char* name) {
  attempt([&] { config->value.pass_builder()->InsertPass(idx, name); });
}
void PD_ConfigAppendPass(PD_Config* config, const char* name) {
  attempt([&] { config->value.pass_builder()->AppendPass(name); });
}
PD_OneDimArrayCstr* PD_ConfigAllPasses(PD_Config* config) {
  return guarded<PD_OneDimArrayCstr*>(
      nullptr, [&] { return array_of(config->value.pass_builder()->AllPasses()); });
}
void PD_ConfigSetInvalid(PD_Config* config) { config->valid = false; }
PD_Bool PD_ConfigIsValid(PD_Config* config) { return config->valid; }
void PD_ConfigPartiallyRelease(PD_Config*) {}
PD_Cstr* PD_ConfigSummary(PD_Config* config) {
  return guarded<PD_Cstr*>(nullptr, [&] {
    const std::string text = config->value.Summary();
    return new PD_Cstr{text.size() + 1, copied(text)};
  });
}

PD_Predictor* PD_PredictorCreate(PD_Config* config) {
  const std::unique_ptr<PD_Config> owned(config);
  return guarded<PD_Predictor*>(nullptr, [&] {
    if (!owned->valid) throw std::runtime_error("PD_PredictorCreate: the config was set invalid.");
    return new PD_Predictor{std::make_unique<paddle_infer::Predictor>(owned->value)};
  });
}
PD_Predictor* PD_PredictorClone(PD_Predictor* predictor) {
  return guarded<PD_Predictor*>(nullptr,
                                [&] { return new PD_Predictor{predictor->value->Clone()}; });
}
void PD_PredictorDestroy(PD_Predictor* predictor) { delete predictor; }
size_t PD_PredictorGetInputNum(PD_Predictor* predictor) {
  return guarded(size_t{0}, [&] { return predictor->value->GetInputNames().size(); });
}
size_t PD_PredictorGetOutputNum(PD_Predictor* predictor) {
  return guarded(size_t{0}, [&] { return predictor->value->GetOutputNames().size(); });
}
PD_OneDimArrayCstr* PD_PredictorGetInputNames(PD_Predictor* predictor) {
  return guarded<PD_OneDimArrayCstr*>(nullptr,
                                      [&] { return array_of(predictor->value->GetInputNames()); });
}
PD_OneDimArrayCstr* PD_PredictorGetOutputNames(PD_Predictor* predictor) {
  return guarded<PD_OneDimArrayCstr*>(nullptr,
                                      [&] { return array_of(predictor->value->GetOutputNames()); });
}
PD_Tensor* PD_PredictorGetInputHandle(PD_Predictor* predictor, const char* name) {
  return guarded<PD_Tensor*>(nullptr,
                             [&] { return new PD_Tensor{predictor->value->GetInputHandle(name)}; });
}
PD_Tensor* PD_PredictorGetOutputHandle(PD_Predictor* predictor, const char* name) {
  return guarded<PD_Tensor*>(
      nullptr, [&] { return new PD_Tensor{predictor->value->GetOutputHandle(name)}; });
}
PD_Bool PD_PredictorRun(PD_Predictor* predictor) {
  return attempt([&] { predictor->value->Run(); });
}
void PD_PredictorClearIntermediateTensor(PD_Predictor* predictor) {
  attempt([&] { predictor->value->ClearIntermediateTensor(); });
}
uint64_t PD_PredictorTryShrinkMemory(PD_Predictor* predictor) {
  return guarded(uint64_t{0}, [&] { return predictor->value->TryShrinkMemory(); });
}

void PD_TensorDestroy(PD_Tensor* tensor) { delete tensor; }
const char* PD_TensorGetName(PD_Tensor* tensor) { return tensor->value->name().c_str(); }
void PD_TensorReshape(PD_Tensor* tensor, size_t shape_size, int32_t* shape) {
  attempt([&] { tensor->value->Reshape(std::vector<int>(shape, shape + shape_size)); });
}
PD_OneDimArrayInt32* PD_TensorGetShape(PD_Tensor* tensor) {
  return guarded<PD_OneDimArrayInt32*>(nullptr, [&] {
    const std::vector<int> shape = tensor->value->shape();
    auto* out = new PD_OneDimArrayInt32{shape.size(), new int32_t[shape.size()]};
    std::copy(shape.begin(), shape.end(), out->data);
    return out;
  });
}
PD_DataType PD_TensorGetDataType(PD_Tensor* tensor) {
  return guarded<PD_DataType>(PD_DATA_UNK, [&] { return data_type(tensor->value->type()); });
}

#define PD_TENSOR_OF(T, Name)                                                           \
  T* PD_TensorMutableData##Name(PD_Tensor* tensor, PD_PlaceType) {                      \
    return guarded<T*>(nullptr, [&] { return tensor->value->mutable_data<T>(); });      \
  }                                                                                     \
  T* PD_TensorData##Name(PD_Tensor* tensor, PD_PlaceType* place, int32_t* size) {       \
    if (place) *place = PD_PLACE_CPU;                                                   \
    return guarded<T*>(nullptr, [&] { return tensor->value->data<T>(nullptr, size); }); \
  }                                                                                     \
  PD_Bool PD_TensorCopyFromCpu##Name(PD_Tensor* tensor, const T* data) {                \
    return attempt([&] { tensor->value->CopyFromCpu(data); });                          \
  }                                                                                     \
  PD_Bool PD_TensorCopyToCpu##Name(PD_Tensor* tensor, T* data) {                        \
    return attempt([&] { tensor->value->CopyToCpu(data); });                            \
  }
PD_TENSOR_OF(float, Float)
PD_TENSOR_OF(int64_t, Int64)
PD_TENSOR_OF(int32_t, Int32)
PD_TENSOR_OF(uint8_t, Uint8)
PD_TENSOR_OF(int8_t, Int8)
#undef PD_TENSOR_OF

void PD_TensorSetLod(PD_Tensor* tensor, PD_TwoDimArraySize* lod) {
  attempt([&] {
    std::vector<std::vector<size_t>> levels;
    for (size_t i = 0; i < lod->size; ++i) {
      levels.emplace_back(lod->data[i]->data, lod->data[i]->data + lod->data[i]->size);
    }
    tensor->value->SetLoD(levels);
  });
}
PD_TwoDimArraySize* PD_TensorGetLod(PD_Tensor* tensor) {
  return guarded<PD_TwoDimArraySize*>(nullptr, [&] {
    const std::vector<std::vector<size_t>> levels = tensor->value->lod();
    auto* out = new PD_TwoDimArraySize{levels.size(), new PD_OneDimArraySize*[levels.size()]};
    for (size_t i = 0; i < levels.size(); ++i) {
      out->data[i] = new PD_OneDimArraySize{levels[i].size(), new size_t[levels[i].size()]};
      std::copy(levels[i].begin(), levels[i].end(), out->data[i]->data);
    }
    return out;
  });
}

void PD_OneDimArraySizeDestroy(PD_OneDimArraySize* array) {
  if (!array) return;
  delete[] array->data;
  delete array;
}
void PD_TwoDimArraySizeDestroy(PD_TwoDimArraySize* array) {
  if (!array) return;
  for (size_t i = 0; i < array->size; ++i) PD_OneDimArraySizeDestroy(array->data[i]);
  delete[] array->data;
  delete array;
}
void PD_CstrDestroy(PD_Cstr* text) {
  if (!text) return;
  delete[] text->data;
  delete text;
}
void PD_OneDimArrayCstrDestroy(PD_OneDimArrayCstr* array) {
  if (!array) return;
  for (size_t i = 0; i < array->size; ++i) delete[] array->data[i];
  delete[] array->data;
  delete array;
}
void PD_OneDimArrayInt32Destroy(PD_OneDimArrayInt32* array) {
  if (!array) return;
  delete[] array->data;
  delete array;
}

}  // extern "C"
