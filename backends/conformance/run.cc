// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the command `paddle conformance` calls: the list of cases, and one case.
#include <cstdio>
#include <exception>

#include "cases.h"

using namespace paddle::conformance;  // NOLINT(google-build-using-namespace)

namespace {

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto& part : {life_cases(), memory_cases(), stream_cases(), cost_cases()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

void say(const char* outcome, const std::string& what) {
  std::printf("%s\t%s\n", outcome, what.c_str());
}

}  // namespace

// Prints one line a case: name, grade, what it says, apart by tabs.
extern "C" __attribute__((visibility("default"))) void conformance_list() {
  for (const Case& c : all_cases()) std::printf("%s\t%s\t%s\n", c.name, c.grade, c.what);
  std::fflush(stdout);
}

// Prints figures, then how the case ended: "passed", "failed" or "absent", and why.
extern "C" __attribute__((visibility("default"))) void conformance_run(const char* library,
                                                                       const char* name) {
  for (const Case& c : all_cases()) {
    if (std::string(c.name) != name) continue;
    Figures figures;
    try {
      const Subject subject(library);
      c.run(subject, figures);
      for (const auto& [figure, value] : figures)
        std::printf("figure\t%s\t%.6g\n", figure.c_str(), value);
      say("passed", "");
    } catch (const NotThere& absent) {
      say("absent", absent.what);
    } catch (const std::exception& e) {
      fail(e.what());
    }
    std::fflush(stdout);
    return;
  }
  fail(std::string("there is no case ") + name);
}
