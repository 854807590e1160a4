// For programs that show with one number what a kernel did to memory.
#include <stdio.h>
#include <string.h>

static double memory[20000], other[20000];

// Numbers whose sums and products depend on the order.
static inline void fill(void) {
  for (int i = 0; i < 20000; i++) {
    memory[i] = 1 + (i * 7919L % 1009) / 1009.0;
    other[i] = 1 + (i * 104729L % 2003) / 2003.0;
  }
}

// The same for programs that use the memory as floats: a part of a double may be no number.
static inline void fill_floats(void) {
  for (int i = 0; i < 40000; i++) {
    ((float *)memory)[i] = 1 + (i * 7919L % 1009) / 1009.0f;
    ((float *)other)[i] = 1 + (i * 104729L % 2003) / 2003.0f;
  }
}

static void print_sum(const char *what) {
  unsigned long long sum = 0, bits;
  for (int i = 0; i < 20000; i++) {
    memcpy(&bits, &memory[i], sizeof bits);
    sum = (sum ^ bits) * 1099511628211u + 1;
  }
  printf("%s %llx\n", what, sum);
  // Before what is printed when the program ends.
  fflush(stdout);
}
