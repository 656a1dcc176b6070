//! Batches of large results, beside calls that keep none of them.
//!
//!     cargo bench -p rbd-benches --bench batches
//!
//! Times are of all states. `calls` write all states' results to one place, in turn: what the functions
//! themselves take.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::SVector;
use rbd::{AbaDerivatives, RneaDerivatives};
use std::hint::black_box;

rbd::rbd_robot! {
    pub struct Hyq { urdf: "../robots/hyq.urdf", base: floating, functions: [rnea_derivatives, aba_derivatives] }
}
rbd::rbd_robot! {
    pub struct G1 { urdf: "../robots/g1.urdf", base: floating, functions: [rnea_derivatives, aba_derivatives] }
}

macro_rules! batches {
    ($c:ident, $robot:ident) => {
        const NQ: usize = $robot::NQ;
        const NV: usize = $robot::NV;
        let vector = |k: usize, rate: f64| {
            SVector::<f64, NV>::from_fn(|i, _| (k as f64 + 1.0 + rate * i as f64).sin())
        };
        for states in [64, 1024] {
            let of = |rate: f64| (0..states).map(|k| vector(k, rate)).collect::<Vec<_>>();
            let q: Vec<SVector<f64, NQ>> =
                of(0.7).iter().map(|dq| $robot::integrate(&$robot::neutral(), dq)).collect();
            let (v, a) = (of(1.3), of(2.1));
            let mut group = $c.benchmark_group(format!("batches.{}", stringify!($robot).to_lowercase()));
            group.throughput(Throughput::Elements(states as u64));
            batches!(
                group,
                $robot,
                states,
                q,
                v,
                a,
                RneaDerivatives,
                rnea_derivatives,
                rnea_derivatives_into
            );
            batches!(group, $robot, states, q, v, a, AbaDerivatives, aba_derivatives, aba_derivatives_into);
        }
    };
    ($group:ident, $robot:ident, $states:ident, $q:ident, $v:ident, $a:ident, $result:ident, $function:ident, $into:ident) => {
        let name = stringify!($function);
        let mut one = $result::<f64, NV>::zeros();
        $group.bench_function(BenchmarkId::new(format!("{name}, calls"), $states), |b| {
            b.iter(|| {
                for ((q, v), a) in $q.iter().zip(&$v).zip(&$a) {
                    $robot::$into(q, v, a, black_box(&mut one));
                }
            });
        });
        let mut all = vec![$result::<f64, NV>::zeros(); $states];
        $group.bench_function(BenchmarkId::new(format!("{name}, batch"), $states), |b| {
            b.iter(|| $robot::batch().$function(&$q, &$v, &$a, black_box(&mut all)));
        });
    };
}

fn hyq(c: &mut Criterion) {
    batches!(c, Hyq);
}

fn g1(c: &mut Criterion) {
    batches!(c, G1);
}

criterion_group!(benches, hyq, g1);
criterion_main!(benches);
