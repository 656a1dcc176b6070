//! The robots of `robots/`, by the macro.
//!
//! All functions of all robots are checked without compiling them, by the interpreter of kernels
//! (see `tests/all/values.rs`). By default, the compiled robots together cover all forms of
//! generated text: arms, with and without mimic joints, a quadruped on the ground and afloat, a
//! humanoid.
//!
//! The feature `all-robots` adds the others. The larger ones have fewer functions, since most of
//! the compile time goes into derivatives and inverses: a humanoid's dozen functions have 200000
//! statements, some five thousand of which compile in a second, and memory in proportion.

use crate::Subject;
use rbd::rbd_robot;

macro_rules! robots {
    ($($(#[$when:meta])* $module:ident: $type:ident $([$($function:ident)*])? { $($input:tt)* })*) => {
        $(
            #[allow(missing_docs)]
            $(#[$when])*
            pub mod $module {
                use super::rbd_robot;
                rbd_robot! { $($input)* }
                crate::compiled!($type $(: $($function)*)?);
            }
        )*

        /// Every robot; the name is the stem and base of its stored values.
        pub static ALL: &[Subject<f64>] = &[$(
            $(#[$when])*
            Subject::of::<$module::$type>(stringify!($module))
        ),*];
    };
}

robots! {
    #[cfg(feature = "all-robots")]
    allegro_hand_fixed: AllegroHand [rnea rnea_fext bias gravity aba crba minv rnea_derivatives aba_derivatives] {
        pub struct AllegroHand {
            urdf: "../../robots/allegro_hand.urdf",
            functions: [rnea, rnea_fext, bias, gravity, aba, crba, minv, rnea_derivatives, aba_derivatives],
        }
    }
    #[cfg(feature = "all-robots")]
    anymal_c_floating: AnymalC [rnea bias aba crba rnea_derivatives] {
        pub struct AnymalC {
            urdf: "../../robots/anymal_c.urdf",
            base: floating,
            functions: [rnea, bias, aba, crba, rnea_derivatives],
        }
    }
    #[cfg(feature = "all-robots")]
    baxter_fixed: Baxter [rnea bias gravity aba crba minv rnea_derivatives aba_derivatives] {
        pub struct Baxter {
            urdf: "../../robots/baxter.urdf",
            functions: [rnea, bias, gravity, aba, crba, minv, rnea_derivatives, aba_derivatives],
        }
    }
    double_pendulum_fixed: DoublePendulum { "../../robots/double_pendulum.urdf" }
    double_pendulum_floating: DoublePendulum {
        pub struct DoublePendulum { urdf: "../../robots/double_pendulum.urdf", base: floating }
    }
    #[cfg(feature = "all-robots")]
    g1_floating: G1 { pub struct G1 { urdf: "../../robots/g1.urdf", base: floating, functions: [dynamics] } }
    #[cfg(not(feature = "all-robots"))]
    g1_floating: G1 [rnea aba crba] {
        pub struct G1 {
            urdf: "../../robots/g1.urdf",
            base: floating,
            functions: [rnea, aba, crba],
        }
    }
    #[cfg(feature = "all-robots")]
    go2_floating: Go2 [rnea_fext gravity aba_fext crba minv] {
        pub struct Go2 {
            urdf: "../../robots/go2.urdf",
            base: floating,
            functions: [rnea_fext, gravity, aba_fext, crba, minv],
        }
    }
    hyq_fixed: Hyq { pub struct Hyq { urdf: "../../robots/hyq.urdf", functions: [dynamics] } }
    #[cfg(feature = "all-robots")]
    hyq_floating: Hyq { pub struct Hyq { urdf: "../../robots/hyq.urdf", base: floating, functions: [dynamics] } }
    #[cfg(not(feature = "all-robots"))]
    hyq_floating: Hyq [rnea crba minv rnea_derivatives_fext aba_derivatives] {
        pub struct Hyq {
            urdf: "../../robots/hyq.urdf",
            base: floating,
            functions: [rnea, crba, minv, rnea_derivatives_fext, aba_derivatives],
        }
    }
    #[cfg(feature = "all-robots")]
    icub_floating: Icub [rnea bias crba] {
        pub struct Icub {
            urdf: "../../robots/icub.urdf",
            base: floating,
            functions: [rnea, bias, crba],
        }
    }
    iiwa14_fixed: Iiwa14 { pub struct Iiwa14 { urdf: "../../robots/iiwa14.urdf", functions: [dynamics] } }
    #[cfg(feature = "all-robots")]
    kinova_fixed: Kinova { pub struct Kinova { urdf: "../../robots/kinova.urdf", functions: [dynamics] } }
    panda_fixed: Panda { pub struct Panda { urdf: "../../robots/panda.urdf", functions: [dynamics] } }
    #[cfg(feature = "all-robots")]
    panda_floating: Panda [rnea aba crba minv rnea_derivatives_fext aba_derivatives_fext] {
        pub struct Panda {
            urdf: "../../robots/panda.urdf",
            base: floating,
            functions: [rnea, aba, crba, minv, rnea_derivatives_fext, aba_derivatives_fext],
        }
    }
    #[cfg(feature = "all-robots")]
    pr2_fixed: Pr2 [rnea bias aba crba minv rnea_derivatives] {
        pub struct Pr2 {
            urdf: "../../robots/pr2.urdf",
            functions: [rnea, bias, aba, crba, minv, rnea_derivatives],
        }
    }
    #[cfg(feature = "all-robots")]
    solo12_floating: Solo12 [rnea aba crba minv aba_derivatives] {
        pub struct Solo12 {
            urdf: "../../robots/solo12.urdf",
            base: floating,
            functions: [rnea, aba, crba, minv, aba_derivatives],
        }
    }
    #[cfg(feature = "all-robots")]
    talos_floating: Talos [rnea aba crba] {
        pub struct Talos {
            urdf: "../../robots/talos.urdf",
            base: floating,
            functions: [rnea, aba, crba],
        }
    }
    #[cfg(feature = "all-robots")]
    talos_reduced_fixed: TalosReduced [rnea aba crba minv] {
        pub struct TalosReduced {
            urdf: "../../robots/talos_reduced.urdf",
            functions: [rnea, aba, crba, minv],
        }
    }
    #[cfg(feature = "all-robots")]
    talos_reduced_floating: TalosReduced [rnea bias crba] {
        pub struct TalosReduced {
            urdf: "../../robots/talos_reduced.urdf",
            base: floating,
            functions: [rnea, bias, crba],
        }
    }
    #[cfg(feature = "all-robots")]
    tiago_fixed: Tiago [rnea bias crba] {
        pub struct Tiago {
            urdf: "../../robots/tiago.urdf",
            allow_unphysical_inertia: true,
            functions: [rnea, bias, crba],
        }
    }
    #[cfg(feature = "all-robots")]
    tiago_pro_fixed: TiagoPro [rnea aba crba] {
        pub struct TiagoPro {
            urdf: "../../robots/tiago_pro.urdf",
            functions: [rnea, aba, crba],
        }
    }
    ur5_fixed: Ur5 { pub struct Ur5 { urdf: "../../robots/ur5.urdf", functions: [dynamics] } }
}

/// Door one to the quadruped with every option that the build script makes as well.
pub mod quadruped {
    rbd::rbd_robot! {
        /// On Mars, with one knee fixed.
        pub(crate) struct Quadruped {
            urdf: "../../robots/hyq.urdf",
            base: floating,
            gravity: [0, 0.0, -3.72],
            lock: { "lf_kfe_joint": -0.5 },
            armature: { "rf_hfe_joint": 0.02 },
            damping: true,
            functions: [aba, rnea],
        }
    }
    crate::compiled!(Quadruped: rnea aba);
    /// It, as data.
    pub static SUBJECT: crate::Subject<f64> = crate::Subject::of::<Quadruped>("quadruped");
}
