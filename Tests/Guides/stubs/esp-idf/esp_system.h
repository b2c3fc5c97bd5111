/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_ESP_SYSTEM_H
#define STUB_ESP_SYSTEM_H
_Noreturn void esp_restart(void);
#endif
