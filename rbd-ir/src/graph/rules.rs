//! Rules that simplify a graph. Each can be left out to measure its gain.

use std::fmt;

/// A rule that removes operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// `0 x = 0`, `1 x = x`, `0 + x = x`: the savings from the robot's structure.
    Neutral,
    /// An operation on given operands is done once.
    Sharing,
    /// `b - a` is the negative of `a - b`, and not another operation.
    Signs,
    /// `c (d x) = (c d) x` for constants c and d.
    Constants,
    /// `c x + d x = (c + d) x` for constants c and d.
    LikeTerms,
    /// `a b + a c = a (b + c)`: the pass [`factor`](crate::passes::factor).
    CommonFactors,
    /// A sum takes in one product after the other: the pass [`chain`](crate::passes::chain).
    Chains,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Neutral,
        Self::Sharing,
        Self::Signs,
        Self::Constants,
        Self::LikeTerms,
        Self::CommonFactors,
        Self::Chains,
    ];
}

/// A set of rules: all, except for some that are left out to measure their gain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules([bool; Rule::ALL.len()]);

impl Default for Rules {
    fn default() -> Self {
        Self([true; Rule::ALL.len()])
    }
}

impl Rules {
    /// Without this one.
    #[must_use]
    pub fn without(mut self, rule: Rule) -> Self {
        self.0[rule as usize] = false;
        self
    }

    /// Returns whether the set contains the rule.
    pub fn contains(self, rule: Rule) -> bool {
        self.0[rule as usize]
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Neutral => "zeros and ones",
            Self::Sharing => "sharing",
            Self::Signs => "signs",
            Self::Constants => "constants",
            Self::LikeTerms => "like terms",
            Self::CommonFactors => "common factors",
            Self::Chains => "chains of sums",
        })
    }
}
