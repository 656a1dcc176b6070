//! The interpreter of allocated code against that of kernels, bit for bit.

use super::*;
use crate::arrays::{Array, Location};
use crate::random::{LENGTHS, Random, kernel};
use rbd_ir::kernel::Kernel;
use rbd_runtime::Scalar;
use rbd_runtime::dispatch::{self, Recast};

/// A kernel as `rbd_ir` runs it, with the arithmetic that compiled Rust has on this processor.
pub struct Expected<'a> {
    pub kernel: &'a Kernel,
    pub inputs: [&'a [f64]; 2],
}

impl dispatch::Dispatched<f64> for Expected<'_> {
    type Output = Vec<Vec<f64>>;

    fn run<S: Scalar>(self, recast: Recast<f64, S>) -> Vec<Vec<f64>> {
        let results = self.kernel.run(&self.inputs.map(|input| recast.slice(input)));
        results.into_iter().map(|row| row.into_iter().map(|x| recast.back(x)).collect()).collect()
    }
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    // One NaN is as good as another.
    numbers.iter().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect()
}

#[test]
fn random_kernels() {
    for seed in 0..150 {
        let random = &mut Random::new(seed);
        let kernel = kernel(random, 10 + 4 * (seed as usize % 50), seed % 4 != 0);
        let [q, x] = [0, 1].map(|k| (0..LENGTHS[k]).map(|_| random.number()).collect::<Vec<f64>>());
        let interpreted = Interpreted::new(Lowered::new(&kernel, 1, true), crate::sines::is_fused());
        let locations = [Location::Input(0), Location::Input(1), Location::Output(0), Location::Output(1)];
        let [mut y, mut z] = [2, 3].map(|k| vec![f64::NAN; LENGTHS[k]]);
        interpreted.run(&mut Arrays {
            arrays: &[0, 1, 2, 3].map(|k| Array { location: locations[k], length: LENGTHS[k] }),
            inputs: &[&q, &x],
            zeros: &[],
            outputs: &mut [&mut y, &mut z],
            work: &mut vec![f64::NAN; interpreted.work()],
        });
        let expected = f64::dispatch(Expected { kernel: &kernel, inputs: [&q, &x] });
        assert_eq!([bits(&y), bits(&z)], [bits(&expected[0]), bits(&expected[1])], "{seed}\n{kernel}");
    }
}
