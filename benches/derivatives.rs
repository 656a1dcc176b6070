//! First derivatives of inverse and forward dynamics, by every method.
//!
//!     cargo bench -p rbd-benches --bench derivatives
//!     python3 tools/bench_table.py
//!
//! `shared/derivatives.rs` describes the methods; `benches/robots` runs them for every robot in
//! `robots/`.

#[path = "shared/mod.rs"]
mod shared;

use criterion::{Criterion, criterion_group, criterion_main};
use shared::derivatives::robot;

rbd::rbd_robot! { pub struct Iiwa14 { urdf: "../robots/iiwa14.urdf", functions: [dynamics] } }
rbd::rbd_robot! { pub struct Ur5 { urdf: "../robots/ur5.urdf", functions: [dynamics] } }
rbd::rbd_robot! { pub struct Hyq { urdf: "../robots/hyq.urdf", base: floating, functions: [dynamics] } }

fn derivatives(c: &mut Criterion) {
    robot::<Iiwa14, { Iiwa14::NQ }, { Iiwa14::NV }>(c, "iiwa14", &Iiwa14::model());
    robot::<Ur5, { Ur5::NQ }, { Ur5::NV }>(c, "ur5", &Ur5::model());
    robot::<Hyq, { Hyq::NQ }, { Hyq::NV }>(c, "hyq", &Hyq::model());
}

criterion_group! {
    name = benches;
    config = shared::config();
    targets = derivatives
}
criterion_main!(benches);
