//! Options of a circuit.

/// Options of a circuit.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Number of multipliers.
    pub multipliers: usize,
    /// Number of adders. By default in proportion to the work.
    pub adders: Option<usize>,
    /// Place where sines and cosines are computed.
    pub angles: Angles,
}

/// Place where sines and cosines are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Angles {
    /// The circuit.
    Inside,
    /// The caller, who gives them with the state.
    Given,
}
