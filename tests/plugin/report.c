// test: clang -mllvm -orthant-report=%t.jsonl -O2 -c %s -o /dev/null
// test: clang -mllvm -orthant-report=%t.jsonl -DAGAIN -O2 -c %s -o /dev/null
// test: cat %t.jsonl
// The second compilation appends.
#ifdef AGAIN
#define f again
#endif
void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}
// output:
// {"format":2,"module":"%s","symbol":"f","function":"f","nests":[{"loc":null,"depth":1,"loops":1,"statements":1,"assumptions":[{"kind":"moderate-size","why":"p0 is between -2^48 and 2^48","loc":null,"is_implied":false}],"outcome":{"outcome":"kept","reason":"no other order keeps all dependences and looks better"}}]}
// {"format":2,"module":"%s","symbol":"again","function":"again","nests":[{"loc":null,"depth":1,"loops":1,"statements":1,"assumptions":[{"kind":"moderate-size","why":"p0 is between -2^48 and 2^48","loc":null,"is_implied":false}],"outcome":{"outcome":"kept","reason":"no other order keeps all dependences and looks better"}}]}
