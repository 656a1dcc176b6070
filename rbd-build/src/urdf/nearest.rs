//! Which known name a wrong one was meant to be.

/// Suggests names, but not without end: a file of a hundred thousand wrong names gets its findings
/// in linear time, the later ones without a suggestion.
pub(super) struct Nearest<'a> {
    names: Vec<&'a str>,
    budget: usize,
}

/// Longer names are compared by no one.
const LONGEST: usize = 64;

impl<'a> Nearest<'a> {
    pub fn new(names: impl Iterator<Item = &'a str>) -> Self {
        Self { names: names.filter(|n| n.len() <= LONGEST).collect(), budget: 10_000 }
    }

    /// The nearest name, if one is near enough to be what was meant.
    pub fn to(&mut self, wrong: &str) -> Option<&'a str> {
        if wrong.len() > LONGEST || self.names.len() > self.budget {
            return None;
        }
        self.budget -= self.names.len();
        let distance = |name: &&str| strsim::osa_distance(&name.to_lowercase(), &wrong.to_lowercase());
        let (distance, name) = self.names.iter().map(|n| (distance(n), *n)).min_by_key(|(d, _)| *d)?;
        (distance * 3 <= wrong.chars().count().max(3)).then_some(name)
    }

    /// A mend that names the nearest name, or `otherwise`.
    pub fn mend(&mut self, wrong: &str, otherwise: &str) -> String {
        match self.to(wrong) {
            Some(name) => format!("did you mean `{name}`?"),
            None => otherwise.to_owned(),
        }
    }
}
