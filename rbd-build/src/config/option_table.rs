//! The options once, as data: the macro, the command line and docs/options.md read these rows, and each sets what a method of
//! the builder sets.

mod flags;
mod rows;

pub use flags::functions_named;
pub use rows::OPTIONS;

use super::Robot;

/// An option of a robot.
#[derive(Debug)]
pub struct OptionRow {
    /// Its name in the macro.
    pub name: &'static str,
    /// How it is written in the macro, in Markdown.
    pub written: &'static str,
    /// What holds without it.
    pub default: &'static str,
    /// What it means, in Markdown; links are relative to docs/options.md.
    pub meaning: &'static str,
    /// What its value is in the macro.
    pub value: Value,
    /// Its flags on the command line.
    pub flags: &'static [Flag],
}

/// What an option's value is in the macro, and what sets it.
#[derive(Debug)]
pub enum Value {
    /// `true` or `false`.
    Switch(fn(Robot, bool) -> Robot),
    /// A number.
    Number(fn(Robot, f64) -> Robot),
    /// `{ "joint": 0.5, .. }`.
    ByJoint(fn(Robot, &str, f64) -> Robot),
    /// `["one", ..]`.
    Texts(fn(Robot, &str) -> Robot),
    /// One of these words.
    Word(&'static [(&'static str, Set)]),
    /// A grammar of its own.
    Own,
}

/// What sets an option that has no value.
pub type Set = fn(Robot) -> Robot;

/// A flag of the command line.
#[derive(Debug)]
pub struct Flag {
    /// Its long name.
    pub name: &'static str,
    /// What its value is called in help; empty where it has none.
    pub value: &'static str,
    /// What it does.
    pub help: &'static str,
    /// What it sets.
    pub set: SetFlag,
    /// Whether it is about how the URDF is read: then commands have it that generate nothing.
    pub reads: bool,
}

/// What a value on the command line sets, or what is wrong with it.
pub type SetText = fn(Robot, &str) -> Result<Robot, String>;

/// What a flag sets.
#[derive(Debug)]
pub enum SetFlag {
    /// Without a value.
    Switch(Set),
    /// With one value.
    Once(SetText),
    /// With one value; given again, each counts.
    Each(SetText),
    /// With values that are separated by commas.
    List(SetText),
}

impl OptionRow {
    /// The option of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        OPTIONS.iter().find(|row| row.name == name)
    }

    /// The table of docs/options.md.
    pub fn documentation() -> String {
        let head = "| option | default | meaning |\n|---|---|---|\n".to_owned();
        let line = |row: &Self| format!("| {} | {} | {} |\n", row.written, row.default, row.meaning);
        OPTIONS.iter().map(line).fold(head, |text, line| text + &line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_their_own() {
        let flags = || OPTIONS.iter().flat_map(|row| row.flags);
        for row in OPTIONS {
            assert_eq!(OPTIONS.iter().filter(|other| other.name == row.name).count(), 1, "{}", row.name);
        }
        for flag in flags() {
            assert_eq!(flags().filter(|other| other.name == flag.name).count(), 1, "--{}", flag.name);
            assert_eq!(matches!(flag.set, SetFlag::Switch(_)), flag.value.is_empty(), "--{}", flag.name);
        }
    }

    #[test]
    fn flags_say_what_is_wrong() {
        let robot = || Robot::from_urdf("arm.urdf");
        for (name, text, said) in [
            ("gravity", "0,0", "expected three numbers, as in 0,0,-9.81; here are 2"),
            ("gravity", "0,0,g", "`g` is not a number"),
            ("lock", "elbow", "expected a joint and a number, as in elbow=0.5"),
            ("functions", "contact_impulse", "there is no such function: functions of contacts come with"),
            ("functions", "rneo", "there is no such function: did you mean `rnea`?"),
            ("shape", "loop", "there is no shape `loop`; there are straight, limbs, loops"),
            ("shape", "rneo=loops", "there is no function `rneo`"),
            ("contacts", "foot=ball", "a contact is a `point` or a `plane`, and no `ball`"),
            (
                "closed-loops",
                "bar=rod",
                "expected a name and two frames, as in bar=rod:pivot or bar=rod:pivot:6",
            ),
        ] {
            let flag = OPTIONS.iter().flat_map(|row| row.flags).find(|flag| flag.name == name);
            let (SetFlag::Once(set) | SetFlag::Each(set) | SetFlag::List(set)) = flag.expect(name).set else {
                panic!("{name}")
            };
            let fault = set(robot(), text).expect_err(text);
            assert!(fault.starts_with(said), "{fault}");
        }
    }

    #[test]
    fn a_joint_is_given_once() {
        let set = |robot| flags::lock(robot, "elbow=0.5");
        let robot = set(Robot::from_urdf("arm.urdf")).expect("right");
        assert_eq!(set(robot).expect_err("twice"), "gives joint `elbow` twice");
    }
}
