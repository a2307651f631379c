// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The public classes over Runner.
#include <cstring>

#include "inference/predictor/runner.h"

namespace paddle_infer {
namespace {

using paddle::DType;

constexpr std::pair<DType, DataType> kTypes[] = {
    {DType::kFloat32, DataType::FLOAT32},  {DType::kInt64, DataType::INT64},
    {DType::kInt32, DataType::INT32},      {DType::kUInt8, DataType::UINT8},
    {DType::kInt8, DataType::INT8},        {DType::kFloat16, DataType::FLOAT16},
    {DType::kBool, DataType::BOOL},        {DType::kFloat64, DataType::FLOAT64},
    {DType::kBFloat16, DataType::BFLOAT16}};

DataType data_type(DType dtype) {
  for (const auto& [ours, theirs] : kTypes) {
    if (ours == dtype) return theirs;
  }
  paddle::throw_error(paddle::ErrorKind::kType,
                      paddle::str("Tensor.type: ", dtype, " has no DataType."));
}

paddle::Shape shape_of(const std::vector<int>& dims) {
  PADDLE_CHECK_VALUE(dims.size() <= paddle::kMaxRank, "Tensor.Reshape: a shape has ", dims.size(),
                     " extents; the largest rank is ", paddle::kMaxRank, '.');
  paddle::Shape shape;
  for (const int d : dims) {
    PADDLE_CHECK_VALUE(d >= 0, "Tensor.Reshape: extent ", d, " is negative.");
    shape.push_back(paddle::Dim(d));
  }
  return shape;
}

std::vector<std::string> names_of(const std::vector<detail::IoPtr>& list) {
  std::vector<std::string> names;
  for (const detail::IoPtr& io : list) names.push_back(io->name);
  return names;
}

using Values = std::vector<paddle::pir::Value*>;

std::map<std::string, std::vector<int64_t>> shapes(const std::vector<std::string>& names,
                                                   const Values& values) {
  std::map<std::string, std::vector<int64_t>> out;
  for (size_t i = 0; i < names.size(); ++i) {
    std::vector<int64_t>& dims = out[names[i]];
    for (const paddle::Dim d : values[i]->type().shape()) {
      dims.push_back(d.is_symbolic() ? -1 : d.value());
    }
  }
  return out;
}

std::map<std::string, DataType> types(const std::vector<std::string>& names, const Values& values) {
  std::map<std::string, DataType> out;
  for (size_t i = 0; i < names.size(); ++i) out[names[i]] = data_type(values[i]->type().dtype());
  return out;
}

}  // namespace

// -- Tensor ------------------------------------------------------------------------------------

const std::string& Tensor::name() const { return io_->name; }

void Tensor::Reshape(const std::vector<int>& shape) {
  PADDLE_CHECK_RUNTIME(io_->is_input, "Tensor.Reshape: '", io_->name,
                       "' is an output; only inputs have a shape to announce.");
  io_->announced = shape_of(shape);
  io_->value = paddle::Tensor();
}

template <typename T>
T* Tensor::mutable_data(PlaceType) {
  io_->set(paddle::Tensor::empty(io_->announced, paddle::DTypeOf<T>::value));
  return io_->value.data<T>();
}

template <typename T>
void Tensor::CopyFromCpu(const T* data) {
  T* to = mutable_data<T>(PlaceType::kCPU);
  const size_t n = numel();
  PADDLE_CHECK_VALUE(data || n == 0, "CopyFromCpu: the data for '", io_->name, "' is null.");
  if (n) std::memcpy(static_cast<void*>(to), data, n * sizeof(T));
}

template <typename T>
void Tensor::ShareExternalData(const T* data, const std::vector<int>& shape, PlaceType place,
                               DataLayout) {
  PADDLE_CHECK_VALUE(place == PlaceType::kCPU, "ShareExternalData: the data for '", io_->name,
                     "' must be in host memory.");
  const paddle::Shape dims = shape_of(shape);
  paddle::Tensor t = paddle::Tensor::meta(dims, paddle::DTypeOf<T>::value);
  const size_t bytes = static_cast<size_t>(t.numel()) * sizeof(T);
  PADDLE_CHECK_VALUE(data || bytes == 0, "ShareExternalData: the data for '", io_->name,
                     "' is null.");
  t->storage = paddle::Storage::wrap(const_cast<T*>(data), bytes, paddle::Place(), [] {});
  t->set_contiguous_layout();
  io_->set(std::move(t));
}

template <typename T>
T* Tensor::data(PlaceType* place, int* size) const {
  const paddle::Tensor& t = io_->get("Tensor.data");
  PADDLE_CHECK_TYPE(t.dtype() == paddle::DTypeOf<T>::value, "Tensor.data: '", io_->name, "' holds ",
                    t.dtype(), ", not ", paddle::DTypeOf<T>::value, '.');
  if (place) *place = PlaceType::kCPU;
  if (size) *size = static_cast<int>(t.numel());
  return t.data<T>();
}

template <typename T>
void Tensor::CopyToCpu(T* to) const {
  const T* from = data<T>(nullptr, nullptr);
  if (const size_t n = numel()) std::memcpy(static_cast<void*>(to), from, n * sizeof(T));
}

#define PADDLE_INFER_TENSOR(T)                                                                   \
  template PADDLE_INFER_API void Tensor::CopyFromCpu<T>(const T*);                               \
  template PADDLE_INFER_API void Tensor::ShareExternalData<T>(const T*, const std::vector<int>&, \
                                                              PlaceType, DataLayout);            \
  template PADDLE_INFER_API T* Tensor::mutable_data<T>(PlaceType);                               \
  template PADDLE_INFER_API T* Tensor::data<T>(PlaceType*, int*) const;                          \
  template PADDLE_INFER_API void Tensor::CopyToCpu<T>(T*) const;
PADDLE_INFER_TENSOR(float)
PADDLE_INFER_TENSOR(double)
PADDLE_INFER_TENSOR(int64_t)
PADDLE_INFER_TENSOR(int32_t)
PADDLE_INFER_TENSOR(int16_t)
PADDLE_INFER_TENSOR(uint8_t)
PADDLE_INFER_TENSOR(int8_t)
PADDLE_INFER_TENSOR(bool)
PADDLE_INFER_TENSOR(paddle::float16)
PADDLE_INFER_TENSOR(paddle::bfloat16)
#undef PADDLE_INFER_TENSOR

std::vector<int> Tensor::shape() const {
  const std::vector<int64_t> dims = io_->shape();
  return {dims.begin(), dims.end()};
}

size_t Tensor::numel() const {
  size_t n = 1;
  for (const paddle::Dim d : io_->value.defined() ? io_->value.shape() : io_->announced) {
    n *= static_cast<size_t>(d.value());
  }
  return n;
}

DataType Tensor::type() const { return data_type(io_->get("Tensor.type").dtype()); }
void Tensor::SetLoD(const std::vector<std::vector<size_t>>& lod) { io_->lod = lod; }
std::vector<std::vector<size_t>> Tensor::lod() const { return io_->lod; }

// -- Predictor ---------------------------------------------------------------------------------

Predictor::Predictor(const Config& config)
    : runner_(std::make_shared<detail::Runner>(config.settings())) {}

std::vector<std::string> Predictor::GetInputNames() const { return names_of(runner_->inputs()); }
std::vector<std::string> Predictor::GetOutputNames() const { return names_of(runner_->outputs()); }

std::unique_ptr<Tensor> Predictor::GetInputHandle(const std::string& name) const {
  return std::make_unique<Tensor>(runner_->input(name));
}
std::unique_ptr<Tensor> Predictor::GetOutputHandle(const std::string& name) const {
  return std::make_unique<Tensor>(runner_->output(name));
}

std::map<std::string, std::vector<int64_t>> Predictor::GetInputTensorShape() const {
  return shapes(runner_->program().input_names, runner_->program().inputs);
}
std::map<std::string, std::vector<int64_t>> Predictor::GetOutputTensorShape() const {
  return shapes(runner_->program().output_names, runner_->program().outputs);
}
std::map<std::string, DataType> Predictor::GetInputTypes() const {
  return types(runner_->program().input_names, runner_->program().inputs);
}
std::map<std::string, DataType> Predictor::GetOutputTypes() const {
  return types(runner_->program().output_names, runner_->program().outputs);
}

bool Predictor::Run() {
  runner_->run();
  return true;
}

namespace {

detail::SeeTensor seeing(const char* function, const TensorHookFunc& hook) {
  PADDLE_CHECK_VALUE(hook, function, ": the hook is empty.");
  return [hook](const std::string& op, const std::string& name, const paddle::Tensor& tensor) {
    const auto io = std::make_shared<detail::Io>();
    io->name = name;
    io->value = tensor.contiguous_copy_if_needed();
    hook(op, name, Tensor(io));
  };
}

}  // namespace

void Predictor::RegisterInputHook(const InputTensorHookFunc& hook) {
  runner_->add_hook(false, seeing("RegisterInputHook", hook));
}

void Predictor::RegisterOutputHook(const OutputTensorHookFunc& hook) {
  runner_->add_hook(true, seeing("RegisterOutputHook", hook));
}

std::unique_ptr<Predictor> Predictor::Clone(void*) const {
  return std::make_unique<Predictor>(runner_->clone());
}

uint64_t Predictor::TryShrinkMemory() { return runner_->shrink(); }

std::shared_ptr<Predictor> CreatePredictor(const Config& config) {
  return std::make_shared<Predictor>(config);
}

int GetNumBytesOfDataType(DataType type) {
  for (const auto& [ours, theirs] : kTypes) {
    if (theirs == type) return static_cast<int>(paddle::size_of(ours));
  }
  return 0;
}

// The level of PaddlePaddle's interface, which is what programs ask for.
std::string GetVersion() { return "version: 3.3.1\n"; }
std::tuple<int, int, int> GetTrtCompileVersion() { return {0, 0, 0}; }
std::tuple<int, int, int> GetTrtRuntimeVersion() { return {0, 0, 0}; }

namespace services {

PredictorPool::PredictorPool(const Config& config, size_t size) {
  PADDLE_CHECK_VALUE(size >= 1, "PredictorPool: size has value 0; it must be at least 1.");
  predictors_.push_back(std::make_unique<Predictor>(config));
  while (predictors_.size() < size) predictors_.push_back(predictors_[0]->Clone());
}

Predictor* PredictorPool::Retrieve(size_t index) const {
  PADDLE_CHECK_INDEX(index < predictors_.size(), "PredictorPool.retrieve: idx has value ", index,
                     "; the pool has ", predictors_.size(), " predictors.");
  return predictors_[index].get();
}

}  // namespace services
}  // namespace paddle_infer
