// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the loop IR: what the schedule decides and the emitters translate.
//
//   kernel    runs its stages one after the other; a stage begins when the one before has ended
//   stage     a body for every task in [0, tasks); tasks are independent, any number run at once
//   loops     serial: in order. vector: iterations are independent but for Accumulate, which an
//             emitter may spread over `width * unroll` partial values, combined in a fixed order.
//   registers a scalar each; one that is declared inside of a vector loop is one for each of its
//             iterations. Results do not depend on how many threads share the tasks.
//
// On a GPU a task is a block of threads, a multiple of 32 of them: Loop::kThreads runs its
// iterations on the threads of the block, thread t taking t, t + threads, ...; Barrier waits for
// all of them and makes what they stored visible to the block. What stands outside of such a loop
// is run by every thread: it stores nothing, and its loops and conditions depend on sizes, the task
// and such loops alone, so that all threads meet at each Barrier and kShuffleXor. A register that
// is declared there has one value for each thread. A vector loop stands inside of a threads loop,
// has as many iterations as lanes, and holds registers, stores and checks only.
#pragma once

#include <array>
#include <string>
#include <variant>

#include "cinn/loop/expr.h"

namespace paddle::cinn {

enum class Space : uint8_t {
  kInput,
  kOutput,
  kUpdated,    // an input that one stage overwrites, reading no element after it wrote that
  kTemporary,  // written by one stage, read by later ones
  kScratch,    // of each task by itself, undefined when it begins; in global memory on a GPU
  kShared,     // the same on a GPU, in the fast memory that the threads of a block share
};
const char* name_of(Space space);

struct Buffer {
  std::string name;
  DType dtype;  // in memory
  Space space;
  Expr elements;  // of sizes and constants
  // Of kInput, kUpdated and kOutput: its number among the group's inputs or results.
  int64_t argument = -1;
};

enum class Combine : uint8_t { kAdd, kMultiply, kMin, kMax, kAnd, kOr };
const char* name_of(Combine combine);

struct Statement;
using Body = std::vector<Statement>;

struct Loop {
  enum class Kind : uint8_t { kSerial, kVector, kThreads };
  Kind kind = Kind::kSerial;
  Expr variable = nullptr;
  Expr extent = nullptr;
  int width = 1;   // lanes of a vector loop
  int unroll = 1;  // copies of the body in the main loop
  Body body;
};
struct Declare {
  int64_t reg;
  Expr value;
};
// Not to a register that was declared outside of a vector or threads loop around it.
struct Assign {
  int64_t reg;
  Expr value;
};
struct Accumulate {
  int64_t reg;
  Combine combine;
  Expr value;
};
struct Store {
  int64_t buffer;
  Expr index, value;
  // Past the caches, as the buffer is larger than they are. Every vector begins at a multiple of
  // its size then, and nothing reads the buffer in this kernel.
  bool streamed = false;
};
// Value k at `index` + k. Along a vector loop the runs follow each other: the index grows by their
// length from iteration to iteration.
struct StoreRun {
  int64_t buffer;
  Expr index;
  std::array<Expr, 4> values;
};
struct If {
  Expr condition;
  Body body;
};
// Where it is false the kernel reports that it failed; it goes on, reading nothing out of bounds.
struct Check {
  Expr condition;
};
struct Barrier {};

struct Statement {
  std::variant<Loop, Declare, Assign, Accumulate, Store, StoreRun, If, Check, Barrier> is;
};

struct Stage {
  Expr task;             // the variable
  Expr tasks;            // how many; of sizes and constants
  Expr grain = nullptr;  // tasks that are worth a thread of their own; null: one
  int threads = 1;       // of a block, on a GPU
  Body body;
  bool is_of_blocks() const { return threads > 1; }
};
// Threads that shuffle with each other.
inline constexpr int kWarp = 32;

struct Kernel {
  std::string name;
  std::shared_ptr<ExprPool> pool = std::make_shared<ExprPool>();
  std::vector<Buffer> buffers;
  std::vector<std::string> sizes;  // their names
  // Of what number each size is a multiple; empty: of 1. Wide accesses of blocks rest on it.
  std::vector<int64_t> multiples;
  std::vector<Stage> stages;
  int64_t num_registers = 0;
};

// The kernel as text, for people.
std::string print(const Kernel& kernel);
// By stage: how many others must have ended before it, one after the other. Stages of one level
// read nothing that another one of it writes, so they may run at once.
std::vector<int> levels_of(const Kernel& kernel);
// RuntimeError that names the statement when the kernel breaks a rule of this file.
void verify(const Kernel& kernel);

}  // namespace paddle::cinn
