/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_LOG_H
#define STUB_LOG_H
#define LOG_MODULE_REGISTER(name) extern int stub_log_module_##name
#define LOG_ERR(...) stub_log(__VA_ARGS__)
#define LOG_WRN(...) stub_log(__VA_ARGS__)
#define LOG_INF(...) stub_log(__VA_ARGS__)
/* What the macros of Zephyr come to is not public. The formats have types of 32 bits as int. */
void stub_log(const char *format, ...);
#endif
