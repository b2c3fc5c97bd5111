// What compilers ask of every target: moving memory, and arithmetic that the processor lacks. The
// C compiler is told not to make calls of the loops that they stand for.
#include <stddef.h>
#include <stdint.h>

void *memmove(void *to, const void *from, size_t byte_count) {
    uint8_t *target = to;
    const uint8_t *source = from;
    if ((uintptr_t)target <= (uintptr_t)source) {
        for (size_t index = 0; index < byte_count; ++index)
            target[index] = source[index];
    } else {
        while (byte_count-- > 0)
            target[byte_count] = source[byte_count];
    }
    return to;
}

void *memcpy(void *to, const void *from, size_t byte_count) {
    return memmove(to, from, byte_count);
}

void *memset(void *to, int byte, size_t byte_count) {
    uint8_t *target = to;
    for (size_t index = 0; index < byte_count; ++index)
        target[index] = (uint8_t)byte;
    return to;
}

int memcmp(const void *left, const void *right, size_t byte_count) {
    const uint8_t *first = left, *second = right;
    for (size_t index = 0; index < byte_count; ++index)
        if (first[index] != second[index])
            return first[index] < second[index] ? -1 : 1;
    return 0;
}

// One bit of the quotient after the other. What is left over stays for who wants it too; there
// are no interrupts that could come between.
static uint64_t left_over;

static uint64_t divide(uint64_t number, uint64_t divisor) {
    uint64_t quotient = 0, rest = 0;
    for (int bit = 63; bit >= 0; --bit) {
        uint64_t carry = rest >> 63;
        rest = rest << 1 | (number >> bit & 1);
        if (carry || rest >= divisor) {
            rest -= divisor;
            quotient |= (uint64_t)1 << bit;
        }
    }
    left_over = rest;
    return quotient;
}

static uint64_t magnitude(int64_t number) {
    return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

static int64_t signed_quotient(int64_t number, int64_t divisor) {
    uint64_t quotient = divide(magnitude(number), magnitude(divisor));
    if (number < 0)
        left_over = 0 - left_over;
    return (int64_t)((number < 0) != (divisor < 0) ? 0 - quotient : quotient);
}

uint64_t __udivdi3(uint64_t number, uint64_t divisor) { return divide(number, divisor); }

int64_t __divdi3(int64_t number, int64_t divisor) { return signed_quotient(number, divisor); }

uint64_t __umoddi3(uint64_t number, uint64_t divisor) {
    divide(number, divisor);
    return left_over;
}

int64_t __moddi3(int64_t number, int64_t divisor) {
    signed_quotient(number, divisor);
    return (int64_t)left_over;
}

// Shifts of 64 bits by 0 to 63, where code is to be small or the processor is. Written in words:
// with 64 bits they would call themselves.
typedef union {
    uint64_t whole;
    uint32_t words[2];
} two_words;

uint64_t __ashldi3(uint64_t number, int count) {
    two_words from = {number}, to;
    if (count & 32) {
        to.words[0] = 0;
        to.words[1] = from.words[0] << (count & 31);
    } else {
        // In two steps, since a shift by 32 is none in C.
        to.words[0] = from.words[0] << count;
        to.words[1] = from.words[1] << count | from.words[0] >> 1 >> (31 - count);
    }
    return to.whole;
}

uint64_t __lshrdi3(uint64_t number, int count) {
    two_words from = {number}, to;
    if (count & 32) {
        to.words[0] = from.words[1] >> (count & 31);
        to.words[1] = 0;
    } else {
        to.words[0] = from.words[0] >> count | from.words[1] << 1 << (31 - count);
        to.words[1] = from.words[1] >> count;
    }
    return to.whole;
}

int64_t __ashrdi3(int64_t number, int count) {
    // Below zero the bits that come in are ones: those of the complement are zeros.
    uint64_t sign = number < 0 ? ~(uint64_t)0 : 0;
    return (int64_t)(__lshrdi3((uint64_t)number ^ sign, count) ^ sign);
}

#ifdef __arm__

// The names of the ARM run-time ABI, whose memset has its arguments the other way round.
#define ALIAS(name, of) __typeof__(of) name __attribute__((alias(#of)))
ALIAS(__aeabi_memcpy, memcpy);
ALIAS(__aeabi_memcpy4, memcpy);
ALIAS(__aeabi_memcpy8, memcpy);
ALIAS(__aeabi_memmove, memmove);
ALIAS(__aeabi_memmove4, memmove);
ALIAS(__aeabi_memmove8, memmove);
ALIAS(__aeabi_llsl, __ashldi3);
ALIAS(__aeabi_llsr, __lshrdi3);
ALIAS(__aeabi_lasr, __ashrdi3);

void __aeabi_memset(void *to, size_t byte_count, int byte) { memset(to, byte, byte_count); }
ALIAS(__aeabi_memset4, __aeabi_memset);
ALIAS(__aeabi_memset8, __aeabi_memset);

void __aeabi_memclr(void *to, size_t byte_count) { memset(to, 0, byte_count); }
ALIAS(__aeabi_memclr4, __aeabi_memclr);
ALIAS(__aeabi_memclr8, __aeabi_memclr);

// These give the quotient in r0 and r1 and the rest in r2 and r3, which no C function can.
#define DIVISION(name, function)                                                                   \
    __attribute__((naked)) void name(void) {                                                       \
        __asm__("push {r4, lr}\n"                                                                  \
                "bl %c0\n"                                                                         \
                "ldr r4, =%c1\n"                                                                   \
                "ldmia r4!, {r2, r3}\n"                                                            \
                "pop {r4, pc}\n"                                                                   \
                ".ltorg\n" ::"i"(function),                                                        \
                "i"(&left_over));                                                                  \
    }
DIVISION(__aeabi_uldivmod, divide)
DIVISION(__aeabi_ldivmod, signed_quotient)

#endif

#if defined(__arm__) && !defined(__ARM_FEATURE_IDIV)

// A Cortex-M0 neither divides nor multiplies to 64 bits nor shifts those.
static uint32_t divide_words(uint32_t number, uint32_t divisor, uint32_t *rest) {
    uint32_t quotient = 0, remainder = 0;
    for (int bit = 31; bit >= 0; --bit) {
        uint32_t carry = remainder >> 31;
        remainder = remainder << 1 | (number >> bit & 1);
        if (carry || remainder >= divisor) {
            remainder -= divisor;
            quotient |= (uint32_t)1 << bit;
        }
    }
    *rest = remainder;
    return quotient;
}

// Quotient in r0 and rest in r1: the halves of a number of 64 bits.
uint64_t __aeabi_uidivmod(uint32_t number, uint32_t divisor) {
    uint32_t rest, quotient = divide_words(number, divisor, &rest);
    return (uint64_t)rest << 32 | quotient;
}

uint32_t __aeabi_uidiv(uint32_t number, uint32_t divisor) {
    uint32_t rest;
    return divide_words(number, divisor, &rest);
}

uint64_t __aeabi_idivmod(int32_t number, int32_t divisor) {
    uint32_t rest;
    uint32_t quotient = divide_words((uint32_t)magnitude(number), 
                                     (uint32_t)magnitude(divisor), &rest);
    if ((number < 0) != (divisor < 0))
        quotient = 0 - quotient;
    return (uint64_t)(number < 0 ? 0 - rest : rest) << 32 | quotient;
}

int32_t __aeabi_idiv(int32_t number, int32_t divisor) {
    return (int32_t)__aeabi_idivmod(number, divisor);
}

// The whole product of the low words, of halves whose products fit a word; of what else there is
// only the low words count.
int64_t __aeabi_lmul(int64_t left, int64_t right) {
    two_words a = {(uint64_t)left}, b = {(uint64_t)right}, product;
    uint32_t a_low = a.words[0] & 0xFFFF, a_high = a.words[0] >> 16;
    uint32_t b_low = b.words[0] & 0xFFFF, b_high = b.words[0] >> 16;
    uint32_t low = a_low * b_low;
    uint32_t first = a_high * b_low + (low >> 16);
    uint32_t second = a_low * b_high + (first & 0xFFFF);
    product.words[0] = second << 16 | (low & 0xFFFF);
    product.words[1] = a_high * b_high + (first >> 16) + (second >> 16) +
                       a.words[0] * b.words[1] + a.words[1] * b.words[0];
    return (int64_t)product.whole;
}

// How many zeros the highest one has before it.
int __clzsi2(uint32_t number) {
    int count = 0;
    for (uint32_t bit = (uint32_t)1 << 31; bit != 0 && !(number & bit); bit >>= 1)
        ++count;
    return count;
}

#endif
