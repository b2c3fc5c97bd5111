/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_ESP_LOG_H
#define STUB_ESP_LOG_H
#define ESP_LOGE(tag, ...) stub_log(tag, __VA_ARGS__)
#define ESP_LOGW(tag, ...) stub_log(tag, __VA_ARGS__)
#define ESP_LOGI(tag, ...) stub_log(tag, __VA_ARGS__)
/* What the macros of ESP-IDF come to is not public. */
__attribute__((format(printf, 2, 3))) void stub_log(const char *tag, const char *format, ...);
#endif
