//! Tracing functions into graphs.

use crate::algorithms::factors::MassFactors;
use crate::algorithms::joints::{Input, Robot};
use crate::algorithms::rnea::Gyroscopic;
use crate::algorithms::{Array, aba, aba_derivatives, crba, rnea, rnea_derivatives};
use crate::functions::Function;
use crate::graph::{Graph, Nodes, OperationCount, Rule, Value};
use crate::passes;
use crate::products::Product;
use crate::signature::FEXT;
use crate::tree::{Rewrite, Tree};
use std::fmt;

/// An output of a function: a vector or matrix over the degrees of freedom.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name in the function's result.
    pub name: &'static str,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Column by column.
    pub values: Vec<Value>,
}

/// A traced function.
#[derive(Clone, Debug)]
pub struct Traced {
    /// Which function.
    pub function: Function,
    /// The way in which it is computed.
    pub formulation: Formulation,
    /// The frames and inertias that it works with.
    pub rewrite: Rewrite,
    /// The arithmetic.
    pub nodes: Nodes,
    /// What it gives.
    pub outputs: Vec<Output>,
    /// What is left to loops after the graph, in order.
    pub products: Vec<Product>,
    /// The same with limbs of one shape as lanes, for scalars that have registers; where that pays. Of this stage only.
    pub limbs: Option<Box<Traced>>,
    /// The next stage of a function in several, with `ddq` of this one's result for its `a`.
    pub then: Option<Box<Traced>>,
    /// Ways that were tried and cost more.
    pub losers: Vec<(Formulation, OperationCount)>,
}

/// What a graph gives, by name.
pub(crate) type Outputs<'g> = Vec<(&'static str, Array<'g>)>;

impl Function {
    fn has_forces(self) -> bool {
        self.spec().params.contains(&FEXT)
    }

    /// The ways in which it can be computed for this tree.
    pub(crate) fn formulations(self, tree: &Tree) -> Vec<Formulation> {
        use Formulation as F;
        match self {
            Self::Rnea | Self::RneaFext | Self::Bias | Self::Gravity => {
                vec![F::NewtonEuler, F::Spatial]
            }
            // Articulated bodies do not survive joints that share a coordinate (PAPERS 1.4).
            Self::Aba | Self::AbaFext if tree.has_mimic => vec![F::Factors],
            Self::Aba | Self::AbaFext => vec![F::Articulated, F::Factors],
            Self::Crba => vec![F::Composite],
            Self::Minv => vec![F::Inverse, F::LoopedInverse],
            Self::RneaDerivatives | Self::RneaDerivativesFext => vec![F::Idsva],
            // Beyond some twenty coordinates an unrolled product is past every cache; not even traced.
            Self::AbaDerivatives | Self::AbaDerivativesFext if tree.nv > 20 => vec![F::Stages],
            Self::AbaDerivatives | Self::AbaDerivativesFext => {
                vec![F::DenseProduct, F::Solve, F::LoopedProduct, F::Stages]
            }
        }
    }

    /// Traces every formulation on this tree.
    pub fn trace_all(self, tree: &Tree) -> Vec<Traced> {
        self.formulations(tree).into_iter().map(|f| self.trace_as(tree, f)).collect()
    }

    /// Traces every formulation, leaving out one of the rules: to see what it gains.
    pub fn trace_all_without(self, tree: &Tree, rule: Rule) -> Vec<Traced> {
        self.formulations(tree).into_iter().map(|f| self.trace(tree, f, Some(rule))).collect()
    }

    pub(crate) fn trace_as(self, tree: &Tree, formulation: Formulation) -> Traced {
        self.trace(tree, formulation, None)
    }

    fn trace(self, tree: &Tree, formulation: Formulation, without: Option<Rule>) -> Traced {
        let graph = Graph::without(without);
        let (outputs, products) = self.outputs(&graph, tree, formulation);
        let mut outputs: Vec<Output> = outputs
            .into_iter()
            .map(|(name, array)| Output {
                name,
                rows: array.rows(),
                columns: array.columns(),
                values: array.values(),
            })
            .collect();
        let mut values: Vec<Value> = outputs.iter().flat_map(|o| o.values.iter().copied()).collect();
        let nodes = match without {
            Some(Rule::CommonFactors) => graph.finish(),
            _ => passes::factor(&graph.finish(), &mut values, Graph::without(without)),
        };
        let nodes = match without {
            Some(Rule::Chains) => nodes,
            _ => passes::chain(&nodes, &mut values, Graph::without(without)),
        };
        let mut values = values.into_iter();
        for value in outputs.iter_mut().flat_map(|o| &mut o.values) {
            *value = values.next().unwrap_or(Value::ZERO);
        }
        let then = (formulation == Formulation::Stages).then(|| {
            let second = if self.has_forces() { Self::RneaDerivativesFext } else { Self::RneaDerivatives };
            Box::new(second.trace(tree, Formulation::SecondStage, without))
        });
        Traced {
            function: self,
            formulation,
            rewrite: tree.rewrite.clone(),
            nodes,
            outputs,
            products,
            limbs: None,
            then,
            losers: Vec::new(),
        }
    }

    fn outputs<'g>(
        self,
        graph: &'g Graph,
        tree: &'g Tree,
        formulation: Formulation,
    ) -> (Outputs<'g>, Vec<Product>) {
        let robot = &Robot::new(graph, tree, Input(0));
        let (v, third) = (Input(1), Input(2));
        let fext = self.has_forces().then_some(Input(3));
        let inverse_dynamics = |terms| {
            robot.collect(&match formulation {
                Formulation::NewtonEuler => rnea::newton_euler(robot, terms),
                _ => rnea::spatial(robot, terms, Gyroscopic::Cross),
            })
        };
        let one = |name, array| (vec![(name, array)], Vec::new());
        match self {
            Self::Rnea | Self::RneaFext => {
                let (v, a) = (robot.coordinates(v), robot.coordinates(third));
                one("tau", inverse_dynamics(rnea::Terms { v: Some(&v), a: Some(&a), fext }))
            }
            Self::Bias => {
                let v = robot.coordinates(v);
                one("tau", inverse_dynamics(rnea::Terms { v: Some(&v), a: None, fext }))
            }
            Self::Gravity => one("tau", inverse_dynamics(rnea::Terms { v: None, a: None, fext })),
            Self::Aba | Self::AbaFext => {
                let v = robot.coordinates(v);
                one(
                    "ddq",
                    match formulation {
                        Formulation::Factors => aba::by_factors(robot, &v, third, fext),
                        _ => aba::aba(robot, &v, &robot.coordinates(third), fext),
                    },
                )
            }
            Self::Crba => one("m", crba::crba(robot)),
            Self::Minv if formulation == Formulation::LoopedInverse => {
                aba_derivatives::looped_inverse(robot, &MassFactors::new(robot), "minv")
            }
            Self::Minv => one("minv", MassFactors::new(robot).inverse(robot)),
            Self::RneaDerivatives | Self::RneaDerivativesFext => {
                let (v, a) = (robot.coordinates(v), robot.coordinates(third));
                let d = rnea_derivatives::rnea_derivatives(robot, &v, &a, fext);
                if formulation == Formulation::SecondStage {
                    return aba_derivatives::looped_products(robot, &v, d);
                }
                let outputs = vec![
                    ("tau", d.tau),
                    ("dtau_dq", d.dtau_dq),
                    ("dtau_dv", d.dtau_dv),
                    ("dtau_da", d.dtau_da),
                ];
                (outputs, Vec::new())
            }
            Self::AbaDerivatives | Self::AbaDerivativesFext => {
                aba_derivatives::aba_derivatives(robot, v, third, fext, formulation)
            }
        }
    }
}

/// A way of computing a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formulation {
    /// RNEA with classical accelerations.
    NewtonEuler,
    /// RNEA with spatial vectors.
    Spatial,
    /// The articulated-body algorithm.
    Articulated,
    /// A solve with the factors `L^T D L` of the mass matrix.
    Factors,
    /// The inverse by those factors.
    Inverse,
    /// The same with the product of the factors' inverses by a loop over blocks.
    LoopedInverse,
    /// Composite rigid bodies.
    Composite,
    /// IDSVA in link frames.
    Idsva,
    /// `-M^-1` times the derivatives of inverse dynamics, unrolled.
    DenseProduct,
    /// The same through the factors of M.
    Solve,
    /// The same by a loop over blocks after the straight-line part.
    LoopedProduct,
    /// First accelerations and M^-1, then the derivatives of inverse dynamics; products by loops.
    Stages,
    /// The second of these.
    SecondStage,
}

impl fmt::Display for Formulation {
    /// As `rbd report` shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NewtonEuler => "Newton-Euler",
            Self::Spatial => "spatial",
            Self::Articulated => "articulated bodies",
            Self::Factors => "LTL factors, Newton-Euler",
            Self::Inverse => "composite bodies, LTL factors",
            Self::Composite => "composite bodies",
            Self::Idsva => "IDSVA, link frames",
            Self::DenseProduct => "IDSVA, unrolled product",
            Self::Solve => "IDSVA, LTL solve",
            Self::LoopedInverse => "LTL factors, looped product",
            Self::LoopedProduct => "IDSVA, looped product",
            Self::Stages => "two stages, looped products",
            Self::SecondStage => "IDSVA, link frames, looped products",
        })
    }
}

impl Traced {
    /// The arithmetic of all stages, straight-line and in loops.
    pub fn count(&self) -> OperationCount {
        let straight = OperationCount::of(&self.nodes, self.values());
        let own = self.products.iter().map(Product::count).fold(straight, |a, b| a + b);
        self.then.iter().fold(own, |a, then| a + then.count())
    }

    /// The stages, in order.
    pub fn stages(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |stage| stage.then.as_deref())
    }

    /// With limbs as lanes in each stage that has that; `None` where none has.
    pub fn packed(&self) -> Option<Self> {
        let then = self.then.as_ref().and_then(|then| then.packed());
        if self.limbs.is_none() && then.is_none() {
            return None;
        }
        let mut packed = self.limbs.as_deref().unwrap_or(self).clone();
        packed.then = then.map(Box::new).or_else(|| self.then.clone());
        Some(packed)
    }

    /// Every output's every entry.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.outputs.iter().flat_map(|o| o.values.iter().copied())
    }
}
