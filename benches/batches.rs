//! Batches of large results, beside calls that keep none of them.
//!
//!     cargo bench -p rbd-benches --bench batches
//!
//! Times are of all states. `calls` write all states' results to one place, in turn: what the functions
//! themselves take.
//!
//! Groups `ways` have batches beside the two ways between which a batch chooses: one state after the other,
//! and four states in lanes, which are packed and taken apart.

#[path = "shared/mod.rs"]
mod shared;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{SMatrix, SVector};
use rbd::{AbaDerivatives, RneaDerivatives, batch};
use std::hint::black_box;

rbd::rbd_robot! {
    pub struct Iiwa14 {
        urdf: "../robots/iiwa14.urdf",
        functions: [dynamics],
    }
}
rbd::rbd_robot! {
    pub struct Hyq {
        urdf: "../robots/hyq.urdf", base: floating,
        functions: [dynamics],
    }
}
rbd::rbd_robot! {
    pub struct G1 {
        urdf: "../robots/g1.urdf", base: floating,
        functions: [dynamics],
    }
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

/// States of the groups `ways`.
const STATES: usize = 64;

macro_rules! ways {
    ($c:ident, $robot:ident) => {
        const NV: usize = $robot::NV;
        let of = |rate: f64| -> Vec<SVector<f64, NV>> {
            (0..STATES).map(|k| SVector::from_fn(|i, _| (k as f64 + 1.0 + rate * i as f64).sin())).collect()
        };
        let q: Vec<_> = of(0.7).iter().map(|dq| $robot::integrate(&$robot::neutral(), dq)).collect();
        let (q, v, a) = (&q[..], &of(1.3)[..], &of(2.1)[..]);
        let mut group = $c.benchmark_group(format!("ways.{}", stringify!($robot).to_lowercase()));
        group.throughput(Throughput::Elements(STATES as u64));
        ways!(group, $robot, rnea, SVector<f64, NV>, (q, v, a));
        ways!(group, $robot, aba, SVector<f64, NV>, (q, v, a));
        ways!(into group, $robot, minv, minv_into, SMatrix<f64, NV, NV>, (q));
        ways!(into group, $robot, rnea_derivatives, rnea_derivatives_into, RneaDerivatives<f64, NV>, (q, v, a));
        ways!(into group, $robot, aba_derivatives, aba_derivatives_into, AbaDerivatives<f64, NV>, (q, v, a));
        group.finish();
    };
    ($group:ident, $robot:ident, $function:ident, $result:ty, ($($x:ident),*)) => {
        ways!(@ $group, $robot, $function, $result, ($($x),*), |($($x,)*), out| *out = $robot::$function($($x),*));
    };
    (into $group:ident, $robot:ident, $function:ident, $into:ident, $result:ty, ($($x:ident),*)) => {
        ways!(@ $group, $robot, $function, $result, ($($x),*), |($($x,)*), out| $robot::$into($($x,)* out));
    };
    (@ $group:ident, $robot:ident, $function:ident, $result:ty, ($($x:ident),*), $call:expr) => {
        let name = stringify!($function);
        let mut all = vec![<$result>::zeros(); STATES];
        $group.bench_function(format!("{name}, one by one"), |b| {
            b.iter(|| batch::one_by_one(($($x,)*), black_box(&mut all), $call));
        });
        $group.bench_function(format!("{name}, lanes"), |b| {
            b.iter(|| batch::map(($($x,)*), black_box(&mut all), $call));
        });
        $group.bench_function(format!("{name}, batch"), |b| {
            b.iter(|| $robot::batch().$function($($x,)* black_box(&mut all)));
        });
    };
}

fn hyq(c: &mut Criterion) {
    batches!(c, Hyq);
}

fn g1(c: &mut Criterion) {
    batches!(c, G1);
}

fn ways(c: &mut Criterion) {
    fn iiwa14(c: &mut Criterion) {
        ways!(c, Iiwa14);
    }
    fn hyq(c: &mut Criterion) {
        ways!(c, Hyq);
    }
    fn g1(c: &mut Criterion) {
        ways!(c, G1);
    }
    iiwa14(c);
    hyq(c);
    g1(c);
}

criterion_group! {
    name = benches;
    config = shared::config();
    targets = hyq, g1, ways
}
criterion_main!(benches);
