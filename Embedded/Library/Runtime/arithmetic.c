#include <stdint.h>

/// Division and 64-bit arithmetic for processors that lack it, under the names of compilers' own
/// libraries and of the ARM run-time ABI. Compiled as memory.c is. Short rather than fast: nothing
/// calls it for each byte.

typedef union halves {
    uint64_t both;
    struct {
        uint32_t low, high;
    } word;
} halves;

uint64_t __ashldi3(uint64_t value, int bits);
uint64_t __ashldi3(uint64_t value, int bits) {
    halves from = { value }, to = { 0 };
    if (bits >= 32) {
        to.word.high = from.word.low << (bits - 32);
    } else if (bits == 0) {
        to = from;
    } else {
        to.word.high = from.word.high << bits | from.word.low >> (32 - bits);
        to.word.low = from.word.low << bits;
    }
    return to.both;
}

uint64_t __lshrdi3(uint64_t value, int bits);
uint64_t __lshrdi3(uint64_t value, int bits) {
    halves from = { value }, to = { 0 };
    if (bits >= 32) {
        to.word.low = from.word.high >> (bits - 32);
    } else if (bits == 0) {
        to = from;
    } else {
        to.word.low = from.word.low >> bits | from.word.high << (32 - bits);
        to.word.high = from.word.high >> bits;
    }
    return to.both;
}

/// Below zero the bits that come in are ones: those of the complement are zeros.
int64_t __ashrdi3(int64_t value, int bits);
int64_t __ashrdi3(int64_t value, int bits) {
    uint64_t sign = value < 0 ? UINT64_MAX : 0;
    return (int64_t)(__lshrdi3((uint64_t)value ^ sign, bits) ^ sign);
}

static uint64_t magnitude(int64_t value) {
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static uint64_t with_sign(uint64_t value, int64_t sign) { return sign < 0 ? 0 - value : value; }

/// Long division by bits. By zero: quotient 0, and nothing that traps.
__attribute__((used)) static uint64_t long_divided(
    uint64_t dividend, uint64_t divisor, uint64_t *remainder) {
    uint64_t quotient = 0, rest = 0;
    for (int i = 0; i < 64; i++) {
        uint64_t carry = rest >> 63;
        rest = rest << 1 | dividend >> 63;
        dividend <<= 1;
        quotient <<= 1;
        if (divisor != 0 && (carry || rest >= divisor)) {
            rest -= divisor;
            quotient |= 1;
        }
    }
    *remainder = rest;
    return quotient;
}

__attribute__((used)) static int64_t long_divided_signed(
    int64_t dividend, int64_t divisor, uint64_t *remainder) {
    uint64_t quotient = long_divided(magnitude(dividend), magnitude(divisor), remainder);
    *remainder = with_sign(*remainder, dividend);
    return (int64_t)with_sign(quotient, dividend ^ divisor);
}

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor);
uint64_t __udivdi3(uint64_t dividend, uint64_t divisor) {
    uint64_t remainder;
    return long_divided(dividend, divisor, &remainder);
}

uint64_t __umoddi3(uint64_t dividend, uint64_t divisor);
uint64_t __umoddi3(uint64_t dividend, uint64_t divisor) {
    uint64_t remainder;
    long_divided(dividend, divisor, &remainder);
    return remainder;
}

int64_t __divdi3(int64_t dividend, int64_t divisor);
int64_t __divdi3(int64_t dividend, int64_t divisor) {
    uint64_t remainder;
    return long_divided_signed(dividend, divisor, &remainder);
}

int64_t __moddi3(int64_t dividend, int64_t divisor);
int64_t __moddi3(int64_t dividend, int64_t divisor) {
    uint64_t remainder;
    long_divided_signed(dividend, divisor, &remainder);
    return (int64_t)remainder;
}

#ifdef __arm__

uint64_t __aeabi_llsl(uint64_t value, int bits) __attribute__((alias("__ashldi3")));
uint64_t __aeabi_llsr(uint64_t value, int bits) __attribute__((alias("__lshrdi3")));
int64_t __aeabi_lasr(int64_t value, int bits) __attribute__((alias("__ashrdi3")));

// The quotient is expected in r0 and r1, the remainder in r2 and r3, which C can't return.

void __aeabi_uldivmod(void);
__attribute__((naked)) void __aeabi_uldivmod(void) {
    __asm__ volatile("push {r6, lr}\n\t"
                     "sub sp, #16\n\t"
                     "add r6, sp, #8\n\t"
                     "str r6, [sp]\n\t"
                     "bl long_divided\n\t"
                     "ldr r2, [sp, #8]\n\t"
                     "ldr r3, [sp, #12]\n\t"
                     "add sp, #16\n\t"
                     "pop {r6, pc}");
}

void __aeabi_ldivmod(void);
__attribute__((naked)) void __aeabi_ldivmod(void) {
    __asm__ volatile("push {r6, lr}\n\t"
                     "sub sp, #16\n\t"
                     "add r6, sp, #8\n\t"
                     "str r6, [sp]\n\t"
                     "bl long_divided_signed\n\t"
                     "ldr r2, [sp, #8]\n\t"
                     "ldr r3, [sp, #12]\n\t"
                     "add sp, #16\n\t"
                     "pop {r6, pc}");
}

#endif

#if defined(__arm__) && !defined(__ARM_FEATURE_IDIV)

// A Cortex-M0 neither divides words, nor multiplies them to 64 bits, nor counts zeros.

typedef struct division {
    uint32_t quotient, remainder;
} division;

static division divided(uint32_t dividend, uint32_t divisor) {
    division result = { 0, dividend };
    if (divisor == 0) {
        return result;
    }
    uint32_t bit = 1;
    while (divisor <= result.remainder >> 1) {
        divisor <<= 1;
        bit <<= 1;
    }
    for (; bit != 0; bit >>= 1, divisor >>= 1) {
        if (result.remainder >= divisor) {
            result.remainder -= divisor;
            result.quotient |= bit;
        }
    }
    return result;
}

/// A quotient in r0 and a remainder in r1 are what a function with a 64-bit result returns.
static uint64_t in_two_registers(uint32_t low, uint32_t high) {
    halves result = { .word = { low, high } };
    return result.both;
}

static uint32_t absolute(int32_t value) {
    return value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
}

static uint32_t word_with_sign(uint32_t value, int32_t sign) {
    return sign < 0 ? 0u - value : value;
}

uint32_t __aeabi_uidiv(uint32_t dividend, uint32_t divisor);
uint32_t __aeabi_uidiv(uint32_t dividend, uint32_t divisor) {
    return divided(dividend, divisor).quotient;
}

uint64_t __aeabi_uidivmod(uint32_t dividend, uint32_t divisor);
uint64_t __aeabi_uidivmod(uint32_t dividend, uint32_t divisor) {
    division result = divided(dividend, divisor);
    return in_two_registers(result.quotient, result.remainder);
}

uint64_t __aeabi_idivmod(int32_t dividend, int32_t divisor);
uint64_t __aeabi_idivmod(int32_t dividend, int32_t divisor) {
    division result = divided(absolute(dividend), absolute(divisor));
    return in_two_registers(word_with_sign(result.quotient, dividend ^ divisor),
        word_with_sign(result.remainder, dividend));
}

int32_t __aeabi_idiv(int32_t dividend, int32_t divisor);
int32_t __aeabi_idiv(int32_t dividend, int32_t divisor) {
    return (int32_t)word_with_sign(
        divided(absolute(dividend), absolute(divisor)).quotient, dividend ^ divisor);
}

/// By halves: a compiler recognizes a loop over bits, and makes a call of this function of it.
int __clzsi2(uint32_t value);
int __clzsi2(uint32_t value) {
    if (value == 0) {
        return 32;
    }
    int count = 0;
    for (uint32_t half = 16; half > 0; half >>= 1) {
        if (value >> (32 - half) == 0) {
            value <<= half;
            count += (int)half;
        }
    }
    return count;
}

/// 32 bits times 32 bits, of four products of 16 bits each.
static uint64_t product(uint32_t left, uint32_t right) {
    uint32_t low = (left & 0xFFFF) * (right & 0xFFFF);
    uint32_t first = (left >> 16) * (right & 0xFFFF) + (low >> 16);
    uint32_t second = (left & 0xFFFF) * (right >> 16) + (first & 0xFFFF);
    halves result = { 0 };
    result.word.low = second << 16 | (low & 0xFFFF);
    result.word.high = (left >> 16) * (right >> 16) + (first >> 16) + (second >> 16);
    return result.both;
}

uint64_t __aeabi_lmul(uint64_t left, uint64_t right);
uint64_t __aeabi_lmul(uint64_t left, uint64_t right) {
    halves one = { left }, other = { right };
    halves result = { product(one.word.low, other.word.low) };
    result.word.high += one.word.low * other.word.high + one.word.high * other.word.low;
    return result.both;
}

#endif
