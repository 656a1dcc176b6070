//! Stand-ins for functions and types that an option would generate. No call satisfies them, so the
//! compiler's message names the option.

use core::convert::Infallible;

/// Arguments of a function that the option `functions` leaves out. No type implements it.
#[diagnostic::on_unimplemented(
    message = "this function was not generated: the robot's option `functions` leaves it out",
    label = "not generated",
    note = "add the function, or its family, to `functions: [..]`, or leave that option out for all functions"
)]
pub trait OptionFunctions {
    /// Never called.
    fn never(self) -> Infallible;
}

/// Arguments of a frame function of a robot without frames. No type implements it.
#[diagnostic::on_unimplemented(
    message = "functions of frames were not generated for this robot",
    label = "not generated",
    note = "name links or fixed joints of the URDF in the option `frames: [\"..\"]`"
)]
pub trait OptionFrames {
    /// Never called.
    fn never(self) -> Infallible;
    /// Never exists.
    type Frame;
}

/// Arguments of a contact function of a robot without contacts. No type implements it.
#[diagnostic::on_unimplemented(
    message = "functions of contacts were not generated for this robot",
    label = "not generated",
    note = "name links or fixed joints of the URDF in the option `contacts: [\"..\"]`"
)]
pub trait OptionContacts {
    /// Never called.
    fn never(self) -> Infallible;
    /// Never exists.
    type Contact;
}

/// Defines functions that cannot be called, with the given arguments, for a robot that lacks what
/// the option generates.
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
