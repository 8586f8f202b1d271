// Loops that OpenACC puts on a GPU, against the same on the host; prints PASSED.
#include <math.h>
#include <openacc.h>
#include <stdio.h>

enum { side = 64, bins = 16 };
static float a[side][side], b[side][side], c[side][side];

int main(void) {
    for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j) a[i][j] = (float)((3 * i + j) % 7), b[i][j] = (float)((i + 5 * j) % 9);

#pragma acc parallel loop gang vector collapse(2) copyin(a, b) copyout(c)
    for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j) {
            float sum = 0;
            for (int k = 0; k < side; ++k) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    double sum = 0;
#pragma acc parallel loop reduction(+ : sum) copyin(c)
    for (int i = 0; i < side * side; ++i) sum += sin(c[i / side][i % side]);
    int histogram[bins] = {0};
#pragma acc parallel loop copyin(c) copy(histogram)
    for (int i = 0; i < side * side; ++i) {
#pragma acc atomic
        histogram[(int)c[i / side][i % side] % bins]++;
    }
    int on_gpu = 0;
#pragma acc parallel copyout(on_gpu)
    on_gpu = acc_on_device(acc_device_nvidia);

    int wrong = 0;
    double expected = 0;
    for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j) {
            float value = 0;
            for (int k = 0; k < side; ++k) value += a[i][k] * b[k][j];
            wrong += c[i][j] != value;
            expected += sin(value);
            histogram[(int)value % bins]--;
        }
    for (int i = 0; i < bins; ++i) wrong += histogram[i] != 0;
    const int right = wrong == 0 && fabs(sum - expected) < 1e-9 && on_gpu;
    printf("%s: %d wrong, sum %.12g of %.12g\n", right ? "PASSED" : "FAILED", wrong, sum, expected);
    return !right;
}
