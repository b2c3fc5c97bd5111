/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_NIMBLE_PORT_FREERTOS_H
#define STUB_NIMBLE_PORT_FREERTOS_H
#include "freertos/task.h"
void nimble_port_freertos_init(TaskFunction_t host_task_fn);
void nimble_port_freertos_deinit(void);
#endif
