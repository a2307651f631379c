// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The path by which some operators include paddle/extension.h.
#pragma once

#include "paddle/extension.h"
