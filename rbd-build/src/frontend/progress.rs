//! Messages about robots that took long to generate.

use std::time::Duration;

/// Generating that takes longer is spoken of.
const LONG: Duration = Duration::from_secs(10);
/// Bytes of Rust that take the compiler half a minute or more.
const LARGE: usize = 3_000_000;

/// Message about a robot that took long to generate or whose text takes long to compile; `None` for
/// others.
pub(crate) fn said(
    type_name: &str,
    functions: usize,
    bytes: usize,
    took: Option<Duration>,
) -> Option<String> {
    let long = took.filter(|took| *took > LONG);
    if long.is_none() && bytes <= LARGE {
        return None;
    }
    let generated = long.map_or(String::new(), |took| format!(", generated in {} s", took.as_secs()));
    Some(format!(
        "`{type_name}`: {functions} functions, {:.1} MB of Rust{generated}; compiling them takes the longer the more \
         there are: `functions: [..]` with those that you call shortens it",
        bytes as f64 / 1e6
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_is_spoken_of() {
        let seconds = |s| Some(Duration::from_secs(s));
        assert_eq!(said("Arm", 35, 400_000, seconds(9)), None);
        assert_eq!(said("Arm", 35, 400_000, None), None);
        let slow = said("Arm", 35, 400_000, seconds(12)).expect("it took long");
        assert!(slow.starts_with("`Arm`: 35 functions, 0.4 MB of Rust, generated in 12 s; "), "{slow}");
        // Cached text still has to be compiled.
        let large = said("G1", 35, 12_700_000, None).expect("it is large");
        assert!(large.starts_with("`G1`: 35 functions, 12.7 MB of Rust; "), "{large}");
        assert!(large.contains("functions: [..]"), "{large}");
    }
}
