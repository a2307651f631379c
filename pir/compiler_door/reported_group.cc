// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whether groups are watched.
#include "pir/compiler_door/reported_group.h"

namespace paddle::pir {
namespace {

thread_local int watches = 0;

}  // namespace

ReportedGroup::~ReportedGroup() = default;

GroupWatch::GroupWatch() { ++watches; }
GroupWatch::~GroupWatch() { --watches; }
bool GroupWatch::is_on() { return watches > 0; }

}  // namespace paddle::pir
