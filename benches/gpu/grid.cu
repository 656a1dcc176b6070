// One robot's kernels of GRiD behind C functions, so that benches/gpu/race.py can launch them on the arrays and the stream of its
// own kernels. Compiled with GRID_HEADER, the header that `grid-generate -n grid` wrote.
#include GRID_HEADER

namespace {
grid::robotModel<float> *model;

template <typename K, typename... A>
int start(K kernel, size_t bytes, int blocks, int threads, cudaStream_t stream, A... arguments)
{
    cudaError_t failed = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (failed == cudaSuccess) {
        kernel<<<blocks, threads, bytes, stream>>>(arguments...);
        failed = cudaGetLastError();
    }
    return failed;
}

template <int TIER>
int of_tier(int function, int blocks, int threads, int n, float *x, float *a, float *out, unsigned char *workspace, cudaStream_t stream)
{
    using namespace grid;
    typedef const robotModel<float> Model;
    // The numbers of a state: q, v and tau, each in as many as q has.
    const int stride = 3 * NUM_JOINTS;
    const float gravity = -9.81f;
    float *none = nullptr;
    switch (function) {
    case 0: {
        void (*k)(float *, const float *, int, const float *, float *, Model *, float, int) = inverse_dynamics_kernel<float, TIER>;
        return start(k, INVERSE_DYNAMICS_DYNAMIC_SHARED_MEM_BYTES<float>(), blocks, threads, stream, out, x, stride, a, none, model, gravity, n);
    }
    case 1: {
        void (*k)(float *, unsigned char *, const float *, int, float *, Model *, float, int) = forward_dynamics_kernel<float, TIER>;
        return start(k, FORWARD_DYNAMICS_DYNAMIC_SHARED_MEM_BYTES<float, TIER>(), blocks, threads, stream, out, workspace, x, stride, none, model, gravity, n);
    }
    case 2: {
        void (*k)(float *, unsigned char *, const float *, int, float *, Model *, float, int) = aba_kernel<float, TIER>;
        return start(k, ABA_DYNAMIC_SHARED_MEM_BYTES<float, TIER>(), blocks, threads, stream, out, workspace, x, stride, none, model, gravity, n);
    }
    case 3: {
        void (*k)(float *, unsigned char *, const float *, int, Model *, float, int) = crba_kernel<float, TIER>;
        return start(k, CRBA_DYNAMIC_SHARED_MEM_BYTES<float, TIER>(), blocks, threads, stream, out, workspace, x, stride, model, gravity, n);
    }
    case 4: {
        void (*k)(float *, unsigned char *, const float *, int, Model *, int) = minv_kernel<float, TIER>;
        return start(k, MINV_DYNAMIC_SHARED_MEM_BYTES<float, TIER>(), blocks, threads, stream, out, workspace, x, stride, model, n);
    }
    case 5: {
        void (*k)(float *, unsigned char *, const float *, int, const float *, float *, Model *, float, int) = inverse_dynamics_gradient_kernel<float, TIER>;
        return start(k, INVERSE_DYNAMICS_GRADIENT_DYNAMIC_SHARED_MEM_BYTES<float, TIER>(), blocks, threads, stream, out, workspace, x, stride, a, none, model, gravity, n);
    }
    default: {
        void (*k)(float *, unsigned char *, const float *, int, float *, Model *, float, int) = forward_dynamics_gradient_kernel<float, TIER>;
        return start(k, FORWARD_DYNAMICS_GRADIENT_DYNAMIC_SHARED_MEM_BYTES<float, TIER>(), blocks, threads, stream, out, workspace, x, stride, none, model, gravity, n);
    }
    }
}
} // namespace

// Bytes of workspace that each block needs; 0 if there is no robot.
extern "C" size_t grid_prepare()
{
    model = grid::init_robotModel<float>();
    return model ? grid::GRID_WORKSPACE_BYTES_PER_TIMESTEP<float>() : 0;
}

// Starts a function on n states; not 0 if it cannot be.
extern "C" int grid_start(int function, int tier, int blocks, int threads, int n, float *x, float *a, float *out, unsigned char *workspace, cudaStream_t stream)
{
    switch (tier) {
    case 0: return of_tier<grid::TIER_SHARED>(function, blocks, threads, n, x, a, out, workspace, stream);
    case 1: return of_tier<grid::TIER_LITE>(function, blocks, threads, n, x, a, out, workspace, stream);
    default: return of_tier<grid::TIER_MINIMAL>(function, blocks, threads, n, x, a, out, workspace, stream);
    }
}
