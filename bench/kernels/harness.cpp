/* The program around the kernels: makes the data, runs, compares, dumps, times. See usage() below.
 *
 * Data: element i of array a is a fixed function of (a, i), then the kernel's PREPARE. Every array is filled,
 * also those the kernel only writes, so that a cell wrongly written or left out shows. Every array counts in
 * the checksum and in the dump, also those the kernel only reads. */
#include "include/harness.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static Kernel *kernels;

void add_kernel(Kernel *kernel)
{
    Kernel **place = &kernels;
    while (*place && strcmp((*place)->name, kernel->name) < 0)
        place = &(*place)->next;
    kernel->next = *place;
    *place = kernel;
}

static const char *const size_names[SIZES] = {"mini", "small", "medium", "large", "xlarge", "any"};

struct Request {
    const char *kernel, *shape;
    int size, any; /* a column of the table, and n if it is the last */
    bool dump, verify, check, list, sizes, time;
    double seconds;
    long runs;
};

struct Data {
    long count[MAX_ARRAYS];
    size_t bytes[MAX_ARRAYS];
    void *array[MAX_ARRAYS];
};

static size_t width(Kind kind)
{
    switch (kind) {
    case DOUBLE: return 8;
    case FLOAT: return 4;
    case INT: return 4;
    default: return 1;
    }
}

/* The finalizer of the splitmix64 generator: every bit of x reaches every bit of the result. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Reals are uniform in [0, 1) with a full significand, so that another order of additions shows. */
static void fill(int number, Kind kind, void *data, long count)
{
    for (long i = 0; i < count; i++) {
        uint64_t bits = mix(((uint64_t)(number + 1) << 40) + (uint64_t)i);
        double value = (double)(bits >> 11) * 0x1p-53;
        switch (kind) {
        case DOUBLE: static_cast<double *>(data)[i] = value; break;
        case FLOAT: static_cast<float *>(data)[i] = (float)(bits >> 40) * 0x1p-24f; break;
        case INT: static_cast<int *>(data)[i] = (int)(bits % 1000); break;
        case SIGNED_BYTE: static_cast<signed char *>(data)[i] = (signed char)(int)(bits % 255 - 127); break;
        case BYTE: static_cast<unsigned char *>(data)[i] = (unsigned char)(bits & 255); break;
        }
    }
}

static void *allocate(size_t bytes)
{
    void *memory = nullptr;
    if (posix_memalign(&memory, 64, bytes ? bytes : 1) != 0) {
        fprintf(stderr, "not enough memory for an array of %zu bytes; choose a smaller --size\n", bytes);
        exit(2);
    }
    return memory;
}

static Data describe(const Kernel *kernel, const int *dims)
{
    Data data;
    memset(&data, 0, sizeof data);
    kernel->lengths(dims, data.count);
    for (int a = 0; a < kernel->array_count; a++)
        data.bytes[a] = (size_t)data.count[a] * width(kernel->arrays[a].kind);
    return data;
}

static Data allocated(const Kernel *kernel, const int *dims)
{
    Data data = describe(kernel, dims);
    for (int a = 0; a < kernel->array_count; a++)
        data.array[a] = allocate(data.bytes[a]);
    return data;
}

static void release(const Kernel *kernel, Data *data)
{
    for (int a = 0; a < kernel->array_count; a++)
        free(data->array[a]);
}

static Data initial(const Kernel *kernel, const int *dims)
{
    Data data = allocated(kernel, dims);
    for (int a = 0; a < kernel->array_count; a++)
        fill(a, kernel->arrays[a].kind, data.array[a], data.count[a]);
    if (kernel->prepare)
        kernel->prepare(dims, data.array);
    return data;
}

static void copy(const Kernel *kernel, Data *to, const Data *from)
{
    for (int a = 0; a < kernel->array_count; a++)
        memcpy(to->array[a], from->array[a], from->bytes[a]);
}

/* The bits of element i, for checksum and dump. */
static uint64_t bits_of(Kind kind, const void *data, long i)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;
    switch (width(kind)) {
    case 8: memcpy(&wide, static_cast<const char *>(data) + 8 * i, 8); return wide;
    case 4: memcpy(&narrow, static_cast<const char *>(data) + 4 * i, 4); return narrow;
    default: return static_cast<const unsigned char *>(data)[i];
    }
}

static double value_of(Kind kind, const void *data, long i)
{
    switch (kind) {
    case DOUBLE: return static_cast<const double *>(data)[i];
    case FLOAT: return static_cast<const float *>(data)[i];
    case INT: return static_cast<const int *>(data)[i];
    case SIGNED_BYTE: return static_cast<const signed char *>(data)[i];
    default: return static_cast<const unsigned char *>(data)[i];
    }
}

static uint64_t checksum(const Kernel *kernel, const Data *data)
{
    uint64_t sum = 0;
    for (int a = 0; a < kernel->array_count; a++)
        for (long i = 0; i < data->count[a]; i++)
            sum = mix(sum ^ bits_of(kernel->arrays[a].kind, data->array[a], i));
    return sum;
}

/* Values that are no ordinary numbers: a kernel that makes them tests little, and subnormals are slow. */
static long odd_values(const Kernel *kernel, const Data *data)
{
    long odd = 0;
    for (int a = 0; a < kernel->array_count; a++) {
        Kind kind = kernel->arrays[a].kind;
        if (kind != DOUBLE && kind != FLOAT)
            continue;
        double least = kind == DOUBLE ? 0x1p-1022 : 0x1p-126;
        for (long i = 0; i < data->count[a]; i++) {
            double v = value_of(kind, data->array[a], i);
            bool finite = v - v == 0;
            odd += !finite || (v != 0 && -least < v && v < least);
        }
    }
    return odd;
}

/* Bits and value of one element: exact, and readable. */
static void print_element(FILE *out, const Kernel *kernel, const Data *data, int a, long i)
{
    Kind kind = kernel->arrays[a].kind;
    fprintf(out, "%s %ld %0*llx %.9g\n", kernel->arrays[a].name, i, (int)(2 * width(kind)),
            (unsigned long long)bits_of(kind, data->array[a], i), value_of(kind, data->array[a], i));
}

static void dump(const Kernel *kernel, const Data *data)
{
    for (int a = 0; a < kernel->array_count; a++)
        for (long i = 0; i < data->count[a]; i++)
            print_element(stdout, kernel, data, a, i);
}

/* Prints the first difference in bits. */
static bool same(const Kernel *kernel, const Data *got, const Data *expected)
{
    for (int a = 0; a < kernel->array_count; a++)
        for (long i = 0; i < got->count[a]; i++) {
            Kind kind = kernel->arrays[a].kind;
            if (bits_of(kind, got->array[a], i) == bits_of(kind, expected->array[a], i))
                continue;
            fputs("wrong:    ", stdout);
            print_element(stdout, kernel, got, a, i);
            fputs("expected: ", stdout);
            print_element(stdout, kernel, expected, a, i);
            return false;
        }
    return true;
}

static double clock_seconds(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *static_cast<const double *>(a), y = *static_cast<const double *>(b);
    return x < y ? -1 : x > y;
}

static double median(double *values, long count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

struct Seconds {
    double wall, cpu;
};

/* Copies of a kernel's arrays, which are worked on one after the other: reading the clock takes as long as a kernel on
 * a few cells does, and shows steps of ten nanoseconds. */
enum { MAX_SETS = 64, SETS_BYTES = 1 << 14 };

struct Sets {
    Data set[MAX_SETS];
    int count;
};

/* As many as the first cache has room for; arrays that a shape owns cannot be copied. */
static Sets make_sets(const Kernel *kernel, const Shape *shape, const int *dims, const Data *work)
{
    Sets sets;
    sets.set[0] = *work;
    sets.count = 1;
    size_t each = 0;
    for (int a = 0; a < kernel->array_count; a++)
        each += work->bytes[a];
    while (!shape->arrays && sets.count < MAX_SETS && (size_t)(sets.count + 1) * each <= SETS_BYTES)
        sets.set[sets.count++] = allocated(kernel, dims);
    return sets;
}

/* For one set. The wall clock is the inner one: reading it is much cheaper. Processor time that exceeds wall time by
 * less than a system call takes is wall time: what is more comes from reading the clock. */
static Seconds timed(void (*run)(const int *, void *const *), const int *dims, const Sets *sets)
{
    double c = clock_seconds(CLOCK_PROCESS_CPUTIME_ID), w = clock_seconds(CLOCK_MONOTONIC);
    for (int s = 0; s < sets->count; s++)
        run(dims, sets->set[s].array);
    double wall = clock_seconds(CLOCK_MONOTONIC) - w;
    double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - c;
    if (cpu > wall && cpu < wall + 3e-6)
        cpu = wall;
    return Seconds{wall / sets->count, cpu / sets->count};
}

static void run_nothing(const int *, void *const *) {}

/* What timed() shows for nothing. */
static double overhead(const Sets *sets)
{
    enum { COUNT = 101 };
    double wall[COUNT];
    for (double &seconds : wall)
        seconds = timed(run_nothing, nullptr, sets).wall;
    return median(wall, COUNT);
}

/* Runs at least once, then until the kernel alone has used `seconds` or has been timed `runs` times. */
static void measure(const Request *request, const Kernel *kernel, const Shape *shape, const int *dims,
                    Data *work, const Data *start)
{
    Sets sets = make_sets(kernel, shape, dims, work);
    double *wall = static_cast<double *>(allocate((size_t)request->runs * sizeof(double)));
    double *cpu = static_cast<double *>(allocate((size_t)request->runs * sizeof(double)));
    double total = 0, nothing = overhead(&sets);
    long count = 0;
    do {
        for (int s = 0; s < sets.count; s++)
            copy(kernel, &sets.set[s], start);
        Seconds seconds = timed(shape->run, dims, &sets);
        wall[count] = seconds.wall > nothing ? seconds.wall - nothing : 0;
        cpu[count] = seconds.cpu > nothing ? seconds.cpu - nothing : 0;
        total += wall[count++] * sets.count;
    } while (total < request->seconds && count < request->runs);
    printf(" wall %.10f cpu %.10f runs %ld", median(wall, count), median(cpu, count), count);
    for (int s = 1; s < sets.count; s++)
        release(kernel, &sets.set[s]);
    free(wall);
    free(cpu);
}

static void choose_dims(const Request *request, const Kernel *kernel, const Shape *shape, int *dims)
{
    for (int d = 0; d < kernel->dim_count; d++) {
        int size = kernel->dims[d].size[request->size];
        dims[d] = size == ANY_SIZE ? request->any : size;
        if (!shape->dims)
            continue;
        if (shape->dims[d] != dims[d]) {
            fprintf(stderr, "%s const was compiled for %s = %d, not %d: compile it with -DSIZE=%s\n",
                    kernel->name, kernel->dims[d].name, shape->dims[d], dims[d], size_names[request->size]);
            exit(2);
        }
    }
}

/* Runs one kernel in one shape, prints its line; whether all was right. */
static bool run(const Request *request, const Kernel *kernel, const Shape *shape)
{
    int dims[MAX_DIMS];
    choose_dims(request, kernel, shape, dims);
    Data start = initial(kernel, dims);
    Data work = shape->arrays ? describe(kernel, dims) : allocated(kernel, dims);
    if (shape->arrays)
        memcpy(work.array, shape->arrays, (size_t)kernel->array_count * sizeof(void *));
    printf("%s %s", kernel->name, shape->name);
    for (int d = 0; d < kernel->dim_count; d++)
        printf(" %s=%d", kernel->dims[d].name, dims[d]);
    if (request->time) {
        measure(request, kernel, shape, dims, &work, &start);
    } else {
        copy(kernel, &work, &start);
        shape->run(dims, work.array);
    }
    printf(" odd %ld checksum %016llx\n", odd_values(kernel, &work), (unsigned long long)checksum(kernel, &work));
    bool right = true;
    if (request->check) {
        double error = independent_check(kernel, dims, start.array, work.array);
        right = error < 1;
        if (error >= 0)
            printf("check %s: error %.3g of what is allowed%s\n", kernel->name, error, right ? "" : " WRONG");
        else
            printf("check %s: none\n", kernel->name);
    }
    if (request->dump)
        dump(kernel, &work);
    if (request->verify) {
        kernel->reference(dims, start.array);
        right = same(kernel, &work, &start) && right;
    }
    release(kernel, &start);
    if (!shape->arrays)
        release(kernel, &work);
    fflush(stdout);
    return right;
}

static void usage(FILE *out)
{
    fputs("usage: PROGRAM [OPTIONS]\n"
          "Runs every kernel linked in, in every shape, and prints sizes and a checksum of the bits of all arrays.\n"
          "  --kernel NAME   only this one, as fdtd_2d\n"
          "  --shape NAME    only const, vla, flat or cpp\n"
          "  --size SIZE     mini (the default), small, medium, large, xlarge, or a number\n"
          "  --dump          print every element: array, index, bits, value\n"
          "  --verify        compare every bit with the driver's own copy of the kernel\n"
          "  --check         compare with an independent computation, where there is one (at mini and small size)\n"
          "  --time SECONDS  repeat the kernel until it has used so many seconds; print the median in seconds\n"
          "  --runs N        but at most N times [default: 20000]\n"
          "  --list          print the kernels and shapes linked in\n"
          "  --sizes         print the table of sizes\n"
          "Exit status: 0 right, 1 a comparison failed, 2 wrong usage.\n",
          out);
}

static void wrong_usage(const char *what, const char *word)
{
    fprintf(stderr, "%s: %s\n", what, word);
    usage(stderr);
    exit(2);
}

static void choose_size(Request *request, const char *word)
{
    for (int s = 0; s < SIZES - 1; s++)
        if (strcmp(word, size_names[s]) == 0) {
            request->size = s;
            return;
        }
    char *end = nullptr;
    long n = strtol(word, &end, 10);
    if (*end || n < 3 || n > 100000)
        wrong_usage("--size wants a name or a number from 3 to 100000", word);
    request->size = SIZES - 1;
    request->any = (int)n;
}

static Request parse(int argc, char **argv)
{
    Request request = {nullptr, nullptr, 0, 0, false, false, false, false, false, false, 0, 20000};
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        struct { const char *name; bool *set; } flags[] = {
            {"--dump", &request.dump}, {"--verify", &request.verify}, {"--check", &request.check},
            {"--list", &request.list}, {"--sizes", &request.sizes}};
        bool known = false;
        for (auto &flag : flags)
            if (strcmp(word, flag.name) == 0)
                known = *flag.set = true;
        if (known)
            continue;
        if (strcmp(word, "--help") == 0) {
            usage(stdout);
            exit(0);
        }
        if (i + 1 == argc)
            wrong_usage("unknown option, or one without its value", word);
        const char *value = argv[++i];
        char *end = nullptr;
        if (strcmp(word, "--kernel") == 0)
            request.kernel = value;
        else if (strcmp(word, "--shape") == 0)
            request.shape = value;
        else if (strcmp(word, "--size") == 0)
            choose_size(&request, value);
        else if (strcmp(word, "--time") == 0) {
            request.time = true;
            request.seconds = strtod(value, &end);
        } else if (strcmp(word, "--runs") == 0)
            request.runs = strtol(value, &end, 10);
        else
            wrong_usage("unknown option", word);
        if (end && (*end || end == value))
            wrong_usage("not a number", value);
    }
    if (request.runs < 1 || request.runs > 1000000)
        wrong_usage("--runs wants a number from 1 to 1000000", "");
    return request;
}

static void print_sizes(const Kernel *kernel)
{
    for (int d = 0; d < kernel->dim_count; d++) {
        printf("%s %s", kernel->name, kernel->dims[d].name);
        for (int s = 0; s < SIZES; s++)
            kernel->dims[d].size[s] == ANY_SIZE ? printf(" n") : printf(" %d", kernel->dims[d].size[s]);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    Request request = parse(argc, argv);
    bool right = true, found = false;
    for (const Kernel *kernel = kernels; kernel; kernel = kernel->next) {
        if (request.kernel && strcmp(request.kernel, kernel->name) != 0)
            continue;
        if (request.sizes) {
            print_sizes(kernel);
            found = true;
            continue;
        }
        for (const Shape &shape : kernel->shapes) {
            if (!shape.run || (request.shape && strcmp(request.shape, shape.name) != 0))
                continue;
            found = true;
            if (request.list)
                printf("%s %s\n", kernel->name, shape.name);
            else
                right = run(&request, kernel, &shape) && right;
        }
    }
    if (!found) {
        fputs("no such kernel or shape is linked in; --list shows which are\n", stderr);
        return 2;
    }
    return right ? 0 : 1;
}
