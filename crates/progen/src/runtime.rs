//! What every generated program starts with: types, buffers, helpers to inline, the digest.
//!
//! Each element type has one buffer of twice the window, so that two parameters of the same type may point
//! into it at any distance; a third window's worth of slack lets helpers read a few elements on. `fill` and
//! `show` are not optimized: they are not what is tested.

use std::fmt::Write;

/// An element or scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// Its short name, part of identifiers.
    pub short: &'static str,
    /// Its C name.
    pub c: &'static str,
    /// Its width in bits.
    pub bits: u32,
    /// Whether it has negative values.
    pub signed: bool,
    /// Whether it is a floating-point type.
    pub float: bool,
}

const fn int(short: &'static str, c: &'static str, bits: u32, signed: bool) -> Type {
    Type { short, c, bits, signed, float: false }
}

/// The integer types.
pub const INTS: [Type; 8] = [
    int("i32", "int", 32, true),
    int("u32", "unsigned", 32, false),
    int("i64", "long", 64, true),
    int("u64", "size_t", 64, false),
    int("i16", "short", 16, true),
    int("u16", "unsigned short", 16, false),
    int("i8", "signed char", 8, true),
    int("u8", "unsigned char", 8, false),
];

/// The floating-point types.
pub const FLOATS: [Type; 2] = [
    Type { short: "f32", c: "float", bits: 32, signed: true, float: true },
    Type { short: "f64", c: "double", bits: 64, signed: true, float: true },
];

/// The elements of an array that subscripts stay below.
pub const WINDOW: i64 = 1024;

/// The columns of the two-dimensional arrays.
pub const COLUMNS: i64 = 32;

/// The text before the functions.
pub const PROLOGUE: &str = r#"#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#define W 1024
#define LEN (2 * W + 64)
#define QUIET __attribute__((noinline, optnone))
struct S { int x; short y; unsigned char z; double w; };
int b_i32[LEN]; unsigned b_u32[LEN]; long b_i64[LEN]; size_t b_u64[LEN]; short b_i16[LEN];
unsigned short b_u16[LEN]; signed char b_i8[LEN]; unsigned char b_u8[LEN]; float b_f32[LEN]; double b_f64[LEN];
int m_i32[32][32]; double m_f64[32][32]; short m_i16[32][32];
struct S b_s[LEN]; unsigned counter; int g_i32; unsigned g_u32; double g_f64;
static unsigned state;
QUIET static unsigned next(void) { state = state * 1664525u + 1013904223u; return state >> 8; }
QUIET static void fill(void) {
  state = 12345u; counter = 0; g_i32 = 3; g_u32 = 5; g_f64 = 0.75;
  for (int k = 0; k < LEN; k++) {
    b_i32[k] = (int)next() - 8000000; b_u32[k] = next() * 977u; b_i64[k] = (long)next() * next() - 5;
    b_u64[k] = (size_t)next() * 0x9e3779b97f4a7c15ul; b_i16[k] = (short)next(); b_u16[k] = (unsigned short)next();
    b_i8[k] = (signed char)next(); b_u8[k] = (unsigned char)next();
    b_f32[k] = (float)((int)(next() % 65u) - 32) * 0.125f; b_f64[k] = ((int)(next() % 8193u) - 4096) / 1024.0;
    b_s[k].x = (int)next() - 5000000; b_s[k].y = (short)next(); b_s[k].z = (unsigned char)next();
    b_s[k].w = ((int)(next() % 513u) - 256) / 64.0;
  }
  for (int i = 0; i < 32; i++) for (int j = 0; j < 32; j++) {
    m_i32[i][j] = (int)next() - 100; m_i16[i][j] = (short)next(); m_f64[i][j] = ((int)(next() % 129u) - 64) / 16.0;
  }
}
QUIET static unsigned long digest(unsigned long h, const void *from, unsigned long bytes) {
  const unsigned char *p = (const unsigned char *)from;
  for (unsigned long k = 0; k + 8 <= bytes; k += 8) {
    unsigned long w; memcpy(&w, p + k, 8); h = (h ^ w) * 0x100000001b3ul; h ^= h >> 29;
  }
  return h;
}
#define D(b) h = digest(h, b, sizeof b)
QUIET static void show(const char *name, int call, unsigned long result) {
  unsigned long h = 0xcbf29ce484222325ul;
  D(b_i32); D(b_u32); D(b_i64); D(b_u64); D(b_i16); D(b_u16); D(b_i8); D(b_u8); D(b_f32); D(b_f64);
  D(m_i32); D(m_f64); D(m_i16);
  for (int k = 0; k < LEN; k++) {
    unsigned long f[4] = {(unsigned)b_s[k].x, (unsigned short)b_s[k].y, b_s[k].z, 0};
    memcpy(&f[3], &b_s[k].w, 8); D(f);
  }
  double g = g_f64; D(&g); 
  printf("%s %d %lx %lx %x %x %x\n", name, call, result, h, counter, (unsigned)g_i32, g_u32);
}
__attribute__((noinline)) unsigned opaque(unsigned x) { counter = counter * 31u + x; return counter ^ x; }
__attribute__((noinline, const)) unsigned pure(unsigned x) { return x * 2654435761u >> 3; }
__attribute__((noinline, pure)) unsigned peek(unsigned x) { return (unsigned)m_i32[x & 31u][x >> 5 & 31u] ^ (unsigned)m_i16[x >> 3 & 31u][x & 31u]; }
static inline unsigned mix(unsigned a, unsigned b) { return (a ^ (b << 3)) * 5u + (b >> 7); }
static inline unsigned ld16(const void *p, long at) {
  unsigned short v; memcpy(&v, (const unsigned char *)p + at, 2); return v;
}
static inline unsigned ld32(const void *p, long at) {
  unsigned v; memcpy(&v, (const unsigned char *)p + at, 4); return v;
}
static inline void st16(void *p, long at, unsigned v) {
  unsigned short w = (unsigned short)v; memcpy((unsigned char *)p + at, &w, 2);
}
static inline void st32(void *p, long at, unsigned v) { memcpy((unsigned char *)p + at, &v, 4); }
static inline double bits(unsigned long u) { unsigned long d; memcpy(&d, &u, 8); return (double)(long)(d & 63ul) * 0.0625; }
#define HELPERS(N, T) \
  static inline unsigned sum_##N(const T *p, int n) { \
    unsigned s = 0; for (int k = 0; k < n; k++) s += (unsigned)p[k] * 3u; return s; } \
  static inline unsigned find_##N(const T *p, unsigned n, unsigned v) { \
    unsigned k = 0; while (k < n && ((unsigned)p[k] & 7u) != (v & 7u)) k++; return k; } \
  static inline void put_##N(T *p, short n, unsigned v) { \
    for (short k = n; k > 0; k--) p[k - 1] = (T)(v + (unsigned)k); }
HELPERS(i32, int) HELPERS(u32, unsigned) HELPERS(i64, long) HELPERS(u64, size_t) HELPERS(i16, short)
HELPERS(u16, unsigned short) HELPERS(i8, signed char) HELPERS(u8, unsigned char)

"#;

/// The largest and smallest value of an integer type, as C text.
pub fn limits(ty: Type) -> (&'static str, &'static str) {
    match ty.short {
        "i32" => ("INT_MIN", "INT_MAX"),
        "u32" => ("0u", "UINT_MAX"),
        "i64" => ("LONG_MIN", "LONG_MAX"),
        "u64" => ("0ul", "ULONG_MAX"),
        "i16" => ("SHRT_MIN", "SHRT_MAX"),
        "u16" => ("0", "USHRT_MAX"),
        "i8" => ("SCHAR_MIN", "SCHAR_MAX"),
        _ => ("0", "UCHAR_MAX"),
    }
}

/// A list with commas.
pub fn list<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut out = String::new();
    for item in items {
        let comma = if out.is_empty() { "" } else { ", " };
        let _ = write!(out, "{comma}{item}");
    }
    out
}
