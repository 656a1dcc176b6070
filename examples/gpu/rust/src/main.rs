//! Accelerations of many states on an NVIDIA GPU, compared with the processor's.
//!
//! `cargo run --release` in this folder, with an NVIDIA driver and NVRTC (`libnvrtc.so`, of CUDA or
//! of the Python package nvidia-cuda-nvrtc-cu12). It compiles without them, and has not been run on
//! a GPU yet: docs/gpu.md#limits.

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::compile_ptx;
use rbd::nalgebra::SVector;

rbd::include_robot!("iiwa14");

const STATES: usize = 4096;
const NV: usize = 7;
/// Threads of a block: at most `RBD_BLOCK` of the text.
const BLOCK: u32 = 128;

/// Numbers between -1 and 1, equal at each run: entry k of state i is `[k * STATES + i]`.
fn numbers(seed: u64) -> Vec<f32> {
    let mut x = seed;
    let mut next = || {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (x >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    };
    (0..NV * STATES).map(|_| next()).collect()
}

/// One of the states.
fn state(all: &[f32], i: usize) -> SVector<f32, NV> {
    SVector::from_fn(|k, _| all[k * STATES + i])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    // A second or so; keep the module for as long as it is used.
    let module = context.load_module(compile_ptx(include_str!(concat!(env!("OUT_DIR"), "/iiwa14.cuh")))?)?;
    let aba = module.load_function("iiwa14_aba_kernel")?;

    let [q, v, tau] = [1, 2, 3].map(numbers);
    let (of_q, of_v, of_tau) = (stream.clone_htod(&q)?, stream.clone_htod(&v)?, stream.clone_htod(&tau)?);
    let mut of_ddq = stream.alloc_zeros::<f32>(NV * STATES)?;
    let states = STATES as u32;
    let threads = LaunchConfig {
        grid_dim: (states.div_ceil(BLOCK), 1, 1),
        block_dim: (BLOCK, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut call = stream.launch_builder(&aba);
    call.arg(&states).arg(&of_q).arg(&of_v).arg(&of_tau).arg(&mut of_ddq);
    // SAFETY: the arguments match `iiwa14_aba_kernel`: a number of states and arrays of `NV`
    // numbers for each state, in its order. The result does not overlap an argument.
    unsafe { call.launch(threads)? };
    let ddq = stream.clone_dtoh(&of_ddq)?;

    let mut worst = 0.0_f32;
    for i in 0..STATES {
        let expected = Iiwa14::aba(&state(&q, i), &state(&v, i), &state(&tau, i));
        worst = worst.max((state(&ddq, i) - expected).amax() / expected.amax());
    }
    println!("{STATES} states; largest difference {worst:.1e} of a state's largest acceleration");
    // A NaN is no number below it.
    assert!(worst < 1e-3, "the processor gives other accelerations");
    Ok(())
}
