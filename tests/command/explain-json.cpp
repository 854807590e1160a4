// test: orthant explain --json %s
double parse(const char *);

namespace table {
void fill(long n, double *out, const char **texts) {
  for (long i = 0; i < n; i++)
    out[i] = parse(texts[i]);
}
} // namespace table
// output:
// {
//   "format": 2,
//   "functions": [
//     {
//       "format": 2,
//       "module": "%s",
//       "symbol": "_ZN5table4fillElPdPPKc",
//       "function": "table::fill(long, double*, char const**)",
//       "nests": [
//         {
//           "loc": {
//             "file": "%s",
//             "line": 6,
//             "column": 3
//           },
//           "depth": 1,
//           "loops": 1,
//           "outcome": {
//             "outcome": "rejected",
//             "refusals": [
//               {
//                 "id": "call-with-side-effects",
//                 "callee": "parse(char const*)",
//                 "loc": {
//                   "file": "%s",
//                   "line": 7,
//                   "column": 14
//                 }
//               }
//             ]
//           }
//         }
//       ]
//     }
//   ]
// }
