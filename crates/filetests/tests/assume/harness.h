// Compares two versions of the kernels of a program: `original` is compiled without Orthant, `optimized` with it. A program
// defines its kernels inside `#ifdef KERNELS`, each named by NAME, and one function `all_cases` in which it calls
// `both_equal` or compares by hand.
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
// The version's own name of a kernel.
#define NAME(kernel) PASTE(VERSION, kernel)

#ifdef MAIN
static long cases, wrong;

// Fills memory with bytes that are different everywhere and small as numbers of any type.
static inline void fill(void *memory, size_t bytes, unsigned seed) {
  unsigned char *at = (unsigned char *)memory;
  for (size_t i = 0; i < bytes; i++)
    at[i] = (unsigned char)((i * 37 + seed * 11 + (i >> 3) + (i >> 9) * 29) & 0x3f);
}

// Says what differs, the first few times.
static inline void same(const void *a, const void *b, size_t bytes, const char *what, long x, long y, long z) {
  cases++;
  if (memcmp(a, b, bytes) != 0 && wrong++ < 10)
    printf("different: %s %ld %ld %ld\n", what, x, y, z);
}

// Memory of some pages with a page before and one behind that nobody may touch.
#define PAGE 4096
static inline unsigned char *between_guards(size_t pages) {
  unsigned char *all = (unsigned char *)mmap(0, (pages + 2) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if ((void *)all == MAP_FAILED || mprotect(all + PAGE, pages * PAGE, PROT_READ | PROT_WRITE))
    exit(2);
  return all + PAGE;
}

// Whether a call ends, rather than touch memory that is not there. Where the original does not end, nothing is compared.
static sigjmp_buf fault;
static void on_fault(int signal) { (void)signal; siglongjmp(fault, 1); }
#define ENDS(call) (sigsetjmp(fault, 1) ? 0 : (call, 1))

static void all_cases(void);
int main(void) {
  signal(SIGSEGV, on_fault);
  signal(SIGBUS, on_fault);
  signal(SIGFPE, on_fault);
  all_cases();
  printf("cases %ld wrong %ld\n", cases, wrong);
  return wrong != 0;
}
#endif
