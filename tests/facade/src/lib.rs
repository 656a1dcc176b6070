//! A crate of edition 2021 without the standard library that knows `rbd` by another name and hands it on.
#![no_std]
#![deny(warnings, missing_docs)]
#![forbid(unsafe_code)]

pub use motion as dynamics;

motion::rbd_robot!("../../robots/double_pendulum.urdf");

/// Robots among constants and unit structs with the names of generated code's variables. Patterns
/// there would otherwise take them for values to compare with.
#[allow(non_camel_case_types, non_upper_case_globals, missing_docs, dead_code)]
pub mod amid_variables {
    macro_rules! unit_structs {
        ($($name:ident)*) => { $(pub struct $name;)* };
    }
    macro_rules! constants {
        ($($name:ident)*) => { $(pub const $name: i32 = 7;)* };
    }
    macro_rules! statics {
        ($($name:ident)*) => { $(pub static $name: i32 = 7;)* };
    }
    // Arguments and other names in methods.
    unit_structs!(q v a fext at);
    constants!(tau out angles dv q0 q1 found last surfaces);
    statics!(to name);
    // Variables of kernels, the most common ones of these robots.
    unit_structs!(k recast s0 s1 c0 c1 v0 v1 sin cos f0_0 f1_4 to_ddq);
    constants!(a0 a1 tau0 tau1 d g x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 to_tau to_m);
    statics!(x13 x14 x15 x16 x17 x18 x19 x20 x21 x22 x23 x24 x25 x26 x27 x28 x29 to_dtau_dq to_minv);

    motion::rbd_robot!("../../robots/double_pendulum.urdf");
    motion::rbd_robot! {
        /// A floating body's configurations are no vectors: `integrate` and `difference` have more variables.
        pub struct Afloat { urdf: "../../robots/double_pendulum.urdf", base: floating, functions: [gravity] }
    }
}
