// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The handler calls nothing but write(): it runs in a broken process.
#include "backends/host/crash.h"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <iterator>

#include "backends/host/plugin.h"

namespace paddle::plugin {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
struct sigaction g_before[std::size(kSignals)];

void tell(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

void handle(int signal, siginfo_t*, void*) {
  if (const CallScope* const call = CallScope::innermost_call) {
    tell("paddle: the process ends inside of plugin ");
    tell(call->plugin.name.c_str());
    tell(" (");
    tell(call->plugin.path.c_str());
    tell("), function ");
    tell(call->function);
    if (call->op) {
      tell(", operator ");
      tell(call->op);
    }
    tell(".\n");
  }
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    if (kSignals[i] == signal) sigaction(signal, &g_before[i], nullptr);
  }
  raise(signal);  // delivered to the handler of before when this one returns
}

}  // namespace

void install_crash_handler() {
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &g_before[i]);
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace paddle::plugin
