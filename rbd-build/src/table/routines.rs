//! Routines of the runtime that kernels call, a row each: names, cost, structural zeros.

mod composer;
mod costs;
pub(crate) mod draft;
mod run;

pub use composer::{Composer, Dependencies, Dependency, Way};
pub use costs::LoopCosts;
pub use draft::{knows_root, products_beside_root, products_with_relatives};
use rbd_ir::calls::{Call, Routine, Terms};
use rbd_ir::graph::OperationCount;
use rbd_ir::products::{ColumnGroup, Panels};
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::{LANES, Strip, WORLD};
pub use run::{MOST_ROWS, Prepared, has_room_for, run, scratch, stack};
use std::ops::Range;
use std::sync::Arc;

/// A routine's names, arithmetic, zeros and cost. [`run`] is what it computes.
#[derive(Clone, Copy, Debug)]
pub struct RoutineRow {
    /// The routine.
    pub routine: Routine,
    /// Name in Rust, in `rbd_runtime::__private`.
    pub in_rust: &'static str,
    /// Name in C, after the robot's and `table`; none, where C has no such routine.
    pub in_c: Option<&'static str>,
    /// Name in JavaScript, among the loops of a module; none, where JavaScript has no such routine.
    pub in_js: Option<&'static str>,
    count: fn(&Call) -> OperationCount,
    zeros: fn(&Call) -> Vec<Zero>,
    over_tables: fn(&LoopCosts, &Owned) -> usize,
}

/// An entry that is zero in every state: the result's place among results, row and column.
pub type Zero = (usize, usize, usize);

/// The table, in the order of [`Routine`].
pub static ROUTINES: [RoutineRow; 8] = [
    RoutineRow {
        routine: Routine::Inverse,
        in_rust: "SymmetricInverse",
        in_c: Some("inverse"),
        in_js: Some("inverse"),
        count: |call| {
            let (n, terms) = (terms(call).panels.n(), multiplications(terms(call)));
            count(terms, terms + n * n, n)
        },
        zeros: |call| in_each(0..1, &terms(call).panels.zeros().collect::<Vec<_>>()),
        over_tables: |_, _| 0,
    },
    RoutineRow {
        routine: Routine::Crba,
        in_rust: "loops::crba::crba",
        in_c: Some("crba"),
        in_js: Some("crba"),
        count: |call| {
            let (above, below) = windows(robot(call));
            fused(6 * LANES * (above + below) + 130 * robot(call).rows())
        },
        zeros: |call| in_each(0..1, &unrelated(robot(call))),
        over_tables: LoopCosts::mass_matrix,
    },
    RoutineRow {
        routine: Routine::Rnea,
        in_rust: "loops::rnea::rnea",
        in_c: None,
        in_js: Some("rnea"),
        count: |call| fused(200 * robot(call).rows()),
        zeros: |_| Vec::new(),
        over_tables: |costs, robot| LoopCosts::vector(robot, costs.torques),
    },
    RoutineRow {
        routine: Routine::Aba,
        in_rust: "loops::aba::aba",
        in_c: None,
        in_js: Some("aba"),
        count: |call| OperationCount { divs: robot(call).rows(), ..fused(350 * robot(call).rows()) },
        zeros: |_| Vec::new(),
        over_tables: |costs, robot| LoopCosts::vector(robot, costs.accelerations),
    },
    RoutineRow {
        routine: Routine::RneaDerivatives,
        in_rust: "loops::rnea_derivatives::rnea_derivatives_of_slices",
        in_c: Some("rnea_derivatives"),
        in_js: Some("rnea_derivatives"),
        count: |call| fused(pairs(robot(call)) + 330 * robot(call).rows()),
        zeros: |call| in_each(1..4, &unrelated(robot(call))),
        over_tables: LoopCosts::derivatives,
    },
    RoutineRow {
        routine: Routine::AbaDerivatives,
        in_rust: "loops::aba_derivatives::aba_derivatives",
        in_c: Some("aba_derivatives"),
        in_js: Some("aba_derivatives"),
        count: |call| {
            let (n, products) = (terms(call).panels.n(), multiplications(terms(call)));
            let fused = pairs(robot(call)) + 500 * robot(call).rows() + products + 3 * n * n;
            count(fused, fused + n * n, n)
        },
        zeros: zeros_of_forward_dynamics,
        over_tables: LoopCosts::forward_derivatives,
    },
    RoutineRow {
        routine: Routine::Minv,
        in_rust: "loops::minv::minv",
        in_c: None,
        in_js: None,
        count: |call| {
            let columns = of_solved(solved_inverse(robot(call)));
            OperationCount { divs: robot(call).rows(), ..fused(columns + 300 * robot(call).rows()) }
        },
        zeros: |call| in_each(0..1, &on_other_roots(robot(call))),
        over_tables: LoopCosts::solved_inverse,
    },
    RoutineRow {
        routine: Routine::AbaDerivativesSolved,
        in_rust: "loops::aba_derivatives_solved::aba_derivatives_solved",
        in_c: None,
        in_js: None,
        count: |call| {
            let robot = robot(call);
            let columns = of_solved(solved_derivatives(robot));
            let fused = fused(columns + pairs(robot) + 680 * robot.rows());
            OperationCount { divs: robot.rows(), ..fused }
        },
        zeros: |call| zeros_of_solved(robot(call)),
        over_tables: LoopCosts::solved_derivatives,
    },
];

// A row is found by its place.
const _: () = {
    let mut k = 0;
    while k < ROUTINES.len() {
        assert!(ROUTINES[k].routine as usize == k);
        k += 1;
    }
};

impl RoutineRow {
    /// The row of a call's routine.
    pub fn of(call: &Call) -> &'static Self {
        &ROUTINES[call.routine as usize]
    }
}

/// Arithmetic of a call. Loops over tables count each lane of a register that is used, and for each row a
/// number that was counted once.
pub fn count_of(call: &Call) -> OperationCount {
    (RoutineRow::of(call).count)(call)
}

/// Entries of a call's results that are zero in every state.
pub fn zeros_of(call: &Call) -> Vec<Zero> {
    (RoutineRow::of(call).zeros)(call)
}

/// Cost of a call's loops over tables, without products and factors.
pub(crate) fn over_tables(call: &Call, costs: &LoopCosts) -> usize {
    call.robot().map_or(0, |robot| (RoutineRow::of(call).over_tables)(costs, robot))
}

/// Groups of columns of all products that a call is made of, those of its factors included.
pub(crate) fn groups(call: &Call) -> impl Iterator<Item = &ColumnGroup> {
    call.terms.iter().flat_map(|terms| groups_of(terms))
}

fn groups_of(terms: &Terms) -> impl Iterator<Item = &ColumnGroup> {
    terms.panels.groups().chain(&terms.by_q).chain(&terms.by_v)
}

/// Terms of an inverse alone.
pub(crate) fn of_inverse(panels: Panels) -> Arc<Terms> {
    Arc::new(Terms { panels, by_q: Vec::new(), by_v: Vec::new(), knows_base: false })
}

fn robot(call: &Call) -> &Owned {
    call.robot().expect("it reads tables")
}

fn terms(call: &Call) -> &Terms {
    call.terms.as_deref().expect("it has products")
}

fn multiplications(terms: &Terms) -> usize {
    groups_of(terms).map(ColumnGroup::multiplications).sum()
}

fn count(adds: usize, muls: usize, divs: usize) -> OperationCount {
    OperationCount { adds, muls, divs, ..OperationCount::default() }
}

fn fused(terms: usize) -> OperationCount {
    count(terms, terms, 0)
}

fn in_each(results: Range<usize>, zeros: &[(usize, usize)]) -> Vec<Zero> {
    results.flat_map(|k| zeros.iter().map(move |&(row, column)| (k, row, column))).collect()
}

/// Structural zeros of forward dynamics: those of the tree, and columns of a floating base.
fn zeros_of_forward_dynamics(call: &Call) -> Vec<Zero> {
    let terms = terms(call);
    let n = terms.panels.n();
    let mut all = in_each(1..4, &terms.panels.zeros().collect::<Vec<_>>());
    if terms.knows_base {
        all.extend(zeros_of_base(n));
    }
    all
}

/// Structural zeros as in [`zeros_of_forward_dynamics`], of a robot whose columns are solved for.
fn zeros_of_solved(robot: &Owned) -> Vec<Zero> {
    let mut all = in_each(1..4, &on_other_roots(robot));
    if robot.knows_base() {
        all.extend(zeros_of_base(robot.coordinates()));
    }
    all
}

/// Zeros of the columns of a floating base that need no product.
fn zeros_of_base(n: usize) -> Vec<Zero> {
    let known = |turning: usize| {
        let of_axis = move |k: usize| (0..n).filter(move |r| *r > 2 || *r == k);
        (0..3).flat_map(move |k| of_axis(k).map(move |r| (r, turning + k)))
    };
    let still = (0..3).flat_map(|c| (0..n).map(move |r| (r, c)));
    let mut all = in_each(1..2, &still.chain(known(3)).collect::<Vec<_>>());
    all.extend(in_each(2..3, &known(0).collect::<Vec<_>>()));
    all
}

/// Rows and columns of coordinates that no joint carries both of.
fn on_other_roots(robot: &Owned) -> Vec<(usize, usize)> {
    let topology = robot.topology();
    let mut roots = vec![0; robot.coordinates()];
    let mut root = 0;
    for row in 0..robot.rows() {
        if topology.parent[row] == WORLD {
            root = topology.first[row];
        }
        roots[usize::from(topology.coordinate[row])] = root;
    }
    let n = roots.len();
    cells((0, n), (0, n)).filter(|(row, column)| roots[*row] != roots[*column]).collect()
}

/// Registers of a row that are solved for the inverse, inward and outward.
pub(crate) fn solved_inverse(robot: &Owned) -> [usize; 2] {
    let n = robot.coordinates();
    // Rows beyond a register's own columns are known by symmetry.
    let rows = (0..n).step_by(LANES).map(|at| {
        let end = (at + LANES).min(n);
        [relatives_of(robot, at..end).take(end).filter(|is| *is).count(), end]
    });
    rows.fold([0; 2], |[inward, outward], [i, o]| [inward + i, outward + o])
}

/// Registers of a row that are solved for the derivatives of forward dynamics, inward and outward, those of
/// the inverse included.
pub(crate) fn solved_derivatives(robot: &Owned) -> [usize; 2] {
    let n = robot.coordinates();
    let known = if robot.knows_base() { [6, 3] } else { [0, 0] };
    known.into_iter().fold(solved_inverse(robot), |sum, known| {
        (known..n).step_by(LANES).fold(sum, |[inward, outward], at| {
            let relatives = relatives_of(robot, at..(at + LANES).min(n)).filter(|is| *is).count();
            [inward + relatives, outward + n]
        })
    })
}

/// Fused products of registers of a row, inward and outward.
fn of_solved([inward, outward]: [usize; 2]) -> usize {
    LANES * (16 * inward + 15 * outward)
}

/// For each row, whether it is on a path with one of some rows.
fn relatives_of(robot: &Owned, rows: Range<usize>) -> impl Iterator<Item = bool> + use<> {
    let topology = robot.topology();
    let mut related = vec![false; robot.rows()];
    for row in rows {
        related[usize::from(topology.first[row])..usize::from(topology.end[row])].fill(true);
        let above = |k: &usize| (topology.parent[*k] != WORLD).then(|| usize::from(topology.parent[*k]));
        for last in std::iter::successors(above(&row), above) {
            related[usize::from(topology.first[last])..=last].fill(true);
        }
    }
    related.into_iter()
}

/// Rows and columns of coordinates that are not on one path.
fn unrelated(robot: &Owned) -> Vec<(usize, usize)> {
    let coordinate = |row: usize| usize::from(robot.topology().coordinate[row]);
    let n = robot.coordinates();
    let mut related = vec![false; n * n];
    for row in 0..robot.rows() {
        for (other, _) in relatives_of(robot, row..row + 1).enumerate().filter(|(_, is)| *is) {
            related[coordinate(row) * n + coordinate(other)] = true;
        }
    }
    cells((0, n), (0, n)).filter(|(row, column)| !related[column * n + row]).collect()
}

/// Fused products of a robot's pairs of rows, lanes that are not used included.
fn pairs(robot: &Owned) -> usize {
    let (above, below) = windows(robot);
    LANES * (18 * above + 24 * below)
}

/// Numbers of registers of a robot's windows with rows above and below a column.
pub(crate) fn windows(robot: &Owned) -> (usize, usize) {
    let strips = robot.topology().strips.iter();
    let of = |mask: u8, strip: &Strip| if mask == 0 { 0 } else { usize::from(strip.to - strip.from) };
    strips.fold((0, 0), |(above, below), s| (above + of(s.above, s), below + of(s.below, s)))
}

/// Rows and columns of a block.
fn cells(rows: (usize, usize), columns: (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
    (columns.0..columns.1).flat_map(move |c| (rows.0..rows.1).map(move |r| (r, c)))
}
