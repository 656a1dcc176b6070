//! Stack use of functions without optimisation, as in users' own tests.
//!
//! The functions run on a stack of this test's own, painted beforehand; the lowest byte that
//! changed tells how deep they went.
//! `cargo test -p generated-tests --test all stack -- --nocapture` prints the table, with the
//! feature `all-robots` for every function of the humanoid.

use generated_tests::robots::{g1_floating::G1, hyq_floating::Hyq};
use nalgebra::SVector;
use std::hint::black_box;

const PAINT: u8 = 0xa5;
const SIZE: usize = 4 << 20;
/// Bound promised by TRUST.md: half of a test thread's stack.
const BOUND: usize = 1 << 20;

/// Bytes of stack that `run` takes.
fn stack_of(mut run: impl FnMut()) -> usize {
    assert!(matches!(psm::StackDirection::new(), psm::StackDirection::Descending));
    let mut memory = vec![PAINT; SIZE];
    let base = memory.as_mut_ptr();
    let aligned = base.align_offset(64);
    // SAFETY: the stack lies inside `memory` and is aligned. `run` returns and does not unwind (a
    // panic inside would abort).
    unsafe { psm::on_stack(base.add(aligned), SIZE - 64, &mut run) };
    let words = memory[aligned..].as_chunks::<8>().0;
    SIZE - 64 - 8 * words.iter().take_while(|x| **x == [PAINT; 8]).count()
}

/// Each function, called once.
macro_rules! fit {
    ($robot:ident($q:ident $v:ident $fext:ident): $($function:ident($($argument:ident)*))*) => {
        let $q = black_box($robot::neutral::<f64>());
        let $v = black_box(SVector::<f64, { $robot::NV }>::zeros());
        let $fext = black_box([SVector::<f64, 6>::zeros(); $robot::NB]);
        let _ = (&$q, &$v, &$fext);
        $(
            let bytes = stack_of(|| {
                black_box($robot::$function($(&$argument),*));
            });
            println!("{:8} {:24} {bytes:8}", stringify!($robot), stringify!($function));
            assert!(bytes <= BOUND, "{}, {}: {bytes} bytes", stringify!($robot), stringify!($function));
        )*
    };
}

#[test]
fn a_quadruped_fits_a_small_stack() {
    fit! { Hyq(q v fext): rnea(q v v) crba(q) minv(q) rnea_derivatives_fext(q v v fext) aba_derivatives(q v v) }
}

#[test]
fn a_humanoid_fits_a_small_stack() {
    fit! { G1(q v fext): rnea(q v v) aba(q v v) crba(q) }
    #[cfg(feature = "all-robots")]
    {
        fit! { G1(q v fext): rnea_fext(q v v fext) aba_fext(q v v fext) bias(q v) gravity(q) minv(q) rnea_derivatives(q v v)
        rnea_derivatives_fext(q v v fext) aba_derivatives(q v v) aba_derivatives_fext(q v v fext) }
    }
}
