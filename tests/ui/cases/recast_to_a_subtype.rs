//! A proof about two types is none about their subtypes: a function of any borrow is not one of
//! static borrows.
#![forbid(unsafe_code)]

use rbd::dispatch::Recast;

type Any = for<'a> fn(&'a str);
type Static = fn(&'static str);

fn of_the_first(recast: Recast<Static, f64>) -> Recast<Any, f64> {
    recast
}

fn of_the_second(recast: Recast<f64, Any>) -> Recast<f64, Static> {
    recast
}

fn main() {
    let _ = (of_the_first, of_the_second);
}
