//! The benches `dynamics` and `derivatives` for one robot, as a program of its own.
//!
//!     cargo bench --manifest-path benches/robots/Cargo.toml -j1 [--bench ROBOT ..]
//!     python3 tools/bench_table.py benches/robots/target

#[path = "../../shared/mod.rs"]
mod shared;

pub use rbd;
pub use shared::{config, derivatives, dynamics};

/// `robot! { Type, "name", pub struct Type { urdf: .., .. } }`: the robot, and a `main` that measures it.
#[macro_export]
macro_rules! robot {
    ($robot:ident, $name:literal, $($definition:tt)*) => {
        $crate::rbd::rbd_robot! { $($definition)* }

        fn main() {
            let c = &mut $crate::config().configure_from_args();
            let force = nalgebra::SVector::from([1.0, -2.0, 3.0, 0.1, 0.2, -0.3]);
            let (model, forces) = ($robot::model(), [force; $robot::NB]);
            $crate::dynamics::robot::<$robot, { $robot::NQ }, { $robot::NV }>(c, $name, &model, &forces);
            $crate::derivatives::robot::<$robot, { $robot::NQ }, { $robot::NV }>(c, $name, &model);
            c.final_summary();
        }
    };
}
