//! Recordings of motions: examples write them to `target/recordings/`, and
//! `rbd view --trajectory` replays them in the browser (docs/view.md).

use std::fmt::Write;

/// Seconds between two lines.
const EVERY: f64 = 0.01;

/// A motion: lines of a time, a configuration and a velocity, with commas between.
#[derive(Default)]
pub struct Recording {
    text: String,
    next: f64,
}

impl Recording {
    /// Adds a state, unless the last line is less than a hundredth of a second before.
    pub fn add(&mut self, t: f64, q: &[f64], v: &[f64]) {
        if self.text.is_empty() {
            let names =
                |letter, x: &[f64]| (0..x.len()).map(move |k| format!(",{letter}{k}")).collect::<String>();
            let _ = writeln!(self.text, "t{}{}", names('q', q), names('v', v));
        } else if t < self.next {
            return;
        }
        // Steps that rounding makes a little too early count.
        self.next = t + 0.999 * EVERY;
        let _ = write!(self.text, "{t:.6}");
        for x in q.iter().chain(v) {
            let _ = write!(self.text, ",{x:.9}");
        }
        self.text.push('\n');
    }

    /// Writes `target/recordings/EXAMPLE.csv` and says how it is replayed.
    pub fn write(&self, example: &str, urdf: &str, options: &str) -> std::io::Result<()> {
        std::fs::create_dir_all("target/recordings")?;
        let file = format!("target/recordings/{example}.csv");
        std::fs::write(&file, &self.text)?;
        println!(
            "\nto see it in the browser:\n\
             cargo run --release -p rbd-cli -- view {urdf}{options} --trajectory {file} -o target/{example}.html"
        );
        Ok(())
    }
}
