// Loops that OpenMP puts on a GPU, against the same on the host; prints PASSED.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 1 << 16 };

int main(void) {
    float* x = malloc(count * sizeof *x);
    float* y = malloc(count * sizeof *y);
    for (int i = 0; i < count; ++i) x[i] = (float)(i % 7), y[i] = 1;

#pragma omp target teams distribute parallel for map(to : x[0 : count]) map(tofrom : y[0 : count])
    for (int i = 0; i < count; ++i) y[i] += 2 * x[i];

    double sum = 0;
    int largest = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : y[0 : count])
    for (int i = 0; i < count; ++i) sum += y[i];
#pragma omp target teams distribute parallel for reduction(max : largest) map(to : y[0 : count])
    for (int i = 0; i < count; ++i)
        if ((int)y[i] > largest) largest = (int)y[i];
    int on_host = 1;
#pragma omp target map(from : on_host)
    on_host = omp_is_initial_device();

    int wrong = 0;
    double expected = 0;
    for (int i = 0; i < count; ++i) {
        const float value = 1 + 2 * (float)(i % 7);
        wrong += y[i] != value;
        expected += value;
    }
    const int right = wrong == 0 && sum == expected && largest == 13 && !on_host;
    printf("%s: %d wrong, sum %g of %g, largest %d\n", right ? "PASSED" : "FAILED", wrong, sum, expected, largest);
    free(x);
    free(y);
    return !right;
}
