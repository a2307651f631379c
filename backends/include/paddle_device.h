/* SPDX-FileCopyrightText: paddle-core contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The interface by which a device is plugged in: plain C, nothing of the framework's. A plugin is a
 * shared library with one entry point, paddle_device_plugin(), which hands the host a table of
 * groups of functions. Only the group `device` is compulsory; what a plugin leaves out, the host
 * does without, or says that it is missing.
 *
 * Every function takes one argument struct and returns null, or an error object. Every struct
 * begins with its size in bytes as the one who filled it knows it; later versions append fields and
 * change none, so that plugins and hosts of different minor versions work together. Behind each
 * field stands the version since which it is there; a field of a later version than 1.0 is read
 * only after PD_HAS(). The fields under "out" are written by the function, the others are read.
 *
 * Memory is a handle and an offset in bytes. The host never looks into it. Handles, streams and
 * events belong to the plugin, which defines the structs that they point to as it likes.
 *
 * Functions may be called from any thread, several at a time, except where it says otherwise. Text
 * is UTF-8 and ends in a zero byte. What an argument struct points to lives as long as the call. */
#ifndef PADDLE_DEVICE_H_
#define PADDLE_DEVICE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PD_VERSION_MAJOR 1
#define PD_VERSION_MINOR 1

/* Whether the struct that `pointer` points to is long enough to have the field. */
#define PD_HAS(pointer, field)                                                \
  ((size_t)((const char*)(&(pointer)->field + 1) - (const char*)(pointer)) <= \
   (pointer)->struct_size)

typedef struct PdDeviceObject* PdDevice;
typedef struct PdStreamObject* PdStream;
typedef struct PdEventObject* PdEvent;
typedef struct PdMemoryObject* PdMemory;

/* -- errors -------------------------------------------------------------------------------- */

typedef enum PdErrorKind {
  PD_ERROR_RUNTIME = 1,
  PD_ERROR_VALUE = 2,
  PD_ERROR_TYPE = 3,
  PD_ERROR_INDEX = 4,
  PD_ERROR_NOT_IMPLEMENTED = 5,
  PD_ERROR_MEMORY = 6, /* the host frees what it holds back, and asks once more */
  PD_ERROR_OS = 7
} PdErrorKind;

typedef struct PdError {
  size_t struct_size;                     /* since 1.0 */
  int32_t kind;                           /* since 1.0: PdErrorKind */
  const char* message;                    /* since 1.0: what was wrong, a sentence */
  void* context;                          /* since 1.0: of whoever made the error */
  void (*release)(struct PdError* error); /* since 1.0: called once; null: it is never freed */
} PdError;

/* -- dtypes, tensors, arguments of operators -------------------------------------------------- */

typedef enum PdDType {
  PD_UNDEFINED = 0,
  PD_BOOL = 1,
  PD_UINT8 = 2,
  PD_INT8 = 3,
  PD_INT16 = 4,
  PD_INT32 = 5,
  PD_INT64 = 6,
  PD_FLOAT8_E4M3FN = 7,
  PD_FLOAT8_E5M2 = 8,
  PD_FLOAT16 = 9,
  PD_BFLOAT16 = 10,
  PD_FLOAT32 = 11,
  PD_FLOAT64 = 12,
  PD_COMPLEX64 = 13,
  PD_COMPLEX128 = 14
} PdDType;

/* A set of dtypes holds the bit of each. */
#define PD_DTYPE_BIT(dtype) (UINT64_C(1) << (dtype))

typedef struct PdTensor {
  size_t struct_size;     /* since 1.0 */
  int32_t dtype;          /* since 1.0: PdDType */
  int32_t rank;           /* since 1.0 */
  int64_t count;          /* since 1.0: of elements */
  const int64_t* shape;   /* since 1.0: `rank` extents */
  const int64_t* strides; /* since 1.0: `rank` distances, in elements */
  int64_t offset;         /* since 1.0: bytes from the beginning of the memory to element 0 */
  PdMemory memory;        /* since 1.0: null on the host, and without elements */
  void* host;             /* since 1.0: element 0 of a tensor on the host, else null */
} PdTensor;

typedef enum PdValueKind {
  PD_VALUE_NONE = 0,    /* an optional argument that was not given */
  PD_VALUE_TENSOR = 1,  /* tensor */
  PD_VALUE_TENSORS = 2, /* tensors, count; one that was not given is null */
  PD_VALUE_BOOL = 3,    /* i */
  PD_VALUE_INT = 4,     /* i */
  PD_VALUE_FLOAT = 5,   /* f */
  PD_VALUE_COMPLEX = 6, /* floats: real and imaginary part */
  PD_VALUE_INTS = 7,    /* ints, count */
  PD_VALUE_FLOATS = 8,  /* floats, count */
  PD_VALUE_TEXT = 9,    /* text, count bytes without the zero byte, which need not be there */
  PD_VALUE_DTYPE = 10,  /* i: PdDType */
  PD_VALUE_PLACE = 11   /* i: the number of the device, or -1 for the host */
} PdValueKind;

typedef struct PdValue {
  size_t struct_size; /* since 1.0: the distance to the next argument, too */
  int32_t kind;       /* since 1.0: PdValueKind */
  uint32_t count;     /* since 1.0 */
  union {
    int64_t i;                      /* since 1.0 */
    double f;                       /* since 1.0 */
    const PdTensor* tensor;         /* since 1.0 */
    const PdTensor* const* tensors; /* since 1.0 */
    const int64_t* ints;            /* since 1.0 */
    const double* floats;           /* since 1.0 */
    const char* text;               /* since 1.0 */
  } as;                             /* since 1.0 */
} PdValue;

/* -- device: compulsory ------------------------------------------------------------------------ */

/* What a device has or wants, asked by has(). A number that a plugin does not know is answered with
 * no. */
typedef enum PdCapability {
  /* Host memory of allocate_host(), from and to which copies need no staging. */
  PD_CAPABILITY_PINNED_MEMORY = 1,
  /* Operators with an argument data_format get their tensors with channels last. */
  PD_CAPABILITY_CHANNELS_LAST = 2
} PdCapability;

typedef struct PdCountArgs {
  size_t struct_size; /* since 1.0 */
  void* context;      /* since 1.0: of the plugin */
  /* out */
  int32_t count; /* since 1.0: of devices that this machine has; may be 0 */
} PdCountArgs;

typedef struct PdOpenArgs {
  size_t struct_size; /* since 1.0 */
  void* context;      /* since 1.0 */
  int32_t index;      /* since 1.0: 0 to count - 1 */
  /* out */
  PdDevice device; /* since 1.0 */
} PdOpenArgs;

typedef struct PdDeviceArgs { /* of close() and synchronize() */
  size_t struct_size;         /* since 1.0 */
  void* context;              /* since 1.0 */
  PdDevice device;            /* since 1.0 */
} PdDeviceArgs;

typedef struct PdPropertiesArgs {
  size_t struct_size; /* since 1.0 */
  void* context;      /* since 1.0 */
  PdDevice device;    /* since 1.0 */
  /* out */
  char name[128];          /* since 1.0: of the model, as its vendor spells it */
  int64_t total_memory;    /* since 1.0: bytes */
  int32_t multiprocessors; /* since 1.0 */
  int32_t major;           /* since 1.0: of the compute capability, or of the driver */
  int32_t minor;           /* since 1.0 */
} PdPropertiesArgs;

typedef struct PdCapabilityArgs {
  size_t struct_size; /* since 1.0 */
  void* context;      /* since 1.0 */
  PdDevice device;    /* since 1.0 */
  int32_t capability; /* since 1.0: PdCapability, or a number of a later version */
  /* out */
  int32_t has; /* since 1.0: 1 or 0 */
} PdCapabilityArgs;

typedef struct PdMemoryInfoArgs {
  size_t struct_size; /* since 1.1 */
  void* context;      /* since 1.1 */
  PdDevice device;    /* since 1.1 */
  /* out */
  int64_t free;  /* since 1.1: bytes that allocate() could still give, of any process */
  int64_t total; /* since 1.1: bytes of the device */
} PdMemoryInfoArgs;

typedef struct PdDeviceGroup {
  size_t struct_size;               /* since 1.0 */
  PdError* (*count)(PdCountArgs*);  /* since 1.0 */
  PdError* (*open)(PdOpenArgs*);    /* since 1.0: before anything else of the device */
  PdError* (*close)(PdDeviceArgs*); /* since 1.0: when its work is done; open() may follow */
  PdError* (*properties)(PdPropertiesArgs*);  /* since 1.0 */
  PdError* (*has)(PdCapabilityArgs*);         /* since 1.0 */
  PdError* (*synchronize)(PdDeviceArgs*);     /* since 1.0: waits for the work of all streams */
  PdError* (*memory_info)(PdMemoryInfoArgs*); /* since 1.1: may be null */
} PdDeviceGroup;

/* -- memory ------------------------------------------------------------------------------------ */

/* The host asks for large blocks and divides them, so that these functions may be slow. A block may
 * be used by work of any stream. */
typedef struct PdAllocateArgs {
  size_t struct_size; /* since 1.0 */
  void* context;      /* since 1.0 */
  PdDevice device;    /* since 1.0 */
  int64_t bytes;      /* since 1.0: at least 1; of allocate_host(), too */
  /* out */
  PdMemory memory; /* since 1.0: of allocate(): aligned to 64 bytes */
  void* host;      /* since 1.0: of allocate_host() */
} PdAllocateArgs;

typedef struct PdFreeArgs {
  size_t struct_size; /* since 1.0 */
  void* context;      /* since 1.0 */
  PdDevice device;    /* since 1.0 */
  PdMemory memory;    /* since 1.0: of free(); no work uses it any more */
  void* host;         /* since 1.0: of free_host() */
  int64_t bytes;      /* since 1.0: as when it was allocated */
} PdFreeArgs;

/* From or to the host, within a device, or between two devices of the plugin; issued on the stream.
 * Where the memory is null, the address of the host is read or written, when the stream gets there:
 * the host keeps that memory until then. */
typedef struct PdCopyArgs {
  size_t struct_size;      /* since 1.0 */
  void* context;           /* since 1.0 */
  PdDevice device;         /* since 1.0: of the stream */
  PdStream stream;         /* since 1.0: null when the plugin has no streams */
  int64_t bytes;           /* since 1.0: at least 1 */
  PdDevice target_device;  /* since 1.0: null for the host */
  PdMemory target;         /* since 1.0 */
  int64_t target_offset;   /* since 1.0 */
  void* target_host;       /* since 1.0 */
  PdDevice source_device;  /* since 1.0: null for the host */
  PdMemory source;         /* since 1.0 */
  int64_t source_offset;   /* since 1.0 */
  const void* source_host; /* since 1.0 */
} PdCopyArgs;

typedef struct PdFillArgs {
  size_t struct_size; /* since 1.0 */
  void* context;      /* since 1.0 */
  PdDevice device;    /* since 1.0 */
  PdStream stream;    /* since 1.0 */
  PdMemory memory;    /* since 1.0 */
  int64_t offset;     /* since 1.0 */
  int64_t bytes;      /* since 1.0: at least 1 */
  int32_t value;      /* since 1.0: of each byte */
} PdFillArgs;

typedef struct PdMemoryGroup {
  size_t struct_size;                    /* since 1.0 */
  PdError* (*allocate)(PdAllocateArgs*); /* since 1.0 */
  PdError* (*free)(PdFreeArgs*);         /* since 1.0 */
  PdError* (*copy)(PdCopyArgs*);         /* since 1.0 */
  PdError* (*fill)(PdFillArgs*);         /* since 1.0 */
  /* Both null unless a device has PD_CAPABILITY_PINNED_MEMORY. */
  PdError* (*allocate_host)(PdAllocateArgs*); /* since 1.0 */
  PdError* (*free_host)(PdFreeArgs*);         /* since 1.0 */
} PdMemoryGroup;

/* -- streams ----------------------------------------------------------------------------------- */

/* Work on a stream runs in the order in which it was issued, and apart from that of other streams.
 * Without this group every function has done its work when it returns. */
typedef struct PdStreamArgs {
  size_t struct_size; /* since 1.0 */
  void* context;      /* since 1.0 */
  PdDevice device;    /* since 1.0 */
  int32_t priority;   /* since 1.0: of create(): a larger one may be served first; 0 is usual */
  /* in; out of create() */
  PdStream stream; /* since 1.0 */
  /* out */
  int32_t done; /* since 1.0: of query(): whether everything issued so far is done, 1 or 0 */
} PdStreamArgs;

typedef struct PdStreamGroup {
  size_t struct_size;                     /* since 1.0 */
  PdError* (*create)(PdStreamArgs*);      /* since 1.0 */
  PdError* (*destroy)(PdStreamArgs*);     /* since 1.0: when its work is done */
  PdError* (*query)(PdStreamArgs*);       /* since 1.0 */
  PdError* (*synchronize)(PdStreamArgs*); /* since 1.0: waits for everything issued so far */
} PdStreamGroup;

/* -- events ------------------------------------------------------------------------------------ */

/* An event that was recorded on a stream has happened when everything issued there before is done.
 * It may be recorded again: what waited for it before keeps waiting for the earlier point. */
typedef struct PdEventArgs {
  size_t struct_size; /* since 1.0 */
  void* context;      /* since 1.0 */
  PdDevice device;    /* since 1.0 */
  PdStream stream;    /* since 1.0: of record() and wait(); wait(): of any device of the plugin */
  /* in; out of create() */
  PdEvent event; /* since 1.0 */
  /* out */
  int32_t done; /* since 1.0: of query(): whether it has happened, 1 or 0; 1 before record() */
  /* in */
  int32_t timed; /* since 1.1: of create(): 1 when elapsed() may be asked of it, else 0 */
} PdEventArgs;

/* Of two timed events that have happened. */
typedef struct PdElapsedArgs {
  size_t struct_size; /* since 1.1 */
  void* context;      /* since 1.1 */
  PdDevice device;    /* since 1.1 */
  PdEvent begin;      /* since 1.1 */
  PdEvent end;        /* since 1.1 */
  /* out */
  double milliseconds; /* since 1.1: from begin to end; negative when that came first */
} PdElapsedArgs;

typedef struct PdEventGroup {
  size_t struct_size;                /* since 1.0 */
  PdError* (*create)(PdEventArgs*);  /* since 1.0 */
  PdError* (*destroy)(PdEventArgs*); /* since 1.0 */
  PdError* (*record)(PdEventArgs*);  /* since 1.0 */
  PdError* (*wait)(
      PdEventArgs*); /* since 1.0: what is issued on the stream later starts after it */
  PdError* (*query)(PdEventArgs*);       /* since 1.0 */
  PdError* (*synchronize)(PdEventArgs*); /* since 1.0: waits on the host */
  PdError* (*elapsed)(PdElapsedArgs*);   /* since 1.1: may be null: events tell no time */
} PdEventGroup;

/* -- kernels ----------------------------------------------------------------------------------- */

/* A call of an operator. The arguments are those of its schema, in that order; `paddle._C_ops` and
 * the reference of operators show them. Results are allocated, without gaps, and of the shape and
 * dtype that the operator's rule gives, except those that only the values decide (nonzero): the
 * kernel makes these with PdHost.make_output. A kernel declines a call by PD_ERROR_NOT_IMPLEMENTED,
 * before it has issued anything: the host does without it then. The work is issued on the stream;
 * what the call points to is gone when the kernel returns, but memory stays until the stream is
 * past the work. */
typedef struct PdKernelCall {
  size_t struct_size;             /* since 1.0 */
  void* context;                  /* since 1.0: of the kernel */
  const char* op;                 /* since 1.0: the operator's name */
  PdDevice device;                /* since 1.0 */
  PdStream stream;                /* since 1.0: null when the plugin has no streams */
  const PdValue* arguments;       /* since 1.0: PD_ARGUMENT() steps through them */
  uint32_t argument_count;        /* since 1.0 */
  uint32_t output_count;          /* since 1.0 */
  const PdTensor* const* outputs; /* since 1.0: null: not wanted, or to be made */
  void* host_call;                /* since 1.0: for the functions of PdHost */
  /* Of random operators. Element i of what is drawn comes from counter offset + i / 4 of the stream
   * Philox4x32-10 of the seed, so that all devices draw the same numbers. */
  uint64_t random_seed;   /* since 1.1 */
  uint64_t random_offset; /* since 1.1 */
} PdKernelCall;

/* Argument i of a call, as const PdValue*. */
#define PD_ARGUMENT(call, i) \
  ((const PdValue*)((const char*)(call)->arguments + (size_t)(i) * (call)->arguments->struct_size))

typedef enum PdKernelFeature {
  PD_KERNEL_STRIDED =
      1 /* tensors among the arguments may have any strides; else they have no gaps */
} PdKernelFeature;

/* Which kernel runs an operator: asked once for each operator when the plugin is loaded, and again
 * for the dtypes that an answer leaves over. The dtype is that of the first result, or of the
 * argument that the operator names for it (x of sum). Operators whose result is a list of tensors
 * are not asked for. Results of operators that write in place are arguments, too: both tables name
 * the same memory. Of an argument that is read for its shape alone the memory may be null. */
typedef struct PdKernelArgs {
  size_t struct_size; /* since 1.0 */
  void* context;      /* since 1.0 */
  const char* op;     /* since 1.0 */
  uint64_t dtypes;    /* since 1.0: those for which the host looks for a kernel */
  uint64_t features;  /* since 1.0: PdKernelFeature, or-ed: those that this host knows */
  /* out */
  PdError* (*run)(const PdKernelCall*); /* since 1.0: null: none */
  void* run_context;                    /* since 1.0: given to run() */
  uint64_t run_dtypes;                  /* since 1.0: of `dtypes`, those that it takes; not none */
  uint64_t run_features;                /* since 1.0: of `features` */
} PdKernelArgs;

/* Values of one tensor into another of the same shape and dtype; the strides of both are any. */
typedef struct PdStridedCopyArgs {
  size_t struct_size;     /* since 1.0 */
  void* context;          /* since 1.0 */
  PdDevice device;        /* since 1.0 */
  PdStream stream;        /* since 1.0 */
  const PdTensor* target; /* since 1.0 */
  const PdTensor* source; /* since 1.0 */
} PdStridedCopyArgs;

typedef struct PdKernelGroup {
  size_t struct_size;                           /* since 1.0 */
  PdError* (*find)(PdKernelArgs*);              /* since 1.0 */
  PdError* (*strided_copy)(PdStridedCopyArgs*); /* since 1.0: null: the host does without */
} PdKernelGroup;

/* -- library ------------------------------------------------------------------------------------
 */

/* For vendors who have a library of products and write no kernel around it: the host reads the call
 * of the operator. `batch` products of a matrix of rows x depth and one of depth x columns, all at
 * least 1. Steps count elements: element (r, d) of x lies r * x_row + d * x_depth behind x_offset,
 * which counts bytes, and b * x_batch further in product b. One of x_row and x_depth is 1, one of
 * y_depth and y_column, so each operand is a matrix of rows, or a transposed one; a step of a batch
 * may be 0. The results follow each other, row by row. */
typedef struct PdMatmulArgs {
  size_t struct_size; /* since 1.1 */
  void* context;      /* since 1.1 */
  PdDevice device;    /* since 1.1 */
  PdStream stream;    /* since 1.1 */
  int32_t dtype;      /* since 1.1: of all three */
  int64_t batch;      /* since 1.1 */
  int64_t rows;       /* since 1.1 */
  int64_t columns;    /* since 1.1 */
  int64_t depth;      /* since 1.1 */
  PdMemory x;         /* since 1.1 */
  int64_t x_offset;   /* since 1.1 */
  int64_t x_batch;    /* since 1.1 */
  int64_t x_row;      /* since 1.1 */
  int64_t x_depth;    /* since 1.1 */
  PdMemory y;         /* since 1.1 */
  int64_t y_offset;   /* since 1.1 */
  int64_t y_batch;    /* since 1.1 */
  int64_t y_depth;    /* since 1.1 */
  int64_t y_column;   /* since 1.1 */
  PdMemory out;       /* since 1.1 */
  int64_t out_offset; /* since 1.1 */
} PdMatmulArgs;

typedef struct PdLibraryGroup {
  size_t struct_size;                /* since 1.1 */
  uint64_t matmul_dtypes;            /* since 1.1: those that matmul() takes */
  PdError* (*matmul)(PdMatmulArgs*); /* since 1.1: used where kernels.find() has none of matmul */
} PdLibraryGroup;

/* -- profiler -----------------------------------------------------------------------------------
 */

typedef struct PdSpanArgs {
  size_t struct_size; /* since 1.1 */
  void* receiver;     /* since 1.1: PdProfilerArgs.receiver */
  const char* name;   /* since 1.1: of the work: a copy, an operator */
  const char* lane;   /* since 1.1: of work that follows each other: a stream, an engine */
  int64_t begin_ns;   /* since 1.1: nanoseconds of the host's clock, see PdProfilerArgs.now_ns */
  int64_t end_ns;     /* since 1.1 */
} PdSpanArgs;

typedef struct PdProfilerArgs {
  size_t struct_size; /* since 1.1 */
  void* context;      /* since 1.1 */
  int64_t now_ns;     /* since 1.1: the host's clock at this moment */
  void (*emit)(
      const PdSpanArgs* span); /* since 1.1: of stop(): called for each span, by its thread */
  void* receiver;              /* since 1.1: of stop() */
} PdProfilerArgs;

/* What the devices did, for the trace: work that was issued between the two calls. */
typedef struct PdProfilerGroup {
  size_t struct_size;                 /* since 1.1 */
  PdError* (*start)(PdProfilerArgs*); /* since 1.1 */
  PdError* (*stop)(PdProfilerArgs*);  /* since 1.1: waits for the work, and tells it */
} PdProfilerGroup;

/* -- the host, the plugin, the entry point -------------------------------------------------------
 */

typedef struct PdOutputArgs {
  size_t struct_size;   /* since 1.0 */
  void* host_call;      /* since 1.0: PdKernelCall.host_call */
  uint32_t index;       /* since 1.0: of the output */
  int32_t dtype;        /* since 1.0 */
  int32_t rank;         /* since 1.0 */
  const int64_t* shape; /* since 1.0 */
  /* out */
  const PdTensor* tensor; /* since 1.0: lives as long as the call */
} PdOutputArgs;

typedef struct PdScratchArgs {
  size_t struct_size; /* since 1.0 */
  void* host_call;    /* since 1.0 */
  int64_t bytes;      /* since 1.0: at least 1 */
  /* out */
  PdMemory memory; /* since 1.0: work of the call may use it */
  int64_t offset;  /* since 1.0 */
} PdScratchArgs;

/* What the host offers. A kernel calls these on the thread on which it was called, before it
 * returns; an error that they give may be handed on as the kernel's own. */
typedef struct PdHost {
  size_t struct_size;                     /* since 1.0 */
  uint32_t major;                         /* since 1.0: the version of the host */
  uint32_t minor;                         /* since 1.0 */
  PdError* (*make_output)(PdOutputArgs*); /* since 1.0 */
  PdError* (*scratch)(PdScratchArgs*);    /* since 1.0: memory for the length of the call */
} PdHost;

typedef struct PdPlugin {
  size_t struct_size;              /* since 1.0 */
  uint32_t major;                  /* since 1.0: PD_VERSION_MAJOR when the plugin was compiled */
  uint32_t minor;                  /* since 1.0: PD_VERSION_MINOR */
  const char* device_type;         /* since 1.0: "name" of "name:0"; [a-z][a-z0-9_]* */
  const char* version;             /* since 1.0: of the plugin; any text */
  void* context;                   /* since 1.0: given to every function */
  const PdDeviceGroup* device;     /* since 1.0 */
  const PdMemoryGroup* memory;     /* since 1.0: null: tensors cannot be made on its devices */
  const PdStreamGroup* streams;    /* since 1.0: null: see there */
  const PdEventGroup* events;      /* since 1.0: null: the host waits for streams instead */
  const PdKernelGroup* kernels;    /* since 1.0: null: operators run on the host */
  const PdLibraryGroup* library;   /* since 1.1: null: none */
  const PdProfilerGroup* profiler; /* since 1.1: null: none */
} PdPlugin;

typedef struct PdEntryArgs {
  size_t struct_size; /* since 1.0 */
  const PdHost* host; /* since 1.0: lives as long as the process */
  /* out */
  const PdPlugin* plugin; /* since 1.0: lives as long as the process */
} PdEntryArgs;

typedef PdError* (*PdEntry)(PdEntryArgs*);

/* The one symbol that the host looks up. It may be called again, by the conformance suite. */
#define PD_ENTRY_NAME "paddle_device_plugin"
#if defined(_MSC_VER)
#define PD_EXPORT __declspec(dllexport)
#else
#define PD_EXPORT __attribute__((visibility("default")))
#endif
PD_EXPORT PdError* paddle_device_plugin(PdEntryArgs* args);

#ifdef __cplusplus
}
#endif

#endif /* PADDLE_DEVICE_H_ */
