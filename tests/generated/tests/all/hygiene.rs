//! The macro and `include_robot!` in all places where items may stand, and through the trait. The
//! test is that these compile.

use generated_tests::{Subject, robots};
use nalgebra::SVector;
use rbd::Dynamics;
use rbd_runtime::random::random_state;

/// Lints that are off by default: generated code is clean under all of them.
#[deny(warnings, missing_docs, unused, nonstandard_style, rust_2018_idioms)]
#[deny(unreachable_pub, unused_qualifications, unused_results, unused_lifetimes, single_use_lifetimes)]
#[deny(missing_debug_implementations, missing_copy_implementations, trivial_casts, trivial_numeric_casts)]
#[deny(variant_size_differences, explicit_outlives_requirements, let_underscore_drop)]
#[deny(keyword_idents, redundant_lifetimes, unused_import_braces, unused_extern_crates)]
#[deny(clippy::all, clippy::pedantic, clippy::nursery)]
#[forbid(unsafe_code)]
mod strict {
    rbd::rbd_robot! {
        /// By the macro.
        pub struct Pendulum { urdf: "../../robots/double_pendulum.urdf", functions: [rnea] }
    }
    rbd::rbd_robot! {
        /// With a mimic joint, private to the module.
        pub(super) struct Arm { urdf: "../../robots/panda.urdf", functions: [aba] }
    }
}

/// Next to a user's own things by the names that generated code is about.
#[allow(dead_code, non_camel_case_types, missing_docs)]
mod amid_namesakes {
    pub struct Option;
    pub struct Vec;
    pub struct String;
    pub struct Joint;
    pub struct SVector;
    pub struct Result;
    pub struct Dispatched;
    pub struct RneaKernel;
    pub struct f64;
    pub struct usize;
    pub struct str;
    pub enum Maybe {
        Some,
        None,
    }
    #[allow(unused_imports)]
    pub use Maybe::{None, Some};
    pub trait Scalar {}
    pub trait Robot {}
    pub trait Clone {}
    pub trait Default {}
    pub mod rt {}
    pub mod core {
        rbd::rbd_robot! { pub struct Inside { urdf: "../../robots/double_pendulum.urdf", functions: [rnea] } }
    }
    pub mod std {
        rbd::rbd_robot! { pub struct Inside { urdf: "../../robots/double_pendulum.urdf", functions: [rnea] } }
    }
    pub mod rbd_runtime {}
    pub mod nalgebra {}
    pub const TABLES: () = ();
    pub fn k() {}
    rbd::rbd_robot!("../../robots/double_pendulum.urdf");
}

/// Robots with the names that generated code uses for its own items.
#[allow(missing_docs)]
mod as_namesakes {
    rbd::rbd_robot! { pub struct T { urdf: "../../robots/double_pendulum.urdf" } }
    rbd::rbd_robot! { pub struct S { urdf: "../../robots/double_pendulum.urdf" } }
    rbd::rbd_robot! { pub struct Robot { urdf: "../../robots/double_pendulum.urdf" } }
    rbd::rbd_robot! { pub struct Dispatched { urdf: "../../robots/double_pendulum.urdf", functions: [rnea] } }
    rbd::rbd_robot! { pub struct RneaOfKernel { urdf: "../../robots/double_pendulum.urdf", functions: [rnea] } }
    rbd::rbd_robot! { pub struct Option { urdf: "../../robots/double_pendulum.urdf", functions: [rnea] } }
    rbd::rbd_robot! { pub struct SVector { urdf: "../../robots/double_pendulum.urdf", functions: [rnea] } }
    rbd::rbd_robot! { pub struct TABLES { urdf: "../../robots/double_pendulum.urdf", functions: [rnea] } }
    rbd::rbd_robot! { pub struct Übergelenk { urdf: "../../robots/double_pendulum.urdf", functions: [rnea] } }
}

/// No prelude is in scope.
#[no_implicit_prelude]
mod without_prelude {
    ::rbd::rbd_robot! { pub struct Pendulum { urdf: "../../robots/double_pendulum.urdf" } }
}

/// One file, three robots, one module.
mod together {
    rbd::rbd_robot!("../../robots/double_pendulum.urdf");
    rbd::rbd_robot! { pub struct Same { urdf: "../../robots/double_pendulum.urdf" } }
    rbd::rbd_robot! {
        pub struct Afloat { urdf: "../../robots/double_pendulum.urdf", base: floating, functions: [rnea] }
    }
    rbd::rbd_robot! { pub struct Ur5 { urdf: "../../robots/ur5.urdf", functions: [rnea] } }
}

/// Every option at once, and attributes.
mod with_everything {
    rbd::rbd_robot! {
        /// Documented.
        #[derive(PartialOrd, Ord)]
        #[must_use]
        pub(in crate::hygiene) struct Everything {
            strict: false,
            snap: 1e-9,
            functions: [rnea, aba, crba,],
            allow_unphysical_inertia: false,
            damping: true,
            armature: { "joint2": 0.1, },
            lock: { "joint1": -1 },
            gravity: [0, -9.81, 1e-3,],
            base: fixed,
            urdf: "../../robots/double_pendulum.urdf",
        }
    }
}

/// Private, and twice: in a function and in a block of it.
#[test]
fn inside_of_functions() {
    rbd::rbd_robot! { struct Pendulum { urdf: "../../robots/double_pendulum.urdf", functions: [gravity] } }
    // A name that the macro has a stand-in for, without functions of frames, is the user's own.
    struct PendulumFrame(f64);
    let outer = Pendulum::gravity(&SVector::from([0.3, 0.4]));
    let inner = {
        rbd::rbd_robot! { struct Pendulum { urdf: "../../robots/double_pendulum.urdf", functions: [gravity] } }
        Pendulum::gravity(&SVector::from([0.3, 0.4]))
    };
    assert_eq!(outer, inner);
    assert_eq!(PendulumFrame(outer[0]).0, inner[0]);
}

#[test]
fn every_place_gives_the_same_robot() {
    let q = SVector::from([0.3, -0.4]);
    let expected = together::DoublePendulum::rnea(&q, &q, &q);
    for tau in [
        strict::Pendulum::rnea(&q, &q, &q),
        amid_namesakes::DoublePendulum::rnea(&q, &q, &q),
        amid_namesakes::core::Inside::rnea(&q, &q, &q),
        amid_namesakes::std::Inside::rnea(&q, &q, &q),
        without_prelude::Pendulum::rnea(&q, &q, &q),
        together::Same::rnea(&q, &q, &q),
        as_namesakes::T::rnea(&q, &q, &q),
        as_namesakes::S::rnea(&q, &q, &q),
        as_namesakes::Robot::rnea(&q, &q, &q),
        as_namesakes::Dispatched::rnea(&q, &q, &q),
        as_namesakes::RneaOfKernel::rnea(&q, &q, &q),
        as_namesakes::Option::rnea(&q, &q, &q),
        as_namesakes::SVector::rnea(&q, &q, &q),
        as_namesakes::TABLES::rnea(&q, &q, &q),
        as_namesakes::Übergelenk::rnea(&q, &q, &q),
    ] {
        assert_eq!(tau, expected);
    }
    assert_eq!((together::Afloat::NV, together::Ur5::NV, strict::Arm::NV), (8, 6, 8));
    assert_eq!((with_everything::Everything::NV, with_everything::Everything::NQ), (1, 1));
    assert!(with_everything::Everything <= with_everything::Everything);
}

/// Joints by name while compiling.
#[test]
fn joints_by_name_in_const_context() {
    use together::{Afloat, DoublePendulum};
    const SECOND: usize = DoublePendulum::joint("joint2").unwrap();
    const AFLOAT: rbd::Joint = Afloat::JOINTS[Afloat::joint("joint2").unwrap()];
    const NONE: Option<usize> = DoublePendulum::joint("joint");
    const Q: [f64; DoublePendulum::NQ] = [0.0; DoublePendulum::NQ];
    const _: () = assert!(Afloat::NQ == 9 && Afloat::NV == 8 && Afloat::NB == 3);
    const ORDER: rbd::CoordinateOrder<9, 8> = Afloat::pinocchio_order();
    assert_eq!(
        (ORDER.q, ORDER.v, ORDER.inverse()),
        ([0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 1, 2, 3, 4, 5, 6, 7], ORDER)
    );
    assert_eq!((SECOND, AFLOAT.idx_q, AFLOAT.idx_v, NONE, Q.len()), (1, 8, 7, None, 2));
    assert_eq!(Afloat::JOINTS[0].name, "root_joint");
}

/// One solver for any robot: everything through the trait gives the same bits as through the type.
fn through_the_trait<R: Dynamics<NQ, NV>, const NQ: usize, const NV: usize>(twin: &Subject<f64>)
where
    R::Forces<f64>: for<'a> TryFrom<&'a [SVector<f64, 6>]>,
{
    use generated_tests::{Inputs, dense, fixed};
    use rbd_build::Function as F;
    let model = (twin.model)();
    assert_eq!((R::NB, R::NAME, R::JOINTS.len()), (model.bodies.len(), &*model.name, model.bodies.len()));
    let state = random_state(&model, 3);
    let x = Inputs::from(&state);
    let (q, v, a, tau): (SVector<f64, NQ>, SVector<f64, NV>, SVector<f64, NV>, SVector<f64, NV>) =
        (fixed(&x.q), fixed(&x.v), fixed(&x.a), fixed(&x.tau));
    let Ok(f) = R::Forces::<f64>::try_from(x.fext.as_slice()) else { panic!("one force a body") };
    assert_eq!(f.as_ref(), x.fext);
    let one = |function| twin.run(function, &x).swap_remove(0).1;
    assert_eq!(dense(&R::rnea(&q, &v, &a)), one(F::Rnea));
    assert_eq!(dense(&R::rnea_fext(&q, &v, &a, &f)), one(F::RneaFext));
    assert_eq!(dense(&R::bias(&q, &v)), one(F::Bias));
    assert_eq!(dense(&R::gravity(&q)), one(F::Gravity));
    assert_eq!(dense(&R::aba(&q, &v, &tau)), one(F::Aba));
    assert_eq!(dense(&R::aba_fext(&q, &v, &tau, &f)), one(F::AbaFext));
    assert_eq!(dense(&R::crba(&q)), one(F::Crba));
    assert_eq!(dense(&R::minv(&q)), one(F::Minv));
    let (mut m, mut minv) = (nalgebra::SMatrix::zeros(), nalgebra::SMatrix::zeros());
    R::crba_into(&q, &mut m);
    R::minv_into(&q, &mut minv);
    assert_eq!((m, minv), (R::crba(&q), R::minv(&q)));
    let (mut id, mut fd) = (rbd::RneaDerivatives::zeros(), rbd::AbaDerivatives::zeros());
    for (forces, function) in [(None, F::RneaDerivatives), (Some(&f), F::RneaDerivativesFext)] {
        let got = match forces {
            None => R::rnea_derivatives(&q, &v, &a),
            Some(f) => R::rnea_derivatives_fext(&q, &v, &a, f),
        };
        match forces {
            None => R::rnea_derivatives_into(&q, &v, &a, &mut id),
            Some(f) => R::rnea_derivatives_fext_into(&q, &v, &a, f, &mut id),
        }
        assert_eq!(got, id);
        let got = [dense(&got.tau), dense(&got.dtau_dq), dense(&got.dtau_dv), dense(&got.dtau_da)];
        assert!(got.iter().eq(twin.run(function, &x).iter().map(|(_, x)| x)), "{}", function.name());
    }
    for (forces, function) in [(None, F::AbaDerivatives), (Some(&f), F::AbaDerivativesFext)] {
        let got = match forces {
            None => R::aba_derivatives(&q, &v, &tau),
            Some(f) => R::aba_derivatives_fext(&q, &v, &tau, f),
        };
        match forces {
            None => R::aba_derivatives_into(&q, &v, &tau, &mut fd),
            Some(f) => R::aba_derivatives_fext_into(&q, &v, &tau, f, &mut fd),
        }
        assert_eq!(got, fd);
        let got = [dense(&got.ddq), dense(&got.ddq_dq), dense(&got.ddq_dv), dense(&got.ddq_dtau)];
        assert!(got.iter().eq(twin.run(function, &x).iter().map(|(_, x)| x)), "{}", function.name());
    }
    assert_eq!(R::neutral::<f64>().as_slice(), (twin.neutral)());
    let moved = R::integrate(&q, &v);
    assert_eq!(moved.as_slice(), (twin.integrate)(&x.q, &x.v));
    assert_eq!(R::difference(&q, &moved).as_slice(), (twin.difference)(&x.q, moved.as_slice()));
}

#[test]
fn the_trait_is_the_type() {
    let named = |name: &str| robots::ALL.iter().find(|r| r.name == name).unwrap();
    through_the_trait::<robots::iiwa14_fixed::Iiwa14, 7, 7>(named("iiwa14_fixed"));
    through_the_trait::<robots::double_pendulum_floating::DoublePendulum, 9, 8>(named(
        "double_pendulum_floating",
    ));
    through_the_trait::<robots::panda_fixed::Panda, 8, 8>(named("panda_fixed"));
}

/// Entries that are zero in every state are not written: debug builds refuse other numbers there.
#[test]
fn zeros_of_every_state_are_left_alone() {
    use robots::hyq_fixed::Hyq;
    let (q, x) = (SVector::<f64, 12>::repeat(0.3), SVector::<f64, 12>::repeat(0.2));
    let mut out = rbd::RneaDerivatives::zeros();
    // Two legs.
    out.dtau_da[(0, 11)] = 7.0;
    let write = || Hyq::rnea_derivatives_into(&q, &x, &x, &mut out);
    let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(write));
    match written {
        Ok(()) => assert!(!cfg!(debug_assertions) && out.dtau_da[(0, 11)] == 7.0),
        Err(refused) => {
            let message = refused.downcast_ref::<String>().expect("a text");
            assert!(cfg!(debug_assertions) && message.contains("make it by `zeros()`"), "{message}");
        }
    }
}
