// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Opens the linear algebra library and looks its functions up.
#include "phi_kernels/cpu/libraries/lapack.h"

#include <pthread.h>

#include <new>
#include <shared_mutex>
#include <string>

#include "paddle_core/base/own_library.h"

namespace paddle::cpu {
namespace {

struct Library {
  OwnLibrary file{"libpaddle_linalg.so", "linear algebra"};
  void (*set_threads)(int) = nullptr;
  std::shared_mutex mutex;  // exclusive: one caller owns the library's threads

  Library() {
    set_threads = reinterpret_cast<void (*)(int)>(find("openblas_set_num_threads"));
    set_threads(1);
    forks_between_calls();
  }
  // The library ends its threads when the process forks: that waits for running calls. Registered
  // after the library's own handler, ours runs before it. The child's lock is a new one, because
  // the owner of a lock is known by its thread, which has another number there.
  static void forks_between_calls();
  void* find(const std::string& name) const { return file.find("scipy_" + name); }
};

Library& library() {
  static Library* const one = new Library;  // lives as long as the process
  return *one;
}

void Library::forks_between_calls() {
  pthread_atfork([] { library().mutex.lock(); }, [] { library().mutex.unlock(); },
                 [] { new (&library().mutex) std::shared_mutex; });
}

template <typename T>
constexpr const char* letter() {
  if constexpr (std::is_same_v<T, float>) return "s";
  if constexpr (std::is_same_v<T, double>) return "d";
  if constexpr (std::is_same_v<T, std::complex<float>>) return "c";
  return "z";
}

template <typename F>
void look_up(F& function, const std::string& name) {
  function = reinterpret_cast<F>(library().find(name));
}

template <typename T>
Lapack<T> load() {
  const std::string x = letter<T>();
  const auto work = [&](const char* name) { return "LAPACKE_" + x + name + "_work"; };
  Lapack<T> l{};
  look_up(l.potrf, work("potrf"));
  look_up(l.geqrf, work("geqrf"));
  look_up(l.orgqr, work(kIsComplex<T> ? "ungqr" : "orgqr"));
  look_up(l.getrf, work("getrf"));
  look_up(l.getri, work("getri"));
  look_up(l.getrs, work("getrs"));
  look_up(l.gels, work("gels"));
  look_up(l.gemm, "cblas_" + x + "gemm");
  look_up(l.trsm, "cblas_" + x + "trsm");
  look_up(l.gesdd, work("gesdd"));
  look_up(l.syevd, work(kIsComplex<T> ? "heevd" : "syevd"));
  look_up(l.geev, work("geev"));
  look_up(l.gelsd, work("gelsd"));
  look_up(l.gelss, work("gelss"));
  look_up(l.gelsy, work("gelsy"));
  return l;
}

}  // namespace

template <typename T>
const Lapack<T>& lapack() {
  static const Lapack<T> functions = load<T>();
  return functions;
}
template const Lapack<float>& lapack<float>();
template const Lapack<double>& lapack<double>();
template const Lapack<std::complex<float>>& lapack<std::complex<float>>();
template const Lapack<std::complex<double>>& lapack<std::complex<double>>();

LibraryThreadScope::LibraryThreadScope(bool all) : all_(all && library().mutex.try_lock()) {
  if (all_) {
    library().set_threads(num_threads());
  } else {
    library().mutex.lock_shared();
  }
}

LibraryThreadScope::~LibraryThreadScope() {
  if (all_) {
    library().set_threads(1);
    library().mutex.unlock();
  } else {
    library().mutex.unlock_shared();
  }
}

}  // namespace paddle::cpu
