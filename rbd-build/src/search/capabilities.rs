//! Capabilities of a target, as far as plans depend on them.

/// Table of a target's capabilities.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    /// The target in messages, such as `in C`.
    pub place: &'static str,
    /// Calls of `rbd-runtime` in the code.
    ///
    /// The runtime composes second derivatives of the plans of their parts. A long function without external
    /// forces calls the one with forces.
    pub runtime: bool,
    /// Dynamics under contacts.
    pub contacts: bool,
    /// Contacts between two frames of the robot.
    pub closed_loops: bool,
    /// Functions that functions of contacts call are written as well. Those of the contacts' frames are among
    /// them.
    pub parts_of_contacts: bool,
    /// Fused functions.
    pub fused: bool,
    /// The discrete step.
    pub step: Option<StepForms>,
    /// Steps under controls of some joints.
    pub actuated: bool,
    /// Parameters at run time.
    pub parameters: bool,
    /// Loops over tables.
    pub loops: Option<Loops>,
    /// Second derivatives.
    pub second_derivatives: Option<SecondDerivatives>,
    /// Most values alive in a thread, for targets that cut kernels into parts.
    pub most_alive: Option<usize>,
}

/// Capabilities of a target's loops over tables.
#[derive(Clone, Copy, Debug)]
pub struct Loops {
    /// Rows of the longest tables.
    pub most_rows: usize,
    /// Joint friction.
    pub friction: bool,
    /// Torques or accelerations alone.
    pub vectors: bool,
    /// Second derivatives written whole. Without them, tensors are made of a Hessian for each row.
    pub tensors: bool,
    /// Columns that are solved for by articulated bodies.
    pub solves: Solves,
}

/// Use of loops that solve for columns by articulated bodies, in place of products with M^-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solves {
    /// Never used.
    Never,
    /// Used if cheaper.
    IfCheaper,
    /// Used wherever robots allow it: products are not compiled for the robot.
    Always,
}

/// Forms of the discrete step that a target has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepForms {
    /// The next state, its derivatives and its weighted Hessian, by all integrators.
    All,
    /// The next state and its derivatives, by all integrators.
    Derivatives,
    /// The next state, by all integrators. Its derivatives and its weighted Hessian if those of accelerations
    /// are asked for.
    Asked,
}

/// Second derivatives of a target.
#[derive(Clone, Copy, Debug)]
pub struct SecondDerivatives {
    /// Tensors, and not only Hessians of weighted sums.
    pub tensors: bool,
    /// Second derivatives of robots with parameters at run time.
    pub parameters: bool,
    /// Lower bound on operations, by [`CostModel::least`](super::cost::CostModel::least), from which a
    /// Hessian is too long for a straight line.
    pub longest: usize,
    /// Functions that they are made of are written as well, and called.
    pub calls_parts: bool,
}

impl Capabilities {
    /// Straight lines of arithmetic, and nothing else: all that a target needs.
    pub const fn straight_lines(place: &'static str) -> Self {
        Self {
            place,
            runtime: false,
            contacts: false,
            closed_loops: false,
            parts_of_contacts: false,
            fused: false,
            step: None,
            actuated: false,
            parameters: false,
            loops: None,
            second_derivatives: None,
            most_alive: None,
        }
    }
}
