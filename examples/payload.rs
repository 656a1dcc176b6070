//! An arm picks up a load: holding torques before and after, and the effect of a controller that
//! ignores the load.
//!
//!     cargo run --release --example payload
//!
//! The load is an argument of the generated functions: a new load needs no new code. The inertia of
//! the arm itself stays constant.

use nalgebra::SVector;
use rbd::spatial::Inertia;

rbd::rbd_robot! {
    pub struct Iiwa14 {
        urdf: "robots/iiwa14.urdf",
        functions: [gravity, aba],
        inertia: { loads: { "grasp": { link: "iiwa_link_7", xyz: [0.0, 0.0, 0.12] } } },
    }
}

fn main() {
    let q = SVector::<f64, 7>::from([0.3, 0.9, 0.0, -1.2, 0.0, 0.8, 0.0]);
    let rest = SVector::zeros();
    let empty = Iiwa14Parameters::default();
    let loaded = empty.with(Iiwa14Inertia::Grasp, Inertia::point(3.0, [0.0, 0.0, 0.05]));

    let (before, after) = (Iiwa14::gravity_with(&empty, &q), Iiwa14::gravity_with(&loaded, &q));
    println!(
        "torques that hold the arm, N m   joint:      1       2       3       4       5       6       7"
    );
    for (what, tau) in [("empty", before), ("with 3 kg in the hand", after)] {
        print!("{what:38}");
        tau.iter().for_each(|tau| print!("{tau:8.2}"));
        println!();
    }

    // The default is the empty hand.
    assert_eq!(Iiwa14::gravity(&q), before);
    // Torques for the empty arm let the loaded one fall; those for the load hold it.
    let falls = Iiwa14::aba_with(&loaded, &q, &rest, &before);
    let holds = Iiwa14::aba_with(&loaded, &q, &rest, &after);
    println!(
        "\nwith torques for the empty arm, the loaded one accelerates by up to {:.1} rad/s^2",
        falls.amax()
    );
    assert!(falls.amax() > 1.0 && holds.amax() < 1e-9);
}
