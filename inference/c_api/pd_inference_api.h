/* SPDX-FileCopyrightText: paddle-core contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inference library for C (and for languages that call C): Config, Predictor and Tensor of
 * paddle_inference_api.h as opaque handles, under the names of PaddlePaddle's C interface.
 *
 * A call that fails returns NULL, 0 or -1 and keeps one sentence that PD_GetLastError() gives on
 * the same thread. What a function creates is destroyed with the Destroy function of its type;
 * PD_PredictorCreate takes the config over.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PD_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef int8_t PD_Bool;
typedef struct PD_Config PD_Config;
typedef struct PD_Predictor PD_Predictor;
typedef struct PD_Tensor PD_Tensor;

typedef struct PD_Cstr {
  size_t size; /* with the final zero */
  char* data;
} PD_Cstr;
typedef struct PD_OneDimArrayCstr {
  size_t size;
  char** data;
} PD_OneDimArrayCstr;
typedef struct PD_OneDimArrayInt32 {
  size_t size;
  int32_t* data;
} PD_OneDimArrayInt32;

typedef struct PD_OneDimArraySize {
  size_t size;
  size_t* data;
} PD_OneDimArraySize;
typedef struct PD_TwoDimArraySize {
  size_t size;
  PD_OneDimArraySize** data;
} PD_TwoDimArraySize;

typedef int32_t PD_PlaceType;
enum { PD_PLACE_UNK = -1, PD_PLACE_CPU, PD_PLACE_GPU, PD_PLACE_XPU };

typedef int32_t PD_PrecisionType;
enum { PD_PRECISION_FLOAT32 = 0, PD_PRECISION_INT8, PD_PRECISION_HALF };

typedef int32_t PD_DataType;
enum {
  PD_DATA_UNK = -1,
  PD_DATA_FLOAT32,
  PD_DATA_INT32,
  PD_DATA_INT64,
  PD_DATA_UINT8,
  PD_DATA_INT8,
  PD_DATA_FLOAT64
};

/* Why the last call of this thread that failed did; "" when none has. */
PD_API const char* PD_GetLastError(void);
PD_API const char* PD_GetVersion(void);

PD_API PD_Config* PD_ConfigCreate(void);
PD_API void PD_ConfigDestroy(PD_Config* config);
PD_API void PD_ConfigSetModel(PD_Config* config, const char* prog_file, const char* params_file);
PD_API void PD_ConfigSetModelDir(PD_Config* config, const char* model_dir);
PD_API void PD_ConfigSetProgFile(PD_Config* config, const char* path);
PD_API void PD_ConfigSetParamsFile(PD_Config* config, const char* path);
PD_API void PD_ConfigSetModelBuffer(PD_Config* config, const char* prog, size_t prog_size,
                                    const char* params, size_t params_size);
PD_API const char* PD_ConfigGetModelDir(PD_Config* config);
PD_API const char* PD_ConfigGetProgFile(PD_Config* config);
PD_API const char* PD_ConfigGetParamsFile(PD_Config* config);
PD_API PD_Bool PD_ConfigModelFromMemory(PD_Config* config);
PD_API void PD_ConfigSetCpuMathLibraryNumThreads(PD_Config* config, int32_t n);
PD_API int32_t PD_ConfigGetCpuMathLibraryNumThreads(PD_Config* config);
PD_API void PD_ConfigSwitchIrOptim(PD_Config* config, PD_Bool on);
PD_API PD_Bool PD_ConfigIrOptim(PD_Config* config);
PD_API void PD_ConfigSwitchIrDebug(PD_Config* config, PD_Bool on);
PD_API void PD_ConfigEnableMemoryOptim(PD_Config* config, PD_Bool on);
PD_API PD_Bool PD_ConfigMemoryOptimEnabled(PD_Config* config);
PD_API void PD_ConfigEnableMKLDNN(PD_Config* config);
PD_API PD_Bool PD_ConfigMkldnnEnabled(PD_Config* config);
PD_API void PD_ConfigEnableMkldnnBfloat16(PD_Config* config);
PD_API PD_Bool PD_ConfigMkldnnBfloat16Enabled(PD_Config* config);
PD_API void PD_ConfigSetBfloat16Op(PD_Config* config, size_t ops_num, const char** op_list);
PD_API void PD_ConfigEnableProfile(PD_Config* config);
PD_API void PD_ConfigDisableGlogInfo(PD_Config* config);
PD_API void PD_ConfigDeletePass(PD_Config* config, const char* name);
PD_API PD_Bool PD_ConfigProfileEnabled(PD_Config* config);
PD_API PD_Bool PD_ConfigGlogInfoDisabled(PD_Config* config);
PD_API void PD_ConfigSetOptimCacheDir(PD_Config* config, const char* path);
PD_API void PD_ConfigSetMkldnnCacheCapacity(PD_Config* config, int32_t capacity);
/* Engines and devices of other builds: one warning each, the model runs on the CPU. */
PD_API void PD_ConfigEnableUseGpu(PD_Config* config, uint64_t memory_pool_init_size_mb,
                                  int32_t device_id, PD_PrecisionType precision);
PD_API void PD_ConfigEnableTensorRtEngine(PD_Config* config, int32_t workspace_size,
                                          int32_t max_batch_size, int32_t min_subgraph_size,
                                          PD_PrecisionType precision, PD_Bool use_static,
                                          PD_Bool use_calib_mode);
PD_API PD_Bool PD_ConfigTensorRtEngineEnabled(PD_Config* config);
PD_API void PD_ConfigEnableTunedTensorRtDynamicShape(PD_Config* config, const char* path,
                                                     PD_Bool allow_build_at_runtime);
PD_API void PD_ConfigCollectShapeRangeInfo(PD_Config* config, const char* path);
PD_API void PD_ConfigEnableONNXRuntime(PD_Config* config);
PD_API void PD_ConfigDisableONNXRuntime(PD_Config* config);
PD_API void PD_ConfigDisableGpu(PD_Config* config);
PD_API PD_Bool PD_ConfigUseGpu(PD_Config* config);
PD_API int32_t PD_ConfigGpuDeviceId(PD_Config* config);
PD_API int32_t PD_ConfigMemoryPoolInitSizeMb(PD_Config* config);
PD_API float PD_ConfigFractionOfGpuMemoryForPool(PD_Config* config);
PD_API void PD_ConfigEnableCudnn(PD_Config* config);
PD_API PD_Bool PD_ConfigCudnnEnabled(PD_Config* config);
PD_API void PD_ConfigEnableGpuMultiStream(PD_Config* config);
PD_API PD_Bool PD_ConfigThreadLocalStreamEnabled(PD_Config* config);
PD_API void PD_ConfigEnableXpu(PD_Config* config, int32_t l3_workspace_size, PD_Bool locked,
                               PD_Bool autotune, const char* autotune_file, const char* precision,
                               PD_Bool adaptive_seqlen);
PD_API PD_Bool PD_ConfigUseXpu(PD_Config* config);
PD_API int32_t PD_ConfigXpuDeviceId(PD_Config* config);
PD_API void PD_ConfigEnableCustomDevice(PD_Config* config, const char* device_type,
                                        int32_t device_id);
PD_API PD_Bool PD_ConfigUseCustomDevice(PD_Config* config);
PD_API int32_t PD_ConfigCustomDeviceId(PD_Config* config);
PD_API void PD_ConfigSetTrtDynamicShapeInfo(PD_Config* config, size_t tensor_num,
                                            const char** tensor_name, size_t* shapes_num,
                                            int32_t** min_shape, int32_t** max_shape,
                                            int32_t** optim_shape, PD_Bool disable_trt_plugin_fp16);
PD_API PD_Bool PD_ConfigTensorRtDynamicShapeEnabled(PD_Config* config);
PD_API PD_Bool PD_ConfigTunedTensorRtDynamicShape(PD_Config* config);
PD_API PD_Bool PD_ConfigTrtAllowBuildAtRuntime(PD_Config* config);
PD_API const char* PD_ConfigShapeRangeInfoPath(PD_Config* config);
PD_API PD_Bool PD_ConfigShapeRangeInfoCollected(PD_Config* config);
PD_API void PD_ConfigDisableTensorRtOPs(PD_Config* config, size_t ops_num, const char** ops_name);
PD_API void PD_ConfigEnableVarseqlen(PD_Config* config);
PD_API PD_Bool PD_ConfigTensorRtOssEnabled(PD_Config* config);
PD_API void PD_ConfigEnableTensorRtDla(PD_Config* config, int32_t dla_core);
PD_API PD_Bool PD_ConfigTensorRtDlaEnabled(PD_Config* config);
PD_API PD_Bool PD_ConfigONNXRuntimeEnabled(PD_Config* config);
PD_API void PD_ConfigEnableORTOptimization(PD_Config* config);
/* Of oneDNN: which operators it runs is decided here by their kernels; int8 warns once. */
PD_API void PD_ConfigSetMkldnnOp(PD_Config* config, size_t ops_num, const char** op_list);
PD_API void PD_ConfigEnableMkldnnInt8(PD_Config* config);
PD_API PD_Bool PD_ConfigMkldnnInt8Enabled(PD_Config* config);
/* The passes in order; `idx` outside of them sets the error of PD_GetLastError. */
PD_API void PD_ConfigInsertPass(PD_Config* config, size_t idx, const char* name);
PD_API void PD_ConfigAppendPass(PD_Config* config, const char* name);
PD_API PD_OneDimArrayCstr* PD_ConfigAllPasses(PD_Config* config);
/* A config that is set invalid makes no predictor. */
PD_API void PD_ConfigSetInvalid(PD_Config* config);
PD_API PD_Bool PD_ConfigIsValid(PD_Config* config);
PD_API void PD_ConfigPartiallyRelease(PD_Config* config);
PD_API PD_Cstr* PD_ConfigSummary(PD_Config* config);

PD_API PD_Predictor* PD_PredictorCreate(PD_Config* config);
PD_API PD_Predictor* PD_PredictorClone(PD_Predictor* predictor);
PD_API void PD_PredictorDestroy(PD_Predictor* predictor);
PD_API size_t PD_PredictorGetInputNum(PD_Predictor* predictor);
PD_API size_t PD_PredictorGetOutputNum(PD_Predictor* predictor);
PD_API PD_OneDimArrayCstr* PD_PredictorGetInputNames(PD_Predictor* predictor);
PD_API PD_OneDimArrayCstr* PD_PredictorGetOutputNames(PD_Predictor* predictor);
PD_API PD_Tensor* PD_PredictorGetInputHandle(PD_Predictor* predictor, const char* name);
PD_API PD_Tensor* PD_PredictorGetOutputHandle(PD_Predictor* predictor, const char* name);
PD_API PD_Bool PD_PredictorRun(PD_Predictor* predictor);
PD_API void PD_PredictorClearIntermediateTensor(PD_Predictor* predictor);
PD_API uint64_t PD_PredictorTryShrinkMemory(PD_Predictor* predictor);

PD_API void PD_TensorDestroy(PD_Tensor* tensor);
PD_API const char* PD_TensorGetName(PD_Tensor* tensor);
PD_API void PD_TensorReshape(PD_Tensor* tensor, size_t shape_size, int32_t* shape);
PD_API PD_OneDimArrayInt32* PD_TensorGetShape(PD_Tensor* tensor);
PD_API PD_DataType PD_TensorGetDataType(PD_Tensor* tensor);
/* The memory of an input of the announced shape, and of a value. `place` is given where that lies,
 * in paddle always in that of the CPU; `place` and `size` may be NULL. */
PD_API float* PD_TensorMutableDataFloat(PD_Tensor* tensor, PD_PlaceType place);
PD_API int64_t* PD_TensorMutableDataInt64(PD_Tensor* tensor, PD_PlaceType place);
PD_API int32_t* PD_TensorMutableDataInt32(PD_Tensor* tensor, PD_PlaceType place);
PD_API uint8_t* PD_TensorMutableDataUint8(PD_Tensor* tensor, PD_PlaceType place);
PD_API int8_t* PD_TensorMutableDataInt8(PD_Tensor* tensor, PD_PlaceType place);
PD_API float* PD_TensorDataFloat(PD_Tensor* tensor, PD_PlaceType* place, int32_t* size);
PD_API int64_t* PD_TensorDataInt64(PD_Tensor* tensor, PD_PlaceType* place, int32_t* size);
PD_API int32_t* PD_TensorDataInt32(PD_Tensor* tensor, PD_PlaceType* place, int32_t* size);
PD_API uint8_t* PD_TensorDataUint8(PD_Tensor* tensor, PD_PlaceType* place, int32_t* size);
PD_API int8_t* PD_TensorDataInt8(PD_Tensor* tensor, PD_PlaceType* place, int32_t* size);
/* As many elements as the shape has. PD_Bool of success. */
PD_API PD_Bool PD_TensorCopyFromCpuFloat(PD_Tensor* tensor, const float* data);
PD_API PD_Bool PD_TensorCopyFromCpuInt64(PD_Tensor* tensor, const int64_t* data);
PD_API PD_Bool PD_TensorCopyFromCpuInt32(PD_Tensor* tensor, const int32_t* data);
PD_API PD_Bool PD_TensorCopyFromCpuUint8(PD_Tensor* tensor, const uint8_t* data);
PD_API PD_Bool PD_TensorCopyFromCpuInt8(PD_Tensor* tensor, const int8_t* data);
PD_API PD_Bool PD_TensorCopyToCpuFloat(PD_Tensor* tensor, float* data);
PD_API PD_Bool PD_TensorCopyToCpuInt64(PD_Tensor* tensor, int64_t* data);
PD_API PD_Bool PD_TensorCopyToCpuInt32(PD_Tensor* tensor, int32_t* data);
PD_API PD_Bool PD_TensorCopyToCpuUint8(PD_Tensor* tensor, uint8_t* data);
PD_API PD_Bool PD_TensorCopyToCpuInt8(PD_Tensor* tensor, int8_t* data);

/* Where the sequences among the rows begin, for each level of nesting. */
PD_API void PD_TensorSetLod(PD_Tensor* tensor, PD_TwoDimArraySize* lod);
PD_API PD_TwoDimArraySize* PD_TensorGetLod(PD_Tensor* tensor);

PD_API void PD_OneDimArraySizeDestroy(PD_OneDimArraySize* array);
PD_API void PD_TwoDimArraySizeDestroy(PD_TwoDimArraySize* array);
PD_API void PD_CstrDestroy(PD_Cstr* text);
PD_API void PD_OneDimArrayCstrDestroy(PD_OneDimArrayCstr* array);
PD_API void PD_OneDimArrayInt32Destroy(PD_OneDimArrayInt32* array);

#ifdef __cplusplus
}
#endif
