/* SPDX-FileCopyrightText: paddle-core contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The runtime of the device, as the plugin and extensions use it. A real device has that of its
 * vendor here; this one has the host's memory and threads. */
#ifndef SKELETON_H_
#define SKELETON_H_

#include "paddle_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes behind a handle, for the device's own work. With traps the process ends when the handle
 * is no memory of the device, or `bytes` from `offset` on lie outside of it. */
PD_EXPORT char* skeleton_bytes(PdMemory memory, int64_t offset, int64_t bytes);

/* Runs run(a copy of `work`) on the stream, after everything issued there before. */
PD_EXPORT void skeleton_issue(PdStream stream, void (*run)(void* work), const void* work,
                              size_t bytes);

/* Wait for what was issued on a stream, or on all streams of a device. */
void skeleton_wait(PdStream stream);
void skeleton_wait_for_all(PdDevice device);

/* -- inside of the plugin ---------------------------------------------------------------------- */

extern int skeleton_traps, skeleton_lag; /* of the environment, see README.md */
extern const PdHost* skeleton_host;
extern const PdStreamGroup skeleton_streams;
extern const PdEventGroup skeleton_events;
extern const PdKernelGroup skeleton_kernels;

/* A new error object; the message is made as by printf. */
PdError* skeleton_error(PdErrorKind kind, const char* format, ...);

#define CHECK(condition, ...)                             \
  do {                                                    \
    if (!(condition)) return skeleton_error(__VA_ARGS__); \
  } while (0)
#define TRY(expression)                   \
  do {                                    \
    PdError* const error_ = (expression); \
    if (error_) return error_;            \
  } while (0)

#ifdef __cplusplus
}
#endif

#endif /* SKELETON_H_ */
