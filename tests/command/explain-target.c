// test: orthant explain --target --l2-bytes=2M --l2-ways=16 --threads=4 -- --target=x86_64-pc-linux-gnu -march=haswell
// output:
// x86_64-pc-linux-gnu, processor haswell
//   first-level data cache    32 KiB, 8 ways      generic
//   second-level cache        2 MiB, 16 ways      by option
//   third-level cache         8 MiB               generic
//   cache line                64 bytes            generic
//   vectors made of loops     256 bits            LLVM
//   widest vectors            256 bits            LLVM
//   vector registers          16                  LLVM
//   other registers           16                  LLVM
//   fused multiply and add    yes                 LLVM
//   threads, if parallel      4                   by option
