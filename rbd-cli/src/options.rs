//! Options that several commands have: the flags of the generator's table of options.

use crate::output::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use rbd_build::Robot;
use rbd_build::option_table::{Flag, OPTIONS, SetFlag, SetText};
use std::fmt::Write;
use std::path::Path;

/// Options for reading a URDF.
#[derive(Debug)]
pub struct Reading(Given);

/// Options for reading a URDF and for what is generated.
#[derive(Debug)]
pub struct Making(Given);

/// Options that `rbd new` writes into the crate for each robot.
#[derive(Debug)]
pub struct InCrate(Given);

/// The flags that were given, with their values.
#[derive(Debug)]
struct Given(Vec<(&'static Flag, Vec<String>)>);

/// The generated type's name, which the macro has before its options.
const NAME: Flag = Flag {
    name: "name",
    value: "NAME",
    help: "The generated type; by default the file's stem in UpperCamelCase",
    set: SetFlag::Once(|robot, text| Ok(robot.name(text))),
    reads: false,
};

/// Choice of the flags of a command.
type Wanted = fn(&Flag) -> bool;

/// The flags of a command.
fn flags(wanted: Wanted) -> impl Iterator<Item = &'static Flag> {
    let flags = OPTIONS.iter().flat_map(|row| row.flags).chain([const { &NAME }]);
    flags.filter(move |flag| wanted(flag))
}

fn argument(flag: &'static Flag) -> Arg {
    let argument = Arg::new(flag.name).long(flag.name).help(flag.help);
    let valued = |argument: Arg, set: SetText| {
        // Judged here, on a robot that is thrown away: so clap names the flag and its value.
        let judged = move |text: &str| set(Robot::from_urdf(""), text).map(|_| text.to_owned());
        argument.value_name(flag.value).value_parser(judged)
    };
    match flag.set {
        SetFlag::Switch(_) => argument.action(ArgAction::SetTrue),
        // A vector may begin with a sign.
        SetFlag::Once(set) => valued(argument, set).action(ArgAction::Set).allow_hyphen_values(true),
        SetFlag::Each(set) => valued(argument, set).action(ArgAction::Append),
        SetFlag::List(set) => valued(argument, set).action(ArgAction::Append).value_delimiter(','),
    }
}

impl Given {
    fn from(matches: &ArgMatches, wanted: Wanted) -> Self {
        let values = |flag: &'static Flag| match flag.set {
            SetFlag::Switch(_) => matches.get_flag(flag.name).then(Vec::new),
            _ => matches.get_many::<String>(flag.name).map(|values| values.cloned().collect()),
        };
        Self(flags(wanted).filter_map(|flag| Some((flag, values(flag)?))).collect())
    }

    fn apply(&self, mut robot: Robot) -> Result<Robot, Error> {
        for (flag, values) in &self.0 {
            let of_list = matches!(flag.set, SetFlag::List(_));
            let twice = values.iter().enumerate().find(|(k, value)| values[..*k].contains(value));
            if let Some((_, value)) = twice.filter(|_| of_list) {
                return Err(Error::Request(format!("--{} gives `{}` twice", flag.name, value.trim())));
            }
            robot = match flag.set {
                SetFlag::Switch(set) => set(robot),
                SetFlag::Once(set) | SetFlag::Each(set) | SetFlag::List(set) => values
                    .iter()
                    .try_fold(robot, |robot, text| set(robot, text))
                    .map_err(|fault| Error::Request(format!("--{} {fault}", flag.name)))?,
            };
        }
        Ok(robot)
    }
}

/// Implements clap's traits for arguments that are made from the table.
macro_rules! arguments {
    ($type:ident, $wanted:expr) => {
        impl Args for $type {
            fn augment_args(command: Command) -> Command {
                command.args(flags($wanted).map(argument))
            }

            fn augment_args_for_update(command: Command) -> Command {
                Self::augment_args(command)
            }
        }

        impl FromArgMatches for $type {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                Ok(Self(Given::from(matches, $wanted)))
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }

        impl $type {
            /// The robot in this file, with what was given.
            ///
            /// # Errors
            /// An option that contradicts itself.
            pub fn robot(&self, urdf: &Path) -> Result<Robot, Error> {
                self.0.apply(Robot::from_urdf(urdf))
            }
        }
    };
}

arguments!(Reading, |flag| flag.reads);
arguments!(Making, |_| true);
arguments!(InCrate, |flag| ["floating", "functions", "contacts", "allow"].contains(&flag.name));

impl InCrate {
    /// The options as the macro has them, a line each.
    pub fn lines(&self) -> String {
        let values = |name: &str| {
            let given = self.0.0.iter().find(|(flag, _)| flag.name == name);
            given.map_or(&[][..], |(_, values)| values).iter().map(|value| value.trim())
        };
        let base =
            if self.0.0.iter().any(|(flag, _)| flag.name == "floating") { "floating" } else { "fixed" };
        let contact = |value: &str| match value.rsplit_once('=') {
            Some((name, kind)) => format!("{name:?}: {kind}"),
            None => format!("{value:?}"),
        };
        let quoted = |value: &str| format!("{value:?}");
        let lists = [
            ("functions", '[', values("functions").map(str::to_owned).collect::<Vec<_>>(), ']'),
            ("contacts", '{', values("contacts").map(contact).collect(), '}'),
            ("allow", '[', values("allow").map(quoted).collect(), ']'),
        ];
        let mut lines = format!("        base: {base},\n");
        for (name, open, values, close) in lists.into_iter().filter(|(_, _, values, _)| !values.is_empty()) {
            let blank = if open == '{' { " " } else { "" };
            let _ = writeln!(lines, "        {name}: {open}{blank}{}{blank}{close},", values.join(", "));
        }
        lines
    }
}

impl Making {
    /// Value that was given as `--snap`.
    pub fn snap(&self) -> Option<f64> {
        let (_, values) = self.0.0.iter().find(|(flag, _)| flag.name == "snap")?;
        values.first()?.trim().parse().ok()
    }
}
