/* SPDX-FileCopyrightText: paddle-core contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An extension in C with an operator for the skeleton's devices, compiled by test_extension.py:
 * test_cube(X), the third powers of float32 numbers, and its gradient, each with a kernel for the
 * host and one for the device. The device's kernels issue their work on the stream of the call and
 * reach the memory through the runtime of the skeleton, which they are linked with.
 * test_misplaced(X) gives a tensor of the host on the device. */
#include <string.h>

#include "paddle/extension/abi.h"
#include "skeleton.h"

static const PaddleHost* host;

struct Work {
  const float *x, *gradient;
  float* out;
  int64_t n;
};

static void compute(void* argument) {
  struct Work* work = argument;
  for (int64_t i = 0; i < work->n; ++i) {
    const float x = work->x[i];
    work->out[i] = work->gradient ? 3 * x * x * work->gradient[i] : x * x * x;
  }
}

static int memory_of(PaddleTensor tensor, PdStream device, int64_t* n, void** data) {
  PaddleTensorInfo info;
  info.struct_size = sizeof info;
  const int status = host->tensor_info(tensor, &info);
  if (status) return status;
  *n = info.numel;
  *data = device ? skeleton_bytes(info.allocation, info.offset, 4 * info.numel)
                 : (char*)info.allocation + info.offset;
  return 0;
}

/* `operands`: X, and the gradient of Out when there are two. */
static int run(const PaddleKernelCall* call, PdStream device, PaddlePlace place) {
  int64_t dims[8];
  PaddleTensorInfo info;
  info.struct_size = sizeof info;
  const PaddleTensor x = call->values[0].tensor;
  int status = host->tensor_info(x, &info);
  if (!status) status = host->tensor_shape(x, dims, 8);
  if (status) return status;
  if (info.place.kind != call->place.kind || info.dtype != PADDLE_FLOAT32) {
    host->set_error(PADDLE_ERROR_TYPE, "test_cube: float32 at the place of the call is needed.");
    return PADDLE_ERROR_TYPE;
  }
  PaddleTensor out;
  status = host->tensor_empty(dims, info.ndim, info.dtype, place, &out);
  if (status) return status;
  struct Work work;
  memset(&work, 0, sizeof work);
  void* data;
  status = memory_of(x, device, &work.n, &data);
  work.x = data;
  if (!status) status = memory_of(out, device, &work.n, &data);
  work.out = data;
  if (!status && call->count == 2) {
    status = memory_of(call->values[1].tensor, device, &work.n, &data);
    work.gradient = data;
  }
  if (status) return status;
  if (device) {
    skeleton_issue(device, compute, &work, sizeof work);
  } else {
    compute(&work);
  }
  call->emit(call->receiver, out);
  return 0;
}

static int on_host(const PaddleKernelCall* call) { return run(call, 0, call->place); }
static int on_device(const PaddleKernelCall* call) {
  void* current;
  const int status = host->current_stream(call->place, &current);
  if (status) return status;
  if (current != call->stream) {
    host->set_error(PADDLE_ERROR_RUNTIME, "the call is not on the current stream.");
    return PADDLE_ERROR_RUNTIME;
  }
  return run(call, call->stream, call->place);
}

static int misplaced(const PaddleKernelCall* call) {
  const PaddlePlace cpu = {PADDLE_DEVICE_CPU, 0};
  const int64_t dims[1] = {1};
  PaddleTensor out;
  const int status = host->tensor_empty(dims, 1, PADDLE_FLOAT32, cpu, &out);
  if (status) return status;
  call->emit(call->receiver, out);
  return 0;
}

static const PaddleDeviceKernel ours = {sizeof(PaddleDeviceKernel), DEVICE, on_device};
static const PaddleDeviceKernel misplacing = {sizeof(PaddleDeviceKernel), DEVICE, misplaced};
static const PaddleDeviceKernel* const kernels[] = {&ours};
static const PaddleDeviceKernel* const misplacing_kernels[] = {&misplacing};
static const char *const x[] = {"X"}, *const out[] = {"Out"};
static const char *const both[] = {"X", "Out@GRAD"}, *const x_gradient[] = {"X@GRAD"};

static const PaddleOperator cube = {.struct_size = sizeof(PaddleOperator),
                                    .name = "test_cube" SUFFIX,
                                    .inputs = x,
                                    .num_inputs = 1,
                                    .outputs = out,
                                    .num_outputs = 1,
                                    .kernel = on_host,
                                    .device_kernels = kernels,
                                    .num_device_kernels = 1};
static const PaddleOperator cube_gradient = {.struct_size = sizeof(PaddleOperator),
                                             .name = "test_cube" SUFFIX,
                                             .order = 1,
                                             .inputs = both,
                                             .num_inputs = 2,
                                             .outputs = x_gradient,
                                             .num_outputs = 1,
                                             .kernel = on_host,
                                             .device_kernels = kernels,
                                             .num_device_kernels = 1};
static const PaddleOperator misplaced_operator = {.struct_size = sizeof(PaddleOperator),
                                                  .name = "test_misplaced" SUFFIX,
                                                  .inputs = x,
                                                  .num_inputs = 1,
                                                  .outputs = out,
                                                  .num_outputs = 1,
                                                  .kernel = misplaced,
                                                  .device_kernels = misplacing_kernels,
                                                  .num_device_kernels = 1};
static const PaddleOperator* const operators[] = {&cube, &cube_gradient, &misplaced_operator};

int PADDLE_EXTENSION_ENTRY(const PaddleHost* given, const PaddleOperator* const** all,
                           uint64_t* count) {
  host = given;
  *all = operators;
  *count = 3;
  return 0;
}
