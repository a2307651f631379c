// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The worker threads of parallel_for. The calling thread works too: it takes every chunk that no
// worker has begun, and waits only for chunks in progress. A worker that the system does not
// schedule, because other processes have the processors, therefore delays nobody. Workers without
// work spin for some ten microseconds, then sleep. Several threads may run ranges at once.
#pragma once

#include <cstdint>

namespace paddle::thread_pool {

using ChunkFn = void (*)(void* context, int64_t chunk);

// Calls fn(context, i) once for each i in [0, chunks), on this thread and at most chunks - 1
// workers. All calls have ended on return; fn may not throw. Not for use inside of itself, nor in
// a forked child, which has no workers.
void run(int64_t chunks, void* context, ChunkFn fn);

// True on a worker, and on a thread inside of run().
bool is_inside();

}  // namespace paddle::thread_pool
