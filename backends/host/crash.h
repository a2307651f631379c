// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// When the process ends by a signal inside of a plugin's function, standard error says which
// plugin, function and operator that was.
#pragma once

namespace paddle::plugin {

// Puts itself before the handlers that there are, which run afterwards. Idempotent.
void install_crash_handler();

}  // namespace paddle::plugin
