/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_GAP_H
#define STUB_GAP_H
#define BT_DATA_FLAGS 0x01
#define BT_DATA_UUID128_ALL 0x07
#define BT_DATA_NAME_COMPLETE 0x09
#define BT_LE_AD_GENERAL 0x02
#define BT_LE_AD_NO_BREDR 0x04
#endif
