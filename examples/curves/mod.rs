//! Curves for a picture: examples write them to `target/curves/`, and `tools/plot_examples.py`
//! draws them into `docs/`.

use std::fmt::Write;

/// A curve: its name, its points.
pub type Curve = (&'static str, Vec<(f64, f64)>);

/// Axes with curves.
pub struct Panel {
    /// Quantity and unit.
    pub title: &'static str,
    /// The vertical axis: `linear` or `log`. With `log-log` both are logarithmic.
    pub scale: &'static str,
    /// What is shown.
    pub curves: Vec<Curve>,
}

/// Writes a picture of panels, one above the other, with lines of text below their common axis. A
/// point takes a line of the file.
pub fn write(example: &str, below: &str, panels: &[Panel]) -> std::io::Result<()> {
    let mut csv = format!("# {below}\npanel,scale,curve,x,y\n");
    for Panel { title, scale, curves } in panels {
        for (name, points) in curves {
            for (x, y) in points {
                let _ = writeln!(csv, "\"{title}\",{scale},{name},{x:.6},{y:.6e}");
            }
        }
    }
    std::fs::create_dir_all("target/curves")?;
    std::fs::write(format!("target/curves/{example}.csv"), csv)
}
