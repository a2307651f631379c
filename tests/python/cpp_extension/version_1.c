/* SPDX-FileCopyrightText: paddle-core contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A library built against version 1 of the binary interface: its tables stand here as they were
 * then, and no header of the package is included. Hosts of later versions load it. The operator
 * gives the number of elements of its input, or -1 where the host wrote past the end of the table
 * that it was given. */
#include <stdint.h>
#include <string.h>

typedef struct Tensor* TensorRef;
typedef struct {
  int32_t kind, index;
} Place;
typedef struct {
  int32_t kind;
  uint32_t reserved;
  uint64_t count;
  union {
    TensorRef tensor;
    int64_t i;
    double f;
  } u;
} Value;
typedef struct {
  uint64_t struct_size;
  int32_t dtype, ndim;
  Place place;
  int64_t numel;
  int32_t contiguous;
} TensorInfo;
typedef void (*Emit)(void* receiver, TensorRef tensor);
typedef struct {
  uint64_t struct_size;
  uint32_t abi_version, reserved;
  const char* (*last_error)(void);
  void (*set_error)(int kind, const char* message);
  void (*retain)(TensorRef tensor);
  void (*release)(TensorRef tensor);
  int (*tensor_info)(TensorRef tensor, TensorInfo* info);
  int (*tensor_shape)(TensorRef tensor, int64_t* dims, int32_t capacity);
  int (*tensor_strides)(TensorRef tensor, int64_t* strides, int32_t capacity);
  int (*tensor_data)(TensorRef tensor, void** data);
  int (*tensor_empty)(const int64_t* dims, int32_t ndim, int32_t dtype, Place place,
                      TensorRef* result);
} Host;
typedef struct {
  uint64_t struct_size;
  const Value* values;
  uint64_t count;
  Emit emit;
  void* receiver;
} KernelCall;
typedef struct {
  uint64_t struct_size;
  const char* name;
  int32_t order;
  uint32_t reserved;
  const char* const* inputs;
  uint64_t num_inputs;
  const char* const* outputs;
  uint64_t num_outputs;
  const char* const* attributes;
  uint64_t num_attributes;
  const char* const* inplace;
  uint64_t num_inplace;
  int (*kernel)(const KernelCall* call);
  int (*infer_shape)(const void* call);
  int (*infer_dtype)(const void* call);
} Operator;

static const Host* host;

static int count_elements(const KernelCall* call) {
  struct {
    TensorInfo info;
    unsigned char guard[64];
  } table;
  memset(&table, 0x5A, sizeof table);
  table.info.struct_size = sizeof table.info;
  int status = host->tensor_info(call->values[0].u.tensor, &table.info);
  if (status) return status;
  int64_t answer = table.info.numel;
  for (unsigned i = 0; i < sizeof table.guard; ++i) {
    if (table.guard[i] != 0x5A) answer = -1;
  }
  int64_t dims[8];
  status = host->tensor_shape(call->values[0].u.tensor, dims, 8);
  if (status) return status;
  TensorRef result;
  status = host->tensor_empty(dims, table.info.ndim, table.info.dtype, table.info.place, &result);
  if (status) return status;
  void* data;
  status = host->tensor_data(result, &data);
  if (status) return status;
  for (int64_t i = 0; i < table.info.numel; ++i) ((int64_t*)data)[i] = answer;
  call->emit(call->receiver, result);
  return 0;
}

static const char* const inputs[] = {"X"};
static const char* const outputs[] = {"Out"};
static const Operator count_op = {sizeof(Operator),
                                  "test_version_1_count",
                                  0,
                                  0,
                                  inputs,
                                  1,
                                  outputs,
                                  1,
                                  0,
                                  0,
                                  0,
                                  0,
                                  count_elements,
                                  0,
                                  0};
static const Operator* const operators[] = {&count_op};

int paddle_extension_operators_v1(const Host* given, const Operator* const** all, uint64_t* count) {
  host = given;
  *all = operators;
  *count = 1;
  return 0;
}
