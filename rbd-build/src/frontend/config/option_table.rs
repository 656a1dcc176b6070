//! The table of options. The macro, the command line and docs/options.md read its rows.
//!
//! Each row sets the value of one method of the builder.

mod flags;
mod rows;

pub use flags::functions_named;
pub use rows::OPTIONS;

use super::Robot;

/// An option of a robot.
#[derive(Debug)]
pub struct OptionRow {
    /// Name in the macro.
    pub name: &'static str,
    /// Syntax in the macro, in Markdown.
    pub written: &'static str,
    /// Default, in Markdown.
    pub default: &'static str,
    /// Meaning, in Markdown. Links are relative to docs/options.md.
    pub meaning: &'static str,
    /// Value in the macro.
    pub value: Value,
    /// Flags on the command line.
    pub flags: &'static [Flag],
}

/// Type of an option's value in the macro, with the setter.
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
    /// One of a list of words.
    Word(&'static [(&'static str, Set)]),
    /// A value with a grammar of its own.
    Own,
}

/// Setter of an option without a value.
pub type Set = fn(Robot) -> Robot;

/// A flag of the command line.
#[derive(Debug)]
pub struct Flag {
    /// Long name.
    pub name: &'static str,
    /// Name of the value in help. Empty for a flag without a value.
    pub value: &'static str,
    /// Line of help.
    pub help: &'static str,
    /// Setter.
    pub set: SetFlag,
    /// True if the flag affects how the URDF is read. Commands that generate nothing have only such flags.
    pub reads: bool,
}

/// Setter from text on the command line. The error says how the text is wrong.
pub type SetText = fn(Robot, &str) -> Result<Robot, String>;

/// Number of values of a flag, with the setter.
#[derive(Debug)]
pub enum SetFlag {
    /// No value.
    Switch(Set),
    /// One value, given once.
    Once(SetText),
    /// One value each time. The flag can be repeated.
    Each(SetText),
    /// Values separated by commas.
    List(SetText),
}

impl OptionRow {
    /// Returns the option of a name.
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
            (
                "step",
                "euler",
                "there is no integrator `euler`; there are semi_implicit, explicit, rk4, implicit_damping",
            ),
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
