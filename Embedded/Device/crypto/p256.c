#include "p256.h"

#include "memory.h"

/// Numbers have eight words, the least significant first. Those modulo p are kept in Montgomery's
/// form, a times 2^256; a product of two numbers is there always their product divided by 2^256.
/// Points are (X : Y : Z), which stands for (X/Z, Y/Z), and (0 : 1 : 0) is the one at infinity.

enum { WORD_COUNT = 8, BIT_COUNT = 256 };

typedef struct number {
    uint32_t words[WORD_COUNT];
} number;

typedef struct point {
    number x, y, z;
} point;

typedef struct modulus {
    number value;
    /// What makes with the lowest word of the modulus -1 modulo 2^32.
    uint32_t factor;
} modulus;

/// FIPS 186-5 and SP 800-186, section 3.2.1.3: the field, the order of the group, the b of the
/// curve y² = x³ - 3x + b, and the base point.
static const modulus field = {
    { { 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0, 0, 0, 1, 0xFFFFFFFF } },
    1,
};
static const modulus order = {
    { { 0xFC632551, 0xF3B9CAC2, 0xA7179E84, 0xBCE6FAAD, 0xFFFFFFFF, 0xFFFFFFFF, 0, 0xFFFFFFFF } },
    0xEE00BC4F,
};
static const number curve_b = { {
    0x27D2604B, 0x3BCE3C3E, 0xCC53B0F6, 0x651D06B0, 0x769886BC, 0xB3EBBD55, 0xAA3A93E7, 0x5AC635D8,
} };
static const number base_x = { {
    0xD898C296, 0xF4A13945, 0x2DEB33A0, 0x77037D81, 0x63A440F2, 0xF8BCE6E5, 0xE12C4247, 0x6B17D1F2,
} };
static const number base_y = { {
    0x37BF51F5, 0xCBB64068, 0x6B315ECE, 0x2BCE3357, 0x7C0F9E16, 0x8EE7EB4A, 0xFE1A7F9B, 0x4FE342E2,
} };
/// 2^512 modulo p, which brings a number into Montgomery's form.
static const number square_of_2_256 = { {
    3, 0, 0xFFFFFFFF, 0xFFFFFFFB, 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD, 4,
} };
static const number one = { { 1 } };

// Numbers.

static bool bit(const number *a, uint32_t index) {
    return (a->words[index / 32] >> index % 32 & 1) != 0;
}

static bool is_zero(const number *a) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < WORD_COUNT; i++) {
        bits |= a->words[i];
    }
    return bits == 0;
}

static bool is_equal(const number *a, const number *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/// The low 256 bits of the sum, and the bit above them.
static uint32_t plus(number *sum, const number *a, const number *b) {
    uint64_t carry = 0;
    for (uint32_t i = 0; i < WORD_COUNT; i++) {
        carry += (uint64_t)a->words[i] + b->words[i];
        sum->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return (uint32_t)carry;
}

/// The low 256 bits of the difference, and 1 where it is below 0.
static uint32_t minus(number *difference, const number *a, const number *b) {
    uint32_t borrow = 0;
    for (uint32_t i = 0; i < WORD_COUNT; i++) {
        uint64_t word = (uint64_t)a->words[i] - b->words[i] - borrow;
        difference->words[i] = (uint32_t)word;
        borrow = (uint32_t)(word >> 32) & 1;
    }
    return borrow;
}

static bool is_below(const number *a, const number *b) {
    number difference;
    return minus(&difference, a, b) != 0;
}

/// Takes the modulus away once, if the number with `top` above its 256 bits is not below it.
static void reduce(number *a, uint32_t top, const modulus *m) {
    if (top != 0 || !is_below(a, &m->value)) {
        minus(a, a, &m->value);
    }
}

/// The high word of a·b + addend + carry, which fits two; the low one goes to `low`.
static inline uint32_t multiply_add(
    uint32_t *low, uint32_t a, uint32_t b, uint32_t addend, uint32_t carry) {
    uint64_t sum = (uint64_t)a * b + addend + carry;
    *low = (uint32_t)sum;
    return (uint32_t)(sum >> 32);
}

/// a·b/2^256 modulo m. One of the two is below m, and so is the result; the other may be anything:
/// then what there is before the last step is below 2m.
static void multiply_modulo(number *result, const number *a, const number *b, const modulus *m) {
    number sum = { { 0 } };
    uint32_t *words = sum.words, top = 0;
    for (uint32_t i = 0; i < WORD_COUNT; i++) {
        uint32_t carry = 0;
        for (uint32_t j = 0; j < WORD_COUNT; j++) {
            carry = multiply_add(&words[j], a->words[j], b->words[i], words[j], carry);
        }
        uint64_t above = (uint64_t)top + carry;
        // With this multiple of the modulus the lowest word becomes 0, and is left out.
        uint32_t factor = words[0] * m->factor, zero;
        carry = multiply_add(&zero, factor, m->value.words[0], words[0], 0);
        for (uint32_t j = 1; j < WORD_COUNT; j++) {
            carry = multiply_add(&words[j - 1], factor, m->value.words[j], words[j], carry);
        }
        above += carry;
        words[WORD_COUNT - 1] = (uint32_t)above;
        top = (uint32_t)(above >> 32);
    }
    reduce(&sum, top, m);
    *result = sum;
}

static void read_number(number *a, const uint8_t bytes[32]) {
    for (uint32_t i = 0; i < WORD_COUNT; i++) {
        const uint8_t *word = bytes + 4 * (WORD_COUNT - 1 - i);
        a->words[i]
            = (uint32_t)word[0] << 24 | (uint32_t)word[1] << 16 | (uint32_t)word[2] << 8 | word[3];
    }
}

// The field. The result may be one of the operands.

static void multiply(number *product, const number *a, const number *b) {
    multiply_modulo(product, a, b, &field);
}

static void add(number *sum, const number *a, const number *b) {
    reduce(sum, plus(sum, a, b), &field);
}

static void subtract(number *difference, const number *a, const number *b) {
    if (minus(difference, a, b) != 0) {
        plus(difference, difference, &field.value);
    }
}

static void triple(number *a) {
    number twice;
    add(&twice, a, a);
    add(a, a, &twice);
}

// The curve.

/// a·d + b·c of two points' coordinates (a, b) and (c, d), given a·c and b·d.
static void cross(number *result, const number *a, const number *b, const number *c,
    const number *d, const number *ac, const number *bd) {
    number first, second;
    add(&first, a, b);
    add(&second, c, d);
    multiply(&first, &first, &second);
    subtract(&first, &first, ac);
    subtract(result, &first, bd);
}

/// The sum of two points. One formula for all of them, also for twice a point, for a point and its
/// opposite, and for the one at infinity: Renes, Costello and Batina, "Complete addition formulas
/// for prime order elliptic curves" (Eurocrypt 2016), section 3, with a = -3. The sum may be one of
/// the two.
static void add_points(point *sum, const point *p, const point *q, const number *b) {
    number xx, yy, zz, xy, yz, xz, low, high, mixed;
    multiply(&xx, &p->x, &q->x);
    multiply(&yy, &p->y, &q->y);
    multiply(&zz, &p->z, &q->z);
    cross(&xy, &p->x, &p->y, &q->x, &q->y, &xx, &yy);
    cross(&yz, &p->y, &p->z, &q->y, &q->z, &yy, &zz);
    cross(&xz, &p->x, &p->z, &q->x, &q->z, &xx, &zz);

    // yy ± 3(b·zz - xz)
    multiply(&mixed, b, &zz);
    subtract(&mixed, &mixed, &xz);
    triple(&mixed);
    subtract(&low, &yy, &mixed);
    add(&high, &yy, &mixed);
    // 3(b·xz - xx - 3·zz) and 3(xx - zz)
    multiply(&mixed, b, &xz);
    subtract(&mixed, &mixed, &xx);
    subtract(&xx, &xx, &zz);
    triple(&xx);
    triple(&zz);
    subtract(&mixed, &mixed, &zz);
    triple(&mixed);

    // X = xy·low - yz·mixed
    multiply(&sum->x, &xy, &low);
    multiply(&zz, &yz, &mixed);
    subtract(&sum->x, &sum->x, &zz);
    // Y = high·low + xx·mixed
    multiply(&sum->y, &high, &low);
    multiply(&zz, &xx, &mixed);
    add(&sum->y, &sum->y, &zz);
    // Z = yz·high + xy·xx
    multiply(&sum->z, &yz, &high);
    multiply(&zz, &xy, &xx);
    add(&sum->z, &sum->z, &zz);
}

static void make_point(point *p, const number *x, const number *y) {
    multiply(&p->x, x, &square_of_2_256);
    multiply(&p->y, y, &square_of_2_256);
    multiply(&p->z, &one, &square_of_2_256);
}

/// Whether the coordinates are below p and y² is x³ - 3x + b.
static bool read_key(point *p, const uint8_t key[P256_KEY_BYTE_COUNT], const number *b) {
    number x, y, left, right;
    read_number(&x, key + 1);
    read_number(&y, key + 33);
    if (key[0] != 4 || !is_below(&x, &field.value) || !is_below(&y, &field.value)) {
        return false;
    }
    make_point(p, &x, &y);
    multiply(&left, &p->y, &p->y);
    multiply(&right, &p->x, &p->x);
    multiply(&right, &right, &p->x);
    x = p->x;
    triple(&x);
    subtract(&right, &right, &x);
    add(&right, &right, b);
    return is_equal(&left, &right);
}

/// u·G + v·Q, both at once, from the highest bit down.
static void sum_of_multiples(
    point *sum, const number *u, const number *v, const point *key, const number *b) {
    point addends[3];
    make_point(&addends[0], &base_x, &base_y);
    addends[1] = *key;
    add_points(&addends[2], &addends[0], &addends[1], b);
    *sum = (point) { .y = addends[0].z };
    for (uint32_t i = BIT_COUNT; i-- > 0;) {
        uint32_t choice = (uint32_t)bit(u, i) + 2 * (uint32_t)bit(v, i);
        add_points(sum, sum, sum, b);
        if (choice != 0) {
            add_points(sum, sum, &addends[choice - 1], b);
        }
    }
}

/// 2^512/s modulo the order, which is s to the power of the order less 2 (Fermat); each product
/// of two numbers divides by 2^256.
static void invert(number *inverse, const number *s) {
    number exponent;
    static const number two = { { 2 } };
    minus(&exponent, &order.value, &two);
    *inverse = *s; // for the highest bit
    for (uint32_t i = BIT_COUNT - 1; i-- > 0;) {
        multiply_modulo(inverse, inverse, inverse, &order);
        if (bit(&exponent, i)) {
            multiply_modulo(inverse, inverse, s, &order);
        }
    }
}

/// a/s modulo the order, given what `invert` made of s.
static void divide(number *quotient, const number *a, const number *inverse) {
    multiply_modulo(quotient, a, inverse, &order);
    multiply_modulo(quotient, quotient, &one, &order);
}

/// Whether r is X/Z modulo the order, where X/Z is below p: so it is r, or r and the order.
static bool has_x(const point *p, const number *r) {
    number x, product, candidate = *r;
    multiply(&x, &p->x, &one);
    multiply(&product, &candidate, &p->z);
    if (is_equal(&x, &product)) {
        return true;
    }
    uint32_t top = plus(&candidate, r, &order.value);
    if (top != 0 || !is_below(&candidate, &field.value)) {
        return false;
    }
    multiply(&product, &candidate, &p->z);
    return is_equal(&x, &product);
}

static bool read_part(number *part, const uint8_t bytes[32]) {
    read_number(part, bytes);
    return !is_zero(part) && is_below(part, &order.value);
}

/// SEC 1, section 4.1.4.
bool p256_is_signature(const uint8_t key[P256_KEY_BYTE_COUNT],
    const uint8_t hash[P256_HASH_BYTE_COUNT], const uint8_t signature[P256_SIGNATURE_BYTE_COUNT]) {
    number r, s, u, v, b;
    point owner, sum;
    multiply(&b, &curve_b, &square_of_2_256);
    if (!read_part(&r, signature) || !read_part(&s, signature + 32) || !read_key(&owner, key, &b)) {
        return false;
    }
    number inverse;
    invert(&inverse, &s);
    read_number(&u, hash);
    divide(&u, &u, &inverse);
    divide(&v, &r, &inverse);
    sum_of_multiples(&sum, &u, &v, &owner, &b);
    return !is_zero(&sum.z) && has_x(&sum, &r);
}
