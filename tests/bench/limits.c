/* SPDX-FileCopyrightText: paddle-core contributors
   SPDX-License-Identifier: Apache-2.0 */
/* Physical limits of this machine: fp32 and bf16 fused multiply-add rate, copy bandwidth, the rates of
   add, cast and sum as plain loops.
   gcc -O3 -march=native -fopenmp limits.c; prints "name value" lines.
   usage: limits THREADS SECONDS_PER_MEASURE */
#include <immintrin.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static double seconds_each;

/* One thread: its processor time, which a busy machine does not disturb.  More: wall time. */
static double now(void) {
    struct timespec t;
    clock_gettime(omp_get_max_threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* 16 independent accumulators, each a register of its own, hide the latency of the instruction. */
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define START(j) __m512 s##j = _mm512_set1_ps((float)j);
#define KEEP(j) __asm__ volatile("" : : "v"(s##j));
#define FP32(j) __asm__ volatile("vfmadd213ps %1, %2, %0" : "+v"(s##j) : "v"(b), "v"(a));
#define BF16(j) __asm__ volatile("vdpbf16ps %1, %2, %0" : "+v"(s##j) : "v"(b), "v"(a));

#define MULTIPLY_ADD_RATE(NAME, STEP, PER_INSTRUCTION)                                          \
    static double NAME(void) {                                                                  \
        double best = 0, start = now();                                                         \
        const long loops = 2000000;                                                             \
        while (now() - start < seconds_each) {                                                  \
            double begin = now();                                                               \
            _Pragma("omp parallel") {                                                           \
                __m512 a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(1e-3f);                   \
                EACH(START)                                                                     \
                for (long i = 0; i < loops; i++) { EACH(STEP) }                                 \
                EACH(KEEP)                                                                      \
            }                                                                                   \
            double rate = 16.0 * PER_INSTRUCTION * loops * omp_get_max_threads() / (now() - begin); \
            if (rate > best) best = rate;                                                       \
        }                                                                                       \
        return best / 1e9;                                                                      \
    }

MULTIPLY_ADD_RATE(fma_fp32, FP32, 2 * 16)
#ifdef __AVX512BF16__
MULTIPLY_ADD_RATE(fma_bf16, BF16, 2 * 32)
#endif

/* Touched memory in huge pages, where the system has them: else reads wait for page tables. */
static char *touched(size_t bytes) {
    char *memory = aligned_alloc(2 << 20, bytes);
    madvise(memory, bytes, MADV_HUGEPAGE);
    return memset(memory, 1, bytes);
}

/* Bytes read + bytes written per second; streaming: stores that bypass the cache;
   fresh: the destination is newly mapped each time, as an allocation without a cache does it. */
static double copy_rate(size_t bytes, int streaming, int fresh) {
    size_t count = bytes / 64;
    char *from = touched(bytes), *to = touched(bytes);
    double best = 0, start = now();
    while (now() - start < seconds_each) {
        double begin = now();
        if (fresh) {
            free(to);
            to = aligned_alloc(4096, bytes);
        }
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < count; i++) {
            __m512i line = _mm512_load_si512((__m512i *)from + i);
            if (streaming) _mm512_stream_si512((__m512i *)to + i, line);
            else _mm512_store_si512((__m512i *)to + i, line);
        }
        _mm_sfence();
        double rate = 2.0 * bytes / (now() - begin);
        if (rate > best) best = rate;
    }
    free(from);
    free(to);
    return best / 1e9;
}

static double read_rate(size_t bytes) {
    size_t count = bytes / 64;
    char *from = touched(bytes);
    double best = 0, start = now();
    long sink = 0;
    while (now() - start < seconds_each) {
        double begin = now();
#pragma omp parallel reduction(+ : sink)
        {
            __m512i sum[4] = {{0}};
#pragma omp for schedule(static)
            for (size_t i = 0; i < count / 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[j] = _mm512_add_epi64(sum[j], _mm512_load_si512((__m512i *)from + 4 * i + j));
            for (int j = 0; j < 4; j++) sink += _mm512_reduce_add_epi64(sum[j]);
        }
        double rate = (double)bytes / (now() - begin);
        if (rate > best) best = rate;
    }
    if (sink == 42) puts("");
    free(from);
    return best / 1e9;
}

/* The operations of row_ops as plain loops, results in memory that is warm: what is left to gain there. */
#define ROW(NAME, SETUP, EACH_LINE, END)                                          \
    static double NAME(const char *from, const char *with, char *to, size_t count) { \
        double sink = 0;                                                          \
        _Pragma("omp parallel reduction(+ : sink)") {                             \
            SETUP                                                                 \
            _Pragma("omp for schedule(static)") for (size_t i = 0; i < count; i++) { EACH_LINE } \
            END                                                                   \
        }                                                                         \
        _mm_sfence();                                                             \
        return sink;                                                              \
    }
#define ADDED _mm512_add_ps(_mm512_load_ps(from + 64 * i), _mm512_load_ps(with + 64 * i))
#define WIDENED(half) _mm512_cvtps_pd(_mm256_load_ps((float *)(from + 64 * i + 32 * half)))
ROW(add_rows, , _mm512_store_ps(to + 64 * i, ADDED);, )
ROW(add_rows_streaming, , _mm512_stream_ps((float *)(to + 64 * i), ADDED);, )
ROW(cast_rows, , for (int h = 0; h < 2; h++) _mm512_store_pd(to + 128 * i + 64 * h, WIDENED(h));, )
ROW(cast_rows_streaming, , for (int h = 0; h < 2; h++) _mm512_stream_pd((double *)(to + 128 * i + 64 * h), WIDENED(h));, )
/* Four places at once: a page each, so that the processor fetches ahead in all of them. */
ROW(sum_rows, __m512 s[4] = {{0}};
    , size_t line = i / 256 * 256 + i % 4 * 64 + i % 256 / 4;
    s[i % 4] = _mm512_add_ps(s[i % 4], _mm512_load_ps(from + 64 * line));
    , for (int j = 0; j < 4; j++) sink += _mm512_reduce_add_ps(s[j]);)

static double row_rate(double (*rows)(const char *, const char *, char *, size_t), size_t bytes, int moved) {
    char *from = touched(bytes), *with = touched(bytes + 4096) + 4096, *to = touched(2 * bytes);
    double best = 0, start = now(), sink = 0;
    while (now() - start < seconds_each) {
        double begin = now();
        sink += rows(from, with, to, bytes / 64);
        double rate = (double)moved * bytes / (now() - begin);
        if (rate > best) best = rate;
    }
    if (sink == 42) puts("");
    free(from);
    free(with - 4096);
    free(to);
    return best / 1e9;
}

static void print_rows(const char *size, size_t bytes) {
    printf("add_%s %.2f\n", size, row_rate(add_rows, bytes, 3));
    printf("add_%s_streaming %.2f\n", size, row_rate(add_rows_streaming, bytes, 3));
    printf("cast_%s %.2f\n", size, row_rate(cast_rows, bytes, 3));
    printf("cast_%s_streaming %.2f\n", size, row_rate(cast_rows_streaming, bytes, 3));
    printf("sum_%s %.2f\n", size, row_rate(sum_rows, bytes, 1));
}

int main(int argc, char **argv) {
    omp_set_num_threads(argc > 1 ? atoi(argv[1]) : 1);
    seconds_each = argc > 2 ? atof(argv[2]) : 1.0;
    const size_t mib = 1 << 20;
    printf("fma_fp32 %.1f\n", fma_fp32());
#ifdef __AVX512BF16__
    printf("fma_bf16 %.1f\n", fma_bf16());
#endif
    printf("copy_32MiB %.2f\n", copy_rate(32 * mib, 0, 0));
    printf("copy_32MiB_streaming %.2f\n", copy_rate(32 * mib, 1, 0));
    printf("copy_32MiB_fresh_pages %.2f\n", copy_rate(32 * mib, 0, 1));
    printf("copy_1GiB %.2f\n", copy_rate(1024 * mib, 0, 0));
    printf("copy_1GiB_streaming %.2f\n", copy_rate(1024 * mib, 1, 0));
    printf("read_128MiB %.2f\n", read_rate(128 * mib));
    printf("read_1GiB %.2f\n", read_rate(1024 * mib));
    print_rows("32MiB", 32 * mib);
    print_rows("1GiB", 1024 * mib);
    return 0;
}
