// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The path under which operators written for PaddlePaddle include the one header of extensions.
#pragma once

#include "paddle/extension.h"
