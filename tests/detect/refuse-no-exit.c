// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
void blink(int *lamp) {
  for (int i = 0;; i++)
    *(volatile int *)lamp = i & 1;
}
// output:
// %s:3:3: remark: loop nest not optimized: the loop has no exit; volatile access [-Rpass-missed=orthant]
// %s:3:3: remark: the loop has no exit; there is no remedy: nothing can be moved across a loop that never ends [-Rpass-analysis=orthant]
// %s:4:27: remark: volatile access; copy the volatile object to a local before the loops [-Rpass-analysis=orthant]
// orthant: detect: blink
//   %s:3:3: rejected, depth 1, 1 loops
//     no-exit: %s:3:3: the loop has no exit
//     volatile-access: %s:4:27: volatile access
