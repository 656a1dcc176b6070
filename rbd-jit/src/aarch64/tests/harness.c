/* Runs machine code that it reads from its input, and writes what the code made to its output.
 *
 * Numbers of the protocol are 64 bits. A case is: the number of words and the words; the number of constants
 * and the constants; how many numbers of its own the code has; then for each of 31 arrays, eight to be read
 * and 23 to be written, its length and its numbers. The answer is 0, what was wrong as bits, and the arrays
 * that are written. Before it, whenever the code calls a routine: 1, the routine, the code's own numbers and
 * the arrays that are written; the input then has both as the routine leaves them.
 *
 * Every array ends where a page ends that nobody may touch, and what is before it must not change. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { READ = 8, WRITTEN = 23, ARRAYS = READ + WRITTEN, PAGE = 65536 };
enum { LOST_REGISTER = 1, WROTE_BEFORE = 2, BAD_STACK = 4 };

struct array {
    uint8_t *pages;
    uint64_t bytes, count;
    double *at;
};

struct context {
    void *pointers, *constants;
    void (*routine)(struct context *, uint64_t);
};

static struct array own, arrays[ARRAYS];
static uint64_t wrong;

static void fail(const char *what) {
    perror(what);
    exit(2);
}

static void get(void *to, size_t bytes) {
    if (bytes && fread(to, bytes, 1, stdin) != 1) {
        if (feof(stdin)) exit(0);
        fail("read");
    }
}

static void put(const void *from, size_t bytes) {
    if (bytes && fwrite(from, bytes, 1, stdout) != 1) fail("write");
}

static uint64_t number(void) {
    uint64_t n;
    get(&n, sizeof n);
    return n;
}

static void say(uint64_t n) { put(&n, sizeof n); }

/* Memory for so many numbers, between two pages that nobody may touch. */
static struct array guarded(uint64_t count) {
    struct array a = {.count = count, .bytes = (8 * count + PAGE - 1) / PAGE * PAGE};
    a.pages = mmap(0, a.bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (a.pages == MAP_FAILED) fail("mmap");
    if (a.bytes && mprotect(a.pages + PAGE, a.bytes, PROT_READ | PROT_WRITE)) fail("mprotect");
    memset(a.pages + PAGE, 0xa5, a.bytes);
    a.at = (double *)(a.pages + PAGE + a.bytes) - count;
    return a;
}

static void check(struct array *a) {
    for (uint8_t *p = a->pages + PAGE; p < (uint8_t *)a->at; p++)
        if (*p != 0xa5) wrong |= WROTE_BEFORE;
}

static void done(struct array *a) { munmap(a->pages, a->bytes + 2 * PAGE); }

static void written(void (*move)(void *, size_t)) {
    for (int k = READ; k < ARRAYS; k++) move(arrays[k].at, 8 * arrays[k].count);
}

static void put_all(void *from, size_t bytes) { put(from, bytes); }

void routine(struct context *context, uint64_t k) {
    (void)context;
    if ((uint64_t)__builtin_frame_address(0) % 16) wrong |= BAD_STACK;
    say(1);
    say(k);
    put(own.at, 8 * own.count);
    written(put_all);
    fflush(stdout);
    get(own.at, 8 * own.count);
    written(get);
}

/* Loses all that callees may lose, once the routine is done. */
void lossy_routine(struct context *, uint64_t);
__asm__(".globl lossy_routine\n"
        "lossy_routine:\n"
        "    stp x29, x30, [sp, #-16]!\n"
        "    bl routine\n"
        "    ldp x29, x30, [sp], #16\n"
        "    movn x16, #77\n"
        "    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,17\n"
        "    mov x\\n, x16\n"
        "    .endr\n"
        "    .irp n, 0,1,2,3,4,5,6,7,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "    dup v\\n\\().2d, x16\n"
        "    .endr\n"
        "    .irp n, 8,9,10,11,12,13,14,15\n"
        "    mov v\\n\\().d[1], x16\n"
        "    .endr\n"
        "    ret\n");

/* Calls code with a context and pointers. What callees keep is set before and noted after. */
void enter(void *code, struct context *context, void **pointers, uint64_t *kept);
__asm__(".globl enter\n"
        "enter:\n"
        "    stp x29, x30, [sp, #-176]!\n"
        "    stp x19, x20, [sp, #16]\n"
        "    stp x21, x22, [sp, #32]\n"
        "    stp x23, x24, [sp, #48]\n"
        "    stp x25, x26, [sp, #64]\n"
        "    stp x27, x28, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    str x3, [sp, #160]\n"
        "    .irp n, 19,20,21,22,23,24,25,26,27,28\n"
        "    mov x\\n, #1000 + \\n\n"
        "    .endr\n"
        "    .irp n, 8,9,10,11,12,13,14,15\n"
        "    mov x9, #1000 + \\n\n"
        "    fmov d\\n, x9\n"
        "    .endr\n"
        "    mov x9, x0\n"
        "    mov x0, x1\n"
        "    mov x1, x2\n"
        "    blr x9\n"
        "    ldr x3, [sp, #160]\n"
        "    .irp n, 19,20,21,22,23,24,25,26,27,28\n"
        "    str x\\n, [x3, #8 * \\n - 152]\n"
        "    .endr\n"
        "    .irp n, 8,9,10,11,12,13,14,15\n"
        "    str d\\n, [x3, #8 * \\n + 16]\n"
        "    .endr\n"
        "    ldp x19, x20, [sp, #16]\n"
        "    ldp x21, x22, [sp, #32]\n"
        "    ldp x23, x24, [sp, #48]\n"
        "    ldp x25, x26, [sp, #64]\n"
        "    ldp x27, x28, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    ldp x29, x30, [sp], #176\n"
        "    ret\n");

int main(void) {
    setvbuf(stdin, 0, _IOFBF, 1 << 16);
    setvbuf(stdout, 0, _IOFBF, 1 << 16);
    for (;;) {
        uint64_t words = number(), bytes = (4 * words + PAGE - 1) / PAGE * PAGE;
        uint32_t *code = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (code == MAP_FAILED) fail("mmap");
        get(code, 4 * words);
        __builtin___clear_cache((char *)code, (char *)(code + words));
        if (mprotect(code, bytes, PROT_READ | PROT_EXEC)) fail("mprotect");
        struct array constants = guarded(number());
        get(constants.at, 8 * constants.count);
        own = guarded(number());
        memset(own.at, 0xff, 8 * own.count);
        void *pointers[1 + ARRAYS] = {own.at};
        for (int k = 0; k < ARRAYS; k++) {
            struct array *a = &arrays[k];
            *a = guarded(number());
            get(a->at, 8 * a->count);
            if (k < READ && a->bytes && mprotect(a->pages + PAGE, a->bytes, PROT_READ)) fail("mprotect");
            pointers[1 + k] = a->at;
        }
        struct context context = {pointers, constants.at, lossy_routine};
        uint64_t kept[18];
        wrong = 0;
        enter(code, &context, pointers, kept);
        for (int k = 0; k < 18; k++)
            if (kept[k] != 1000u + (k < 10 ? 19 + k : k - 2)) wrong |= LOST_REGISTER;
        check(&own);
        check(&constants);
        for (int k = 0; k < ARRAYS; k++) check(&arrays[k]);
        say(0);
        say(wrong);
        written(put_all);
        fflush(stdout);
        done(&own);
        done(&constants);
        for (int k = 0; k < ARRAYS; k++) done(&arrays[k]);
        munmap(code, bytes);
    }
}
