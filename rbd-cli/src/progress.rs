//! Progress of the command: on terminals, a line that disappears. Elsewhere nothing is shown.

use indicatif::{ProgressBar, ProgressStyle};
use rbd_build::{Robot, Step};
use std::time::Duration;

/// Between two pictures of the spinner.
const TICK: Duration = Duration::from_millis(120);
const WITHOUT_END: &str = "{spinner} {msg} ({elapsed})";
const WITH_END: &str = "{spinner} {msg} {bar:30} {pos}/{len} ({elapsed})";

/// The line. It is gone when this is.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// Shows the current step and its duration until the next step.
    pub fn new(message: impl Into<String>) -> Self {
        // Indicatif draws on the standard error, and only if that is a terminal.
        let bar = ProgressBar::new_spinner().with_message(message.into());
        bar.enable_steady_tick(TICK);
        set_style(&bar, WITHOUT_END);
        Self(bar)
    }

    /// Shows another step.
    pub fn say(&self, message: impl Into<String>) {
        set_style(&self.0, WITHOUT_END);
        self.0.set_message(message.into());
    }

    /// Counts up to `length` steps.
    pub fn count(&self, length: usize, message: impl Into<String>) {
        start(&self.0, length);
        self.0.set_message(message.into());
    }

    /// Counts one step.
    pub fn one_more(&self) {
        self.0.inc(1);
    }

    /// Does something that writes to the terminal, without the line.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }

    /// Prints a line above, which stays.
    pub fn keep(&self, line: &str) {
        if self.0.is_hidden() {
            eprintln!("{line}");
        } else {
            self.0.println(line);
        }
    }

    /// The robot, with its steps shown.
    pub fn of(&self, robot: Robot) -> Robot {
        let bar = self.0.clone();
        robot.observed(move |step| match step {
            Step::Reading => bar.set_message("reading the URDF"),
            Step::Searching { functions } => {
                start(&bar, functions);
                bar.set_message("looking for the cheapest code");
            }
            Step::Found { function } => {
                bar.inc(1);
                bar.set_message(format!("found {}", function.name()));
            }
            Step::Writing => {
                set_style(&bar, WITHOUT_END);
                bar.set_message("writing the text");
            }
            _ => {}
        })
    }
}

fn set_style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

fn start(bar: &ProgressBar, length: usize) {
    bar.set_length(length as u64);
    bar.set_position(0);
    set_style(bar, WITH_END);
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
