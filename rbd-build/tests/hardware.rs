//! Circuits against the scalar, bit for bit.

use rbd_build::emit::verilog::{Circuit, Options};
use rbd_build::hardware::integers::{Integers, Scales};
use rbd_build::hardware::straight::Straight;
use rbd_build::hardware::{Angles, Format};
use rbd_build::plan::Plan;
use rbd_build::{Function, Robot};
use rbd_runtime::random::Random;
use rbd_runtime::{Fixed, Scalar};

fn plan(file: &str, function: Function) -> Plan {
    let path = format!("{}/../robots/{file}.urdf", env!("CARGO_MANIFEST_DIR"));
    let generated = Robot::from_urdf(path).functions([function]).trace().expect("a robot");
    generated.functions.into_iter().next().expect("one function")
}

#[test]
#[ignore]
fn probe() {
    let file = std::env::var("ROBOT").unwrap_or("iiwa14".into());
    let straight = Straight::of(&plan(&file, Function::RneaDerivatives));
    for k in [4, 8, 16, 32, 64] {
        for angles in [Angles::Given, Angles::Inside] {
            let options = Options { format: Format::Q16_16, multipliers: k, adders: None, angles, scales: Scales::default() };
            let now = std::time::Instant::now();
            let c = Circuit::new("iiwa14", &straight, options).unwrap();
            println!(
                "{k} {angles:?}: {} int ops, {} products, {} micro, {} macs, adders {}, cycles {} latency {}, longest {}, wires {}, memories {}, {:?}",
                c.integers.ops.len(), c.integers.products(), c.micro.ops.len(), c.micro.macs(), c.schedule.units.adders, c.schedule.cycles, c.latency(),
                rbd_build::hardware::schedule::longest_way(&c.micro), c.binding.wires(), c.binding.memories(), now.elapsed()
            );
            if k == 16 {
                let dir = format!("/tmp/hw/{angles:?}");
                std::fs::create_dir_all(&dir).unwrap();
                std::fs::write(format!("{dir}/c.v"), c.verilog()).unwrap();
                std::fs::write(format!("{dir}/b.v"), c.test_bench(20)).unwrap();
                let mut random = Random::new(5);
                let states: Vec<Vec<i32>> = (0..20).map(|_| c.integers.inputs.iter().map(|_| c.format.integer(random.uniform(-1.0, 1.0))).collect()).collect();
                std::fs::write(format!("{dir}/v.hex"), c.vectors(states.iter().map(Vec::as_slice))).unwrap();
            }
        }
    }
}
