/* Runs generated functions on an emulated Cortex-M: prints their results' bits, and how deep the stack went. There is no
 * operating system and no C library but the sine and cosine that angles beyond 400 rad would ask for. */
#include "iiwa14.h"
#include "states.h"

#define STACK 65536u
#define PAINT 0xdeadbeefu

extern unsigned stack_end;
int main(void);

void reset(void)
{
    /* The floating-point unit on. */
    *(volatile unsigned *)0xE000ED88u |= 0xFu << 20;
    __asm volatile("dsb\n isb");
    main();
    for (;;) {
    }
}

static void fault(void)
{
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))&stack_end, reset, fault, fault, fault, fault, fault};

/* Semihosting: the debugger, here QEMU, does what a system would. */
static void ask(int what, const void *with)
{
    register int r0 __asm("r0") = what;
    register const void *r1 __asm("r1") = with;
    __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static void print(const char *text)
{
    ask(4, text);
}

static void print_bits(unsigned x)
{
    char text[10];
    int i;
    for (i = 0; i < 8; i++) {
        text[i] = "0123456789abcdef"[x >> (28 - 4 * i) & 15];
    }
    text[8] = ' ';
    text[9] = 0;
    print(text);
}

static void print_all(const char *name, const float *x, unsigned n)
{
    unsigned i;
    print(name);
    print(" ");
    for (i = 0; i < n; i++) {
        union {
            float real;
            unsigned bits;
        } number;
        number.real = x[i];
        print_bits(number.bits);
    }
    print("\n");
}

static volatile unsigned *bottom(void)
{
    return &stack_end - STACK / 4;
}

/* Where `main` is on the stack: what is below belongs to what it calls. */
static volatile unsigned *top;

static __attribute__((noinline)) void paint(void)
{
    volatile unsigned *at;
    volatile unsigned *const here = __builtin_frame_address(0);
    /* Not the frame that is in use. */
    for (at = bottom(); at < here - 8; at++) {
        *at = PAINT;
    }
}

static void print_depth(const char *name)
{
    volatile unsigned *at = bottom();
    while (*at == PAINT) {
        at++;
    }
    print("stack ");
    print(name);
    print(" ");
    print_bits((unsigned)(4 * (top - at)));
    print("\n");
}

int main(void)
{
    static float tau[7], ddq[7], minv[49];
    static iiwa14_rnea_derivatives_t inverse;
    static iiwa14_aba_derivatives_t forward;
    int s;
    top = __builtin_frame_address(0);
    for (s = 0; s < STATES; s++) {
        paint();
        iiwa14_rnea(q[s], v[s], a[s], tau);
        print_depth("rnea");
        paint();
        iiwa14_aba(q[s], v[s], given[s], ddq);
        print_depth("aba");
        paint();
        iiwa14_minv(q[s], minv);
        print_depth("minv");
        paint();
        iiwa14_rnea_derivatives(q[s], v[s], a[s], &inverse);
        print_depth("rnea_derivatives");
        paint();
        iiwa14_aba_derivatives(q[s], v[s], given[s], &forward);
        print_depth("aba_derivatives");
        print_all("rnea", tau, 7);
        print_all("aba", ddq, 7);
        print_all("minv", minv, 49);
        print_all("dtau_dq", inverse.dtau_dq, 49);
        print_all("dtau_dv", inverse.dtau_dv, 49);
        print_all("ddq_dq", forward.ddq_dq, 49);
        print_all("ddq_dv", forward.ddq_dv, 49);
    }
    ask(0x18, (const void *)0x20026);
    return 0;
}
