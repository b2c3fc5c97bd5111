/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONOCYPHER_ED25519_H
#define MONOCYPHER_ED25519_H
#include <stddef.h>
#include <stdint.h>
int crypto_ed25519_check(const uint8_t signature[64], const uint8_t public_key[32],
                         const uint8_t *message, size_t message_size);
#endif
