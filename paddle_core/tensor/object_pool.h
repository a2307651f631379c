// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Per-thread free lists for objects of one size. get() and put() take no lock and no memory from
// malloc once a thread is warm; an object put on another thread joins that thread's list. At most
// `kRoom` objects wait per thread. Under AddressSanitizer nothing is kept. Private to tensor/.
//
// The thread-local state is declared by the user of the pool, one per type, so that it is a plain
// __thread variable:
//   static __thread PoolState t_pool __attribute__((tls_model("initial-exec")));
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace paddle {

struct PoolState {
  struct Node {
    Node* next;
  };
  Node* head;
  int32_t room;  // objects that may still be put; 0 before the first put and after thread exit
  bool entered;
};

template <typename T, PoolState& (*state)()>
class ObjectPool {
 public:
  static void* get() {
    PoolState& s = state();
    if (PoolState::Node* node = s.head) [[likely]] {
      s.head = node->next;
      ++s.room;
      return node;
    }
    return ::operator new(sizeof(T));
  }
  static void put(void* memory) {
    PoolState& s = state();
    if (s.room > 0) [[likely]] {
      --s.room;
      s.head = new (memory) PoolState::Node{s.head};
      return;
    }
    put_slow(memory);
  }

 private:
#if defined(__SANITIZE_ADDRESS__)
  static constexpr int32_t kRoom = 0;
#else
  static constexpr int32_t kRoom = 1024;
#endif

  struct ExitHook {
    ~ExitHook() {
      PoolState& s = state();
      s.room = 0;
      while (PoolState::Node* node = s.head) {
        s.head = node->next;
        ::operator delete(node);
      }
    }
  };

  [[gnu::noinline]] static void put_slow(void* memory) {
    PoolState& s = state();
    if (!s.entered) {
      static thread_local ExitHook hook;
      static_cast<void>(&hook);
      s.entered = true;
      s.room = kRoom;
      if (kRoom > 0) return put(memory);
    }
    ::operator delete(memory);
  }
};

}  // namespace paddle
