/* SPDX-FileCopyrightText: paddle-core contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the plugin share. A real plugin has the runtime library of its vendor here;
 * this one has the host's memory and threads. */
#ifndef SKELETON_H_
#define SKELETON_H_

#include "paddle_device.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SKELETON_MAX_RANK 16
#define SKELETON_DEVICES 2

/* Read from the environment when the library is loaded; see README.md. */
extern int skeleton_traps, skeleton_lag;
extern const PdHost* skeleton_host;

extern const PdMemoryGroup skeleton_memory;
extern const PdStreamGroup skeleton_streams;
extern const PdEventGroup skeleton_events;
extern const PdKernelGroup skeleton_kernels;

/* A new error object; the message is made as by printf. */
PdError* skeleton_error(PdErrorKind kind, const char* format, ...);

#define SKELETON_CHECK(condition, kind, ...)                    \
  do {                                                          \
    if (!(condition)) return skeleton_error(kind, __VA_ARGS__); \
  } while (0)

/* The bytes behind a handle, for the device's own work. With traps the process ends when the handle
 * is no memory of the device or `bytes` from `offset` on lie outside of it. */
PD_EXPORT char* skeleton_bytes(PdMemory memory, int64_t offset, int64_t bytes);

/* Runs run(a copy of `work`) on the stream, after everything issued there before. */
PD_EXPORT void skeleton_issue(PdStream stream, void (*run)(void* work), const void* work,
                              size_t bytes);

/* Waits for what was issued on a stream, or on all streams of a device. */
void skeleton_wait_for(PdStream stream);
void skeleton_wait_for_streams(PdDevice device);

/* How many kernels were launched, and how many of them with channels last. */
PD_EXPORT extern long long skeleton_launches, skeleton_channels_last;

#ifdef __cplusplus
}
#endif

#endif /* SKELETON_H_ */
