//! The robots of `robots/`, by the macro.
//!
//! Robots of up to twenty degrees of freedom have every function. For larger ones most of the compile time goes into
//! derivatives and inverses; those have fewer functions here, and their values are checked without compiling them,
//! by the interpreter of graphs (see `tests/all/values.rs`).

use crate::Subject;
use rbd::rbd_robot;

macro_rules! robots {
    ($($(#[$skip:meta])* $module:ident: $type:ident $([$($function:ident)*])? { $($input:tt)* })*) => {
        $(
            #[allow(missing_docs)]
            pub mod $module {
                use super::rbd_robot;
                rbd_robot! { $($input)* }
                crate::compiled!($type $(: $($function)*)?);
            }
        )*

        /// Every robot; the name is the stem and base of its stored values.
        pub static ALL: &[Subject<f64>] = &[$(Subject::of::<$module::$type>(stringify!($module))),*];
    };
}

robots! {
    allegro_hand_fixed: AllegroHand { "../../robots/allegro_hand.urdf" }
    anymal_c_floating: AnymalC {
        pub struct AnymalC { urdf: "../../robots/anymal_c.urdf", base: floating }
    }
    baxter_fixed: Baxter { "../../robots/baxter.urdf" }
    double_pendulum_fixed: DoublePendulum { "../../robots/double_pendulum.urdf" }
    double_pendulum_floating: DoublePendulum {
        pub struct DoublePendulum { urdf: "../../robots/double_pendulum.urdf", base: floating }
    }
    g1_floating: G1 [rnea bias aba crba] {
        pub struct G1 {
            urdf: "../../robots/g1.urdf",
            base: floating,
            functions: [rnea, bias, aba, crba],
        }
    }
    go2_floating: Go2 {
        pub struct Go2 { urdf: "../../robots/go2.urdf", base: floating }
    }
    hyq_fixed: Hyq { "../../robots/hyq.urdf" }
    hyq_floating: Hyq {
        pub struct Hyq { urdf: "../../robots/hyq.urdf", base: floating }
    }
    icub_floating: Icub [rnea bias aba crba] {
        pub struct Icub {
            urdf: "../../robots/icub.urdf",
            base: floating,
            functions: [rnea, bias, aba, crba],
        }
    }
    iiwa14_fixed: Iiwa14 { "../../robots/iiwa14.urdf" }
    kinova_fixed: Kinova { "../../robots/kinova.urdf" }
    panda_fixed: Panda { "../../robots/panda.urdf" }
    panda_floating: Panda {
        pub struct Panda { urdf: "../../robots/panda.urdf", base: floating }
    }
    pr2_fixed: Pr2 { "../../robots/pr2.urdf" }
    solo12_floating: Solo12 {
        pub struct Solo12 { urdf: "../../robots/solo12.urdf", base: floating }
    }
    talos_floating: Talos [rnea bias aba crba] {
        pub struct Talos {
            urdf: "../../robots/talos.urdf",
            base: floating,
            functions: [rnea, bias, aba, crba],
        }
    }
    talos_reduced_fixed: TalosReduced [rnea bias aba crba minv] {
        pub struct TalosReduced {
            urdf: "../../robots/talos_reduced.urdf",
            functions: [rnea, bias, aba, crba, minv],
        }
    }
    talos_reduced_floating: TalosReduced [rnea bias aba crba] {
        pub struct TalosReduced {
            urdf: "../../robots/talos_reduced.urdf",
            base: floating,
            functions: [rnea, bias, aba, crba],
        }
    }
    tiago_fixed: Tiago [rnea bias aba crba] {
        pub struct Tiago {
            urdf: "../../robots/tiago.urdf",
            allow_unphysical_inertia: true,
            functions: [rnea, bias, aba, crba],
        }
    }
    tiago_pro_fixed: TiagoPro [rnea bias aba crba] {
        pub struct TiagoPro {
            urdf: "../../robots/tiago_pro.urdf",
            functions: [rnea, bias, aba, crba],
        }
    }
    ur5_fixed: Ur5 { "../../robots/ur5.urdf" }
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
