/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whose images the device takes: the hooks `trusts` and `verify`, for the keys of release_key.h,
 * which `bleota key show release.pem.pub --c >release_key.h` makes. Compile one of trust_psa.c
 * (ECDSA with P-256) and trust_monocypher.c (Ed25519) with the firmware.
 */
#ifndef TRUST_H
#define TRUST_H

#include <stdbool.h>
#include <stdint.h>

bool release_trusts(void *context, const uint8_t *key_id, uint32_t algorithm);

bool release_verifies(void *context, const uint8_t *key_id, uint32_t algorithm,
                      const uint8_t *message, const uint8_t *signature,
                      uint32_t signature_byte_count);

/* For a first try there is a build without key and library, which takes anybody's images. */
#ifdef TAKE_UNSIGNED
#define TRUSTS 0
#define VERIFIES 0
#define TAKES_UNSIGNED true
#else
#define TRUSTS release_trusts
#define VERIFIES release_verifies
#define TAKES_UNSIGNED false
#endif

#endif
