/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_NIMBLE_PORT_H
#define STUB_NIMBLE_PORT_H
#include "esp_err.h"
esp_err_t nimble_port_init(void);
void nimble_port_run(void);
#endif
