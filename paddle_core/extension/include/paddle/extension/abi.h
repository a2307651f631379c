/* SPDX-FileCopyrightText: paddle-core contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The binary interface between the framework and a library of users' operators: plain C, nothing of
 * the framework's C++. The host passes a table of functions to the library's one entry point and
 * gets back a list of operators, each with functions that the host calls.
 *
 * Every table starts with its size. A host of a later version appends fields and never changes the
 * meaning of those that exist, so a library built against an older header keeps working.
 *
 * A function that can fail returns 0 or an error kind. The text of a failure of the host is
 * last_error(); a function of the library leaves its own with set_error() and returns the kind. No
 * exception passes the interface. */
#ifndef PADDLE_EXTENSION_ABI_H_
#define PADDLE_EXTENSION_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PADDLE_EXTENSION_ABI_VERSION 1
/* The entry point: int (const PaddleHost*, const PaddleOperator* const** operators, uint64_t* n).
 */
#define PADDLE_EXTENSION_ENTRY paddle_extension_operators_v1

typedef enum PaddleErrorKind {
  PADDLE_OK = 0,
  PADDLE_ERROR_RUNTIME = 1,
  PADDLE_ERROR_VALUE = 2,
  PADDLE_ERROR_TYPE = 3,
  PADDLE_ERROR_INDEX = 4,
  PADDLE_ERROR_NOT_IMPLEMENTED = 5,
  PADDLE_ERROR_MEMORY = 6,
  PADDLE_ERROR_OS = 7
} PaddleErrorKind;

typedef enum PaddleDType {
  PADDLE_UNDEFINED = 0,
  PADDLE_BOOL = 1,
  PADDLE_UINT8 = 2,
  PADDLE_INT8 = 3,
  PADDLE_INT16 = 4,
  PADDLE_INT32 = 5,
  PADDLE_INT64 = 6,
  PADDLE_FLOAT8_E4M3FN = 7,
  PADDLE_FLOAT8_E5M2 = 8,
  PADDLE_FLOAT16 = 9,
  PADDLE_BFLOAT16 = 10,
  PADDLE_FLOAT32 = 11,
  PADDLE_FLOAT64 = 12,
  PADDLE_COMPLEX64 = 13,
  PADDLE_COMPLEX128 = 14
} PaddleDType;

typedef enum PaddleDeviceKind {
  PADDLE_DEVICE_UNDEFINED = 0,
  PADDLE_DEVICE_CPU = 1,
  PADDLE_DEVICE_GPU = 2,
  PADDLE_DEVICE_CUSTOM = 3
} PaddleDeviceKind;

typedef struct PaddlePlace {
  int32_t kind; /* PaddleDeviceKind; of PADDLE_DEVICE_CUSTOM plus 256 times the registered type */
  int32_t index;
} PaddlePlace;

/* A tensor of the host, reference-counted. */
typedef struct PaddleTensorObject* PaddleTensor;

typedef enum PaddleValueKind {
  PADDLE_VALUE_NONE = 0,
  PADDLE_VALUE_TENSOR = 1,  /* tensor */
  PADDLE_VALUE_TENSORS = 2, /* tensors, count */
  PADDLE_VALUE_BOOL = 3,    /* i */
  PADDLE_VALUE_INT = 4,     /* i */
  PADDLE_VALUE_FLOAT = 5,   /* f */
  PADDLE_VALUE_INTS = 6,    /* ints, count */
  PADDLE_VALUE_FLOATS = 7,  /* floats, count */
  PADDLE_VALUE_TEXT = 8,    /* text, count bytes */
  PADDLE_VALUE_DTYPE = 9,   /* i */
  PADDLE_VALUE_PLACE = 10   /* place */
} PaddleValueKind;

/* An argument of a call; borrows what it points to. */
typedef struct PaddleValue {
  int32_t kind;
  uint32_t reserved;
  uint64_t count;
  union {
    PaddleTensor tensor;
    const PaddleTensor* tensors; /* an element may be null */
    int64_t i;
    double f;
    const int64_t* ints;
    const double* floats;
    const char* text;
    PaddlePlace place;
  };
} PaddleValue;

typedef struct PaddleArgument {
  const char* name;
  PaddleValue value;
} PaddleArgument;

typedef struct PaddleTensorInfo {
  uint64_t struct_size;
  int32_t dtype;
  int32_t ndim;
  PaddlePlace place;
  int64_t numel;
  int32_t contiguous;
  int32_t reserved;
  /* Since the second form of this table: the memory as its device names it (PdMemory of
   * paddle_device.h, where a plugin is loaded), and where the elements begin in it, in bytes. Null
   * without memory. */
  void* allocation;
  int64_t offset;
} PaddleTensorInfo;

/* Takes over one reference; null stands for an absent optional result. */
typedef void (*PaddleEmitFn)(void* receiver, PaddleTensor tensor);

typedef struct PaddleHost {
  uint64_t struct_size;
  uint32_t abi_version;
  uint32_t reserved;

  const char* (*last_error)(void);
  void (*set_error)(int kind, const char* message);

  void (*retain)(PaddleTensor tensor);
  void (*release)(PaddleTensor tensor);
  int (*tensor_info)(PaddleTensor tensor, PaddleTensorInfo* info);
  /* Both fill at most `capacity` numbers; strides count elements. */
  int (*tensor_shape)(PaddleTensor tensor, int64_t* dims, int32_t capacity);
  int (*tensor_strides)(PaddleTensor tensor, int64_t* strides, int32_t capacity);
  int (*tensor_data)(PaddleTensor tensor, void** data);
  /* Memory without values. */
  int (*tensor_empty)(const int64_t* dims, int32_t ndim, int32_t dtype, PaddlePlace place,
                      PaddleTensor* result);
  /* A tensor over memory of the caller; `free_data` may be null. `strides` may be null. */
  int (*tensor_from_data)(void* data, const int64_t* dims, const int64_t* strides, int32_t ndim,
                          int32_t dtype, PaddlePlace place, void (*free_data)(void* context),
                          void* context, PaddleTensor* result);
  /* Values of `source`, cast, into the memory of `target`; equal shapes. */
  int (*tensor_copy)(PaddleTensor target, PaddleTensor source);
  /* Calls an operator by name with named arguments; those left out take their defaults. */
  int (*call)(const char* op, const PaddleArgument* arguments, uint64_t count, PaddleEmitFn emit,
              void* receiver);
  /* Since the second form of this table: the handle of the calling thread's current stream of a
   * device, of the device's own interface; null on the host. */
  int (*current_stream)(PaddlePlace place, void** stream);
} PaddleHost;

/* The same for functions that the library gives to Python; objects are borrowed PyObject*. Called
 * with the interpreter's lock held. */
typedef struct PaddlePython {
  uint64_t struct_size;
  const PaddleHost* host;
  PaddleTensor (*tensor_of)(void* object); /* borrowed; null when the object is no tensor */
  void* (*object_of)(PaddleTensor tensor); /* a new reference; null with a Python error set */
} PaddlePython;

/* A call of a library's operator: the inputs in the declared order, then the attributes. */
typedef struct PaddleKernelCall {
  uint64_t struct_size;
  const PaddleValue* values;
  uint64_t count;
  PaddleEmitFn emit; /* each result in the declared order; a list result by its elements */
  void* receiver;
  /* Since the second form of this table: where the tensors are and the results have to be, and the
   * handle of the stream on which the work is issued, of the device's own interface; null on the
   * host. The memory of the tensors belongs to that stream: it may be given back before the work is
   * done. */
  PaddlePlace place;
  void* stream;
} PaddleKernelCall;

/* A kernel for the devices of one type, by the name with which that is registered. It counts from
 * when the type is registered, before or after the library is loaded. */
typedef struct PaddleDeviceKernel {
  uint64_t struct_size;
  const char* device_type;
  int (*kernel)(const PaddleKernelCall* call);
} PaddleDeviceKernel;

/* Shapes or dtypes of the inputs: one entry an input, each with one element, none (absent) or, for
 * a list, one a tensor. The attributes follow as values. */
typedef struct PaddleShapes {
  uint64_t count;
  const int64_t* const* dims;
  const int32_t* ndims;
} PaddleShapes;

typedef struct PaddleDTypes {
  uint64_t count;
  const int32_t* dtypes;
} PaddleDTypes;

typedef struct PaddleShapeCall {
  uint64_t struct_size;
  const PaddleShapes* inputs;
  uint64_t num_inputs;
  const PaddleValue* attributes;
  uint64_t num_attributes;
  void (*emit)(void* receiver, const int64_t* dims, uint64_t ndim); /* -1: known when it has run */
  void* receiver;
} PaddleShapeCall;

typedef struct PaddleDTypeCall {
  uint64_t struct_size;
  const PaddleDTypes* inputs;
  uint64_t num_inputs;
  const PaddleValue* attributes;
  uint64_t num_attributes;
  void (*emit)(void* receiver, int32_t dtype);
  void* receiver;
} PaddleDTypeCall;

/* Names may end in @VECTOR (a list), @OPTIONAL, @GRAD (the gradient of the name before it), @NEW.
 * Attributes read "name: type". Everything lives as long as the library. */
typedef struct PaddleOperator {
  uint64_t struct_size;
  const char* name;
  int32_t order; /* 0: the operator, 1: its gradient, 2: the gradient of that */
  uint32_t reserved;
  const char* const* inputs;
  uint64_t num_inputs;
  const char* const* outputs;
  uint64_t num_outputs;
  const char* const* attributes;
  uint64_t num_attributes;
  const char* const* inplace;                      /* input, output, input, output, ... */
  uint64_t num_inplace;                            /* pairs */
  int (*kernel)(const PaddleKernelCall* call);     /* of the host */
  int (*infer_shape)(const PaddleShapeCall* call); /* may be null */
  int (*infer_dtype)(const PaddleDTypeCall* call); /* may be null */
  /* Since the second form of this table. Devices without one run the kernel of the host between two
   * copies. */
  const PaddleDeviceKernel* const* device_kernels;
  uint64_t num_device_kernels;
} PaddleOperator;

typedef int (*PaddleExtensionEntry)(const PaddleHost* host, const PaddleOperator* const** operators,
                                    uint64_t* count);

#ifdef __cplusplus
}
#endif

#endif /* PADDLE_EXTENSION_ABI_H_ */
