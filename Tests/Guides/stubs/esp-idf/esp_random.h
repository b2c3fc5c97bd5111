/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_ESP_RANDOM_H
#define STUB_ESP_RANDOM_H
#include <stdint.h>
uint32_t esp_random(void);
#endif
