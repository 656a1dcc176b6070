//! A recorded motion: times and configurations.

use crate::output::Error;
use rbd_runtime::Model;
use std::path::Path;

/// A recorded motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Times, s, which never fall.
    pub times: Vec<f64>,
    /// A configuration for each time.
    pub configurations: Vec<Vec<f64>>,
}

/// Most lines of a recording.
const MOST_LINES: usize = 100_000;

/// Reads a file of comma-separated values: a time and q in each line, or both and v.
///
/// A first line of words is skipped.
pub fn read(path: &Path, model: &Model<f64>) -> Result<Trajectory, Error> {
    let refused = |what: String| Error::Request(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| refused(format!("cannot be read: {e}")))?;
    parse(&text, model.nq, model.nv).map_err(refused)
}

fn parse(text: &str, nq: usize, nv: usize) -> Result<Trajectory, String> {
    let (mut times, mut configurations) = (Vec::<f64>::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let numbers: Option<Vec<f64>> = line.split(',').map(|x| x.trim().parse().ok()).collect();
        let Some(numbers) = numbers else {
            if number == 1 {
                continue;
            }
            return Err(format!("line {number} has something that is no number"));
        };
        if numbers.len() != 1 + nq && numbers.len() != 1 + nq + nv {
            return Err(format!(
                "line {number} has {} numbers; a time and q are {}, with v {}",
                numbers.len(),
                1 + nq,
                1 + nq + nv
            ));
        }
        if numbers.iter().any(|x| !x.is_finite()) {
            return Err(format!("line {number} has a number that is not finite"));
        }
        if times.last().is_some_and(|last| numbers[0] < *last) {
            return Err(format!("line {number} is of an earlier time than the line before"));
        }
        if times.len() == MOST_LINES {
            return Err(format!("there are more than {MOST_LINES} lines"));
        }
        times.push(numbers[0]);
        configurations.push(numbers[1..=nq].to_vec());
    }
    if times.is_empty() {
        return Err("there are no numbers in it".into());
    }
    Ok(Trajectory { times, configurations })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn recordings_are_read_or_refused() {
        let read = parse("t, q0, q1\n0, 1, 2\n\n0.5, 3, 4\n", 2, 2).unwrap();
        assert_eq!(read.times, [0.0, 0.5]);
        assert_eq!(read.configurations, [[1.0, 2.0], [3.0, 4.0]]);
        assert_eq!(parse("0,1,2,9,9", 2, 2).unwrap().configurations, [[1.0, 2.0]]);
        for (text, said) in [
            ("", "no numbers"),
            ("t,q\n", "no numbers"),
            ("0,1", "line 1 has 2 numbers; a time and q are 3, with v 5"),
            ("0,1,2\nx,1,2", "line 2 has something"),
            ("0,1,2\n1,inf,2", "line 2 has a number that is not finite"),
            ("1,1,2\n0,1,2", "line 2 is of an earlier time"),
        ] {
            assert!(parse(text, 2, 2).unwrap_err().contains(said), "{text}");
        }
    }
}
