/* Back-propagation: a network of three layers is trained, weights in rows from one malloc each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HIDDEN = 16, OUTPUT = 1, ROUNDS = 2 };

static float squash(float x) { return 1.0f / (1.0f + expf(-x)); }

static void layerforward(float *l1, float *l2, float **conn, int n1, int n2) {
    l1[0] = 1.0f;
    for (int j = 1; j <= n2; j++) {
        float sum = 0.0f;
        for (int k = 0; k <= n1; k++)
            sum += conn[k][j] * l1[k];
        l2[j] = squash(sum);
    }
}

static float output_error(float *delta, const float *target, const float *output, int n) {
    float error = 0.0f;
    for (int j = 1; j <= n; j++) {
        delta[j] = output[j] * (1.0f - output[j]) * (target[j] - output[j]);
        error += fabsf(delta[j]);
    }
    return error;
}

static float hidden_error(float *delta, int n, const float *delta_out, int outputs, float **who, const float *hidden) {
    float error = 0.0f;
    for (int j = 1; j <= n; j++) {
        float sum = 0.0f;
        for (int k = 1; k <= outputs; k++)
            sum += delta_out[k] * who[j][k];
        delta[j] = hidden[j] * (1.0f - hidden[j]) * sum;
        error += fabsf(delta[j]);
    }
    return error;
}

static void adjust(const float *delta, int n, const float *layer, int inputs, float **w, float **old) {
    for (int j = 1; j <= n; j++)
        for (int k = 0; k <= inputs; k++) {
            float change = 0.3f * delta[j] * layer[k] + 0.3f * old[k][j];
            w[k][j] += change;
            old[k][j] = change;
        }
}

typedef struct {
    float *input, *hidden, *output, *target, *delta_hidden, *delta_output;
    float **first, **second, **old_first, **old_second;
} Net;

__attribute__((noinline)) static float train(Net *net, int inputs) {
    float error = 0.0f;
    for (int round = 0; round < ROUNDS; round++) {
        layerforward(net->input, net->hidden, net->first, inputs, HIDDEN);
        layerforward(net->hidden, net->output, net->second, HIDDEN, OUTPUT);
        error = output_error(net->delta_output, net->target, net->output, OUTPUT);
        error += hidden_error(net->delta_hidden, HIDDEN, net->delta_output, OUTPUT, net->second, net->hidden);
        adjust(net->delta_output, OUTPUT, net->hidden, HIDDEN, net->second, net->old_second);
        adjust(net->delta_hidden, HIDDEN, net->input, inputs, net->first, net->old_first);
    }
    return error;
}

static float *vector(int n) {
    float *v = malloc((n + 1) * sizeof *v);
    for (int k = 0; k <= n; k++) v[k] = (float)(k * 7 % 11) / 11.0f;
    return v;
}

static float **matrix(int rows, int columns, float scale) {
    float **m = malloc((rows + 1) * sizeof *m);
    for (int k = 0; k <= rows; k++) {
        m[k] = malloc((columns + 1) * sizeof **m);
        for (int j = 0; j <= columns; j++) m[k][j] = scale * ((float)((k * 7 + j * 3) % 11) - 5.0f);
    }
    return m;
}

int main(int argc, char **argv) {
    int inputs = argc > 1 ? atoi(argv[1]) : 200;
    Net net = {vector(inputs), vector(HIDDEN), vector(OUTPUT), vector(OUTPUT), vector(HIDDEN), vector(OUTPUT),
               matrix(inputs, HIDDEN, 0.01f), matrix(HIDDEN, OUTPUT, 0.01f), matrix(inputs, HIDDEN, 0), matrix(HIDDEN, OUTPUT, 0)};
    printf("%.6f\n", train(&net, inputs));
    return 0;
}
