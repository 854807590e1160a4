// test: orthant explain --target --json --machine=target --threads=4 -- --target=x86_64-pc-linux-gnu -march=znver4
// output:
// {
//   "format": 2,
//   "triple": "x86_64-pc-linux-gnu",
//   "processor": "znver4",
//   "l1": {
//     "bytes": {
//       "value": 32768,
//       "origin": "target"
//     },
//     "ways": {
//       "value": 8,
//       "origin": "target"
//     }
//   },
//   "l2": {
//     "bytes": {
//       "value": 262144,
//       "origin": "target"
//     },
//     "ways": {
//       "value": 8,
//       "origin": "target"
//     }
//   },
//   "l3": {
//     "bytes": {
//       "value": 8388608,
//       "origin": "generic"
//     },
//     "ways": {
//       "value": 0,
//       "origin": "generic"
//     }
//   },
//   "line_bytes": {
//     "value": 64,
//     "origin": "generic"
//   },
//   "vector_bits": {
//     "value": 512,
//     "origin": "target"
//   },
//   "widest_bits": {
//     "value": 512,
//     "origin": "target"
//   },
//   "vector_registers": {
//     "value": 32,
//     "origin": "target"
//   },
//   "scalar_registers": {
//     "value": 16,
//     "origin": "target"
//   },
//   "fma": true,
//   "threads": {
//     "value": 4,
//     "origin": "given"
//   }
// }
