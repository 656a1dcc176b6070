//! Large results of fused functions, which write every entry, are zeroed block by block, where they are first
//! stored to. This is tested on the text, since the kernel zeroes all at first.

use rbd_build::fused::Fused;
use rbd_build::{Base, Function, Robot};

/// The number after `before` in a line.
fn number_after(line: &str, before: &str) -> Option<usize> {
    let digits = &line[line.find(before)? + before.len()..];
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

#[test]
fn each_column_is_zeroed_once_and_before_it_is_stored_to() {
    let hyq = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots/hyq.urdf");
    let robot = Robot::from_urdf(hyq).base(Base::Floating).functions([Function::Rnea]);
    let robot = robot.fused("Linear: regressor".parse::<Fused>().expect("a quantity"));
    let text = robot.trace().expect("it is read").source();
    let (mut zeroed, mut versions, mut stores) = ([0; 130], 0, 0);
    for line in text.lines().map(str::trim) {
        if line.starts_with("let to_regressor = ") {
            versions += 1;
        } else if let Some(from) = number_after(line, "to_regressor.get_mut(") {
            let to = number_after(line, "..").expect("a range");
            zeroed[from..to].iter_mut().for_each(|times| *times += 1);
        } else if let Some(place) = line.strip_prefix("put(to_regressor, ") {
            let column = number_after(place, ", ").expect("a column");
            assert_eq!(zeroed[column], versions, "{line}");
            stores += 1;
        }
    }
    assert!(versions > 0 && stores > 500, "{versions} {stores}");
    assert_eq!(zeroed, [versions; 130]);
}
