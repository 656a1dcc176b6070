//! What the compiler says of a function or a type that an option would generate: each has a stand-in that no call satisfies.

use core::convert::Infallible;

/// Arguments of a function that the option `functions` leaves out. Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "this function was not generated: the robot's option `functions` leaves it out",
    label = "not generated",
    note = "add the function, or its family, to `functions: [..]`, or leave that option out for all functions"
)]
pub trait OptionFunctions {
    /// There is no such call.
    fn never(self) -> Infallible;
}

/// Arguments of a function of frames of a robot without such. Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "functions of frames were not generated for this robot",
    label = "not generated",
    note = "name links or fixed joints of the URDF in the option `frames: [\"..\"]`"
)]
pub trait OptionFrames {
    /// There is no such call.
    fn never(self) -> Infallible;
    /// There is no such type.
    type Frame;
}

/// Arguments of a function of contacts of a robot without such. Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "functions of contacts were not generated for this robot",
    label = "not generated",
    note = "name links or fixed joints of the URDF in the option `contacts: [\"..\"]`"
)]
pub trait OptionContacts {
    /// There is no such call.
    fn never(self) -> Infallible;
    /// There is no such type.
    type Contact;
}

/// Defines functions that cannot be called, with so many arguments, for a robot that lacks what this option generates.
#[doc(hidden)]
#[macro_export]
macro_rules! left_out {
    ($robot:ident $option:ident $($name:ident $count:tt)*) => {
        $($crate::left_out! { @ $robot $option $name $count })*
    };
    (@ $robot:ident $option:ident $name:ident 1) => { $crate::left_out! { @ $robot $option $name } };
    (@ $robot:ident $option:ident $name:ident 2) => { $crate::left_out! { @ $robot $option $name v } };
    (@ $robot:ident $option:ident $name:ident 3) => { $crate::left_out! { @ $robot $option $name v a } };
    (@ $robot:ident $option:ident $name:ident 4) => { $crate::left_out! { @ $robot $option $name v a tau } };
    (@ $robot:ident $option:ident $name:ident 5) => { $crate::left_out! { @ $robot $option $name v a tau to } };
    (@ $robot:ident $option:ident $name:ident $($other:ident)*) => {
        impl $robot {
            #[doc(hidden)]
            pub fn $name(q: impl $crate::__private::$option $(, $other: impl ::core::marker::Sized)*) -> ! {
                $(let _ = $other;)*
                match $crate::__private::$option::never(q) {}
            }
        }
    };
}
