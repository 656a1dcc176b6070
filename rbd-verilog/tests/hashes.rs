//! Circuits, as a hash for each robot and set of options: `tests/golden/circuits.txt`.

#[path = "../../rbd-build/tests/common/hashes.rs"]
mod hashes;

use hashes::Files;
use rbd_build::{Robot, Shape};
use rbd_verilog::{Angles, Circuit, Format, Formats, Options, Straight};

/// The circuit of a robot's function, and its schedule.
fn written(target: &str, robot: &Robot) -> Files {
    assert_eq!(target, "verilog");
    robot.clone().shape(Shape::Straight).trace().map(|made| {
        let straight = Straight::of(&made.functions[0]);
        let formats = Formats::common(&straight, Format::Q16_16);
        let options = Options { multipliers: 16, adders: None, angles: Angles::Inside };
        let circuit = Circuit::new("circuit", &straight, &formats, options).expect("a circuit");
        vec![("circuit.v".into(), circuit.verilog()), ("schedule.csv".into(), circuit.schedule_csv())]
    })
}

#[test]
fn circuits_are_what_was_recorded() {
    hashes::check("tests/golden/circuits.txt", written);
}
