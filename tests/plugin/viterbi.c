// test: clang -O3 -march=x86-64-v3 -mllvm -orthant-only=align -mllvm -orthant-print-after=schedule -c %s -o /dev/null
// The loop that paper 002 names in its section 7.3: what waits for the cell before gets a loop of its own, the rest becomes vectors. It runs again
// for each letter, so its rows are in the cache; and the address of one of them depends on the letter.
void align(int n, int m, const unsigned char *text, int **mx, int **ix, int **dx, int **score, int **cost) {
  for (int i = 1; i <= n; i++) {
    int *mc = mx[i], *dc = dx[i], *ic = ix[i], *mp = mx[i - 1], *dp = dx[i - 1], *ip = ix[i - 1];
    int *ms = score[text[i]], *mm = cost[0], *im = cost[1], *dm = cost[2], *dd = cost[3], *md = cost[4], *mi = cost[5], *ii = cost[6];
    int other;
    for (int k = 1; k <= m; k++) {
      mc[k] = mp[k - 1] + mm[k - 1];
      if ((other = ip[k - 1] + im[k - 1]) > mc[k])
        mc[k] = other;
      if ((other = dp[k - 1] + dm[k - 1]) > mc[k])
        mc[k] = other;
      mc[k] += ms[k];
      dc[k] = dc[k - 1] + dd[k - 1];
      if ((other = mc[k - 1] + md[k - 1]) > dc[k])
        dc[k] = other;
      ic[k] = mp[k] + mi[k];
      if ((other = ip[k] + ii[k]) > ic[k])
        ic[k] = other;
    }
  }
}
// output:
// orthant: schedule: align
// T(S0): (1, 0, i0, 0)
// T(S1): (1, 0, i0, 1)
// T(S2): (1, 1, i0)
// T(S3): (0, i0, 0)
// T(S4): (0, i0, 1)
// band (i0): coincident i0, innermost loop parallel
// band (i0): coincident i0, innermost loop parallel
// band (i0): innermost loop serial
// about 2.5 times the speed
