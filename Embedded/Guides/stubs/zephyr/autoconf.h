/* SPDX-License-Identifier: Apache-2.0 */
/* What Zephyr's build makes of prj.conf and Kconfig. */
#ifndef STUB_AUTOCONF_H
#define STUB_AUTOCONF_H
#define CONFIG_BT_DEVICE_NAME "lamp"
#define CONFIG_BT_L2CAP_TX_MTU 247
#define CONFIG_BLEOTA_FRAME_COUNT 40
#define CONFIG_BLEOTA_MEMORY_BYTE_COUNT 9216
#define CONFIG_BLEOTA_STACK_SIZE 4096
#define CONFIG_BLEOTA_PRIORITY 10
#endif
