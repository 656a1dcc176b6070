//! Suggestions for misspelt names.

/// Longer names get no suggestion.
const LONGEST: usize = 64;
/// Shorter names are part of too many others.
const SHORTEST_PART: usize = 3;

/// The known name that was probably meant, if any.
///
/// It is at most two slips away, or it is the only name that begins or ends with the wrong name (or
/// is such a part of it).
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    if wrong.is_empty() || wrong.len() > LONGEST {
        return None;
    }
    let slips = wrong.chars().count().max(3) / 3;
    let mut best: Option<(usize, &str)> = None;
    let (mut part, mut parts) = (None, 0);
    for name in names.into_iter().filter(|n| n.len() <= LONGEST) {
        let lower = name.to_lowercase();
        let distance = strsim::osa_distance(&lower, &wrong);
        if distance <= slips && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
        let ends = |long: &str, short: &str| {
            short.len() >= SHORTEST_PART && (long.starts_with(short) || long.ends_with(short))
        };
        if ends(&lower, &wrong) || ends(&wrong, &lower) {
            part = Some(name);
            parts += 1;
        }
    }
    best.map(|(_, name)| name).or(part.filter(|_| parts == 1))
}

/// Suggests names, but not without end: a file of a hundred thousand wrong names gets its findings
/// in linear time, the later ones without a suggestion.
pub(crate) struct Nearest<'a> {
    names: Vec<&'a str>,
    budget: usize,
}

impl<'a> Nearest<'a> {
    pub fn new(names: impl Iterator<Item = &'a str>) -> Self {
        Self { names: names.filter(|n| n.len() <= LONGEST).collect(), budget: 10_000 }
    }

    /// The nearest name, if it was probably meant.
    pub fn to(&mut self, wrong: &str) -> Option<&'a str> {
        if self.names.len() > self.budget {
            return None;
        }
        self.budget -= self.names.len();
        nearest(wrong, self.names.iter().copied())
    }

    /// A help that names the nearest name, or `otherwise`.
    pub fn help(&mut self, wrong: &str, otherwise: &str) -> String {
        match self.to(wrong) {
            Some(name) => format!("did you mean `{name}`?"),
            None => otherwise.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_and_parts() {
        let joints = ["iiwa_joint_1", "iiwa_joint_7", "elbow", "left_wheel", "right_wheel"];
        let near = |wrong| nearest(wrong, joints);
        assert_eq!(near("joint_7"), Some("iiwa_joint_7"));
        assert_eq!(near("Elbwo"), Some("elbow"));
        assert_eq!(near("elbow_joint"), Some("elbow"));
        // Two equally good names are no suggestion, and the empty name has none.
        assert_eq!(near("wheel"), None);
        assert_eq!(near("shoulder"), None);
        assert_eq!(near(""), None);
        assert_eq!(nearest("damp", ["damping", "friction"]), Some("damping"));
        assert_eq!(nearest("xzy", ["xyz", "rpy"]), Some("xyz"));
    }
}
