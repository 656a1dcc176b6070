//! What borrows cannot be copied by its bits either: this would make the borrow a longer one.
#![forbid(unsafe_code)]

use rbd::dispatch::Recast;

fn longer<'a>(short: &'a str) -> &'static str {
    let recast: Recast<&'static str, &'a str> = Recast::<&'a str, &'a str>::identity();
    recast.back(short)
}

fn main() {
    println!("{}", longer(&String::from("gone")));
}
