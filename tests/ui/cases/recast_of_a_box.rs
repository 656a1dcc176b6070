//! What owns something cannot be copied by its bits: this would free the box twice.
#![forbid(unsafe_code)]

use rbd::dispatch::Recast;

fn main() {
    let once = Box::new(7);
    let twice: Box<i32> = Recast::<Box<i32>, Box<i32>>::identity().scalar(once);
    drop(twice);
}
