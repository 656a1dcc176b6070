//! Long functions without external forces, which share the code of those under forces.

use crate::common::{evaluate, reference, relative_error};
use rbd_build::plan::Code;
use rbd_build::{Base, Function, Robot};
use rbd_runtime::random::random_state;
use std::path::Path;

fn hyq() -> Robot {
    let urdf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robots/hyq.urdf");
    Robot::from_urdf(urdf).base(Base::Floating)
}

const BOTH: [Function; 2] = [Function::AbaDerivatives, Function::AbaDerivativesFext];

#[test]
fn have_one_code_with_those_under_forces() {
    let generated = hyq().functions(BOTH).trace().expect("a sound robot");
    let [without, under] = &generated.functions[..] else { panic!("two functions") };
    assert!((without.code, under.code) == (Code::UnderForces, Code::Own));
    assert_eq!(without.count(), under.count());
    let state = random_state(&generated.model, 1);
    assert!(state.fext.iter().any(|f| f.norm() > 0.1), "forces that would be felt");
    let expected = reference(Function::AbaDerivatives, &generated.model, &state);
    for ((name, found), (_, expected)) in evaluate(without, &state).iter().zip(&expected) {
        let error = relative_error(found, expected);
        assert!(error <= 1e-11, "{name}: {error}");
    }
    let text = generated.source();
    assert_eq!(text.matches("rt::no_forces()").count(), 1);
    assert!(text.contains("AbaDerivativesFextOfHyq") && !text.contains("AbaDerivativesOfHyq"), "one kernel");
}

/// A function that is requested alone has its own code. So has a short function, or one whose
/// forces are much of its work.
#[test]
fn are_on_their_own_where_that_is_better() {
    for functions in [
        &BOTH[..1],
        &[Function::Aba, Function::AbaFext],
        &[Function::RneaDerivatives, Function::RneaDerivativesFext],
    ] {
        let generated = hyq().functions(functions.iter().copied()).trace().expect("a sound robot");
        assert!(generated.functions.iter().all(|plan| plan.code == Code::Own), "{functions:?}");
    }
}
