//! Calls of the runtime's loops, and the tables that these read.

use super::body::Body;
use crate::calls::Call;
use crate::kernel::{ArrayDecl, ArrayId, Kernel, Role, Stmt};
use crate::plan::Plan;
use crate::products::{ColumnGroup, RowBlock};
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::{self, Tables};
use std::fmt::Write;

/// A slice of column groups.
pub(super) fn groups(groups: &[ColumnGroup]) -> String {
    let group = |group: &ColumnGroup| {
        let block = |b: &RowBlock| format!("rt::RowBlock {{ rows: {:?}, terms: &{:?} }}", b.rows, b.terms);
        let blocks: Vec<String> = group.blocks.iter().map(block).collect();
        format!("rt::ColumnGroup {{ columns: {:?}, blocks: &[{}] }}", group.columns, blocks.join(", "))
    };
    let groups: Vec<String> = groups.iter().map(group).collect();
    format!("&[{}]", groups.join(", "))
}

/// The name of the robot's tables, in the module of its kernels.
const TABLES: &str = "TABLES";

/// Rows of the longest tables that are written.
const MOST_ROWS: usize = loops::padded(crate::algorithms::loops::MOST_ROWS);

/// Whether a kernel is nothing but loops: then it may have wider registers than straight lines are to have.
pub(super) fn is_wide(kernel: &Kernel) -> bool {
    !kernel.body.is_empty() && kernel.body.iter().all(|stmt| matches!(stmt, Stmt::Product(_) | Stmt::Call(_)))
}

/// The tables that these plans read, as a `static`.
pub(super) fn tables(plans: &[Plan]) -> String {
    let kernels = plans.iter().flat_map(|p| &p.stages).map(|stage| &stage.scalar.kernel);
    let robots = kernels.flat_map(Kernel::calls).filter_map(|call| match call {
        Call::MassMatrix { robot, .. }
        | Call::Derivatives { robot, .. }
        | Call::ForwardDerivatives { robot, .. } => Some(robot),
        Call::Inverse { .. } | Call::Accelerations { .. } => None,
    });
    robots.into_iter().next().map_or_else(String::new, |robot| table(robot))
}

fn table(robot: &Owned) -> String {
    let length = loops::padded(robot.rows());
    let tables = Box::new(robot.tables::<MOST_ROWS>().expect("longer ones are not planned"));
    let mut text = format!("static {TABLES}: rt::loops::Tables<'static, {length}> = rt::loops::Tables {{\n");
    let Tables { topology: t, .. } = &*tables;
    let _ = writeln!(text, "topology: rt::loops::Topology {{ rows: {},", t.rows);
    let joints = t.joints.iter().map(|j| {
        format!(
            "rt::loops::Joint {{ kind: rt::JointKind::{:?}, first: {}, parent: {}, position: {} }}",
            j.kind, j.first, j.parent, j.position
        )
    });
    list(&mut text, "joints", joints);
    for (name, of) in [
        ("parent", t.parent),
        ("first", t.first),
        ("end", t.end),
        ("coordinate", t.coordinate),
        ("position", t.position),
        ("segment", t.segment),
    ] {
        let _ = writeln!(text, "{name}: &{of:?},");
    }
    // These print as they are written.
    list(&mut text, "segments", t.segments.iter().map(|x| format!("rt::loops::{x:?}")));
    list(&mut text, "windows", t.windows.iter().map(|x| format!("rt::loops::{x:?}")));
    list(&mut text, "strips", t.strips.iter().map(|x| format!("rt::loops::{x:?}")));
    list(&mut text, "blocks", t.blocks.iter().map(|x| format!("rt::loops::{x:?}")));
    list(&mut text, "carries", t.carries.iter().map(|x| format!("rt::loops::{x:?}")));
    text.push_str("},\n");
    rows(&mut text, "placement", &tables.placement.0, length);
    rows(&mut text, "joint_frame", &tables.joint_frame.0, length);
    rows(&mut text, "ratio", &tables.ratio.0, length);
    rows(&mut text, "offset", &tables.offset.0, length);
    rows(&mut text, "mass", &tables.mass.0, length);
    rows(&mut text, "center", &tables.center.0, length);
    rows(&mut text, "spread", &tables.spread.0, length);
    rows(&mut text, "subtree_mass", &tables.subtree_mass.0, length);
    let (armature, damping, gravity) = (tables.armature, tables.damping, tables.gravity);
    let _ = writeln!(text, "armature: &{armature:?}, damping: &{damping:?}, gravity: {gravity:?} }};");
    text
}

fn list(text: &mut String, name: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    let _ = writeln!(text, "{name}: &[{}],", items.join(", "));
}

fn rows(text: &mut String, name: &str, rows: &[[f64; MOST_ROWS]], length: usize) {
    let rows: Vec<&[f64]> = rows.iter().map(|row| &row[..length]).collect();
    let _ = writeln!(text, "{name}: rt::loops::Rows({rows:?}),");
}

impl Body<'_> {
    /// Memory of the kernel's own that only loops write.
    pub(super) fn memory_of_loops(&self, text: &mut String, is_stored: impl Fn(ArrayId) -> bool) {
        for (id, ArrayDecl { name, rows, columns, role }) in self.version.kernel.declared() {
            if *role == Role::Scratch && !is_stored(id) {
                let _ = writeln!(text, "let mut {name} = rt::zeros::<S, {rows}, {columns}>();");
            }
        }
    }

    /// External forces, or that there are none.
    fn forces(&self, fext: Option<ArrayId>) -> String {
        let some = |id| format!("rt::Some(&recast.matrices({})[..])", self.place_of(id));
        fext.map_or_else(|| "rt::None".to_owned(), some)
    }

    /// A call of loops.
    pub(super) fn call(&self, text: &mut String, call: &Call) {
        let _ = match call {
            Call::Inverse { m, g, out, panels } => writeln!(
                text,
                "S::dispatch(rt::SymmetricInverse {{ m: {}, g: {}, out: {}, factor: {}, invert: {}, gram: {} }});",
                self.recast(*m),
                self.recast_mut(*g),
                self.recast_mut(*out),
                groups(&panels.factor),
                groups(&panels.invert),
                groups(&panels.gram),
            ),
            Call::Accelerations { minv, m, tau, bias, out, .. } => writeln!(
                text,
                "S::dispatch(rt::RefinedSolution {{ minv: {}, m: {}, tau: {}, bias: {}, out: {} }});",
                self.recast(*minv),
                self.recast(*m),
                self.recast(*tau),
                self.recast(*bias),
                self.recast_mut(*out),
            ),
            Call::MassMatrix { q, out, n, .. } => writeln!(
                text,
                "rt::loops::crba::crba(&{TABLES}, ({}).as_slice(), {n}, ({}).as_mut_slice());",
                self.recast(*q),
                self.recast_mut(*out),
            ),
            Call::ForwardDerivatives { terms, q, v, tau, fext, out, .. } => {
                let [q, v, tau] = [q, v, tau].map(|id| self.recast(*id));
                writeln!(
                    text,
                    "rt::loops::aba_derivatives::aba_derivatives(&{TABLES}, &rt::loops::aba_derivatives::Terms {{ \
                     factor: {}, invert: {}, gram: {}, by_q: {}, by_v: {}, knows_base: {} }}, \
                     {q}, [{v}, {tau}], {}, rt::loops::aba_derivatives::Results {{ ddq: {}, dq: {}, dv: {}, dtau: {} }});",
                    groups(&terms.panels.factor),
                    groups(&terms.panels.invert),
                    groups(&terms.panels.gram),
                    groups(&terms.by_q),
                    groups(&terms.by_v),
                    terms.knows_base,
                    self.forces(*fext),
                    self.recast_mut(out[0]),
                    self.recast_mut(out[1]),
                    self.recast_mut(out[2]),
                    self.recast_mut(out[3]),
                )
            }
            Call::Derivatives { q, v, a, fext, out, .. } => {
                let slice = |id: ArrayId| format!("({}).as_slice()", self.recast(id));
                let zero = format!("rt::zeros::<S, {}, 1>().as_slice()", self.version.kernel.array(*v).rows);
                let a = a.map_or(zero, slice);
                let fext = self.forces(*fext);
                let [tau, dq, dv, da] = out.map(|id| format!("({}).as_mut_slice()", self.recast_mut(id)));
                writeln!(
                    text,
                    "rt::loops::rnea_derivatives::rnea_derivatives_of_slices(&{TABLES}, [{}, {}, {a}], {fext}, \
                     rt::loops::rnea_derivatives::Results {{ tau: {tau}, dq: {dq}, dv: {dv}, da: {da} }});",
                    slice(*q),
                    slice(*v),
                )
            }
        };
    }
}
