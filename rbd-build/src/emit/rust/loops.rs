//! Calls of the runtime's loops.

use super::body::Body;
use crate::table::routines::RoutineRow;
use proc_macro2::TokenStream;
use quote::quote;
use rbd_ir::calls::{Call, Routine, Terms};
use rbd_ir::kernel::{ArrayDecl, ArrayId, Kernel, Role, Stmt};
use rbd_ir::products::{ColumnGroup, RowBlock};
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

/// Runs a kernel with arguments. A kernel of loops alone is not dispatched.
///
/// Its loops select the processor's features themselves, since they may use wider registers than straight
/// lines.
pub(super) fn run(kernel: &Kernel, arguments: TokenStream) -> TokenStream {
    if is_wide(kernel) {
        quote!(rt::Dispatched::run::<T>(#arguments, rt::Recast::identity());)
    } else {
        quote!(T::dispatch(#arguments);)
    }
}

/// True if a kernel is loops alone.
fn is_wide(kernel: &Kernel) -> bool {
    !kernel.body.is_empty() && kernel.body.iter().all(|stmt| matches!(stmt, Stmt::Product(_) | Stmt::Call(_)))
}

/// True if a kernel has loops.
pub(super) fn has_any(kernel: &Kernel) -> bool {
    kernel.body.iter().any(|stmt| matches!(stmt, Stmt::Product(_) | Stmt::Call(_)))
}

/// Sines and cosines of the configuration, if the caller has them.
const GIVEN: &str = "match self.angles.given() { \
    rt::Some((sin, cos)) => rt::Some([recast.matrix(sin).as_slice(), recast.matrix(cos).as_slice()]), \
    rt::None => rt::None }";

impl Body<'_> {
    /// Declares memory of the kernel that only loops write.
    pub(super) fn memory_of_loops(&self, text: &mut String, is_stored: impl Fn(ArrayId) -> bool) {
        for (id, ArrayDecl { name, rows, columns, role }) in self.version.kernel.declared() {
            if *role == Role::Scratch && !is_stored(id) {
                let _ = writeln!(text, "let mut {name} = rt::zeros::<S, {rows}, {columns}>();");
            }
        }
    }

    /// Name of the method that runs a loop. Loops in a kernel of loops alone dispatch by processor.
    pub(super) fn runs(&self) -> &'static str {
        if is_wide(&self.version.kernel) { "dispatch" } else { "nested" }
    }

    /// Expression of the external forces, or of none.
    fn forces(&self, fext: Option<ArrayId>) -> String {
        let some = |id| format!("rt::Some(&recast.matrices({})[..])", self.place_of(id));
        fext.map_or_else(|| "rt::None".to_owned(), some)
    }

    /// Writes a call of a routine.
    pub(super) fn loops(&self, text: &mut String, call: &Call) {
        let slice = |id: ArrayId| format!("({}).as_slice()", self.recast(id));
        let slice_mut = |id: &ArrayId| format!("({}).as_mut_slice()", self.recast_mut(*id));
        let vectors = |none: &str| {
            let all = call.arguments[..3].iter().map(|id| id.map_or(none.to_owned(), slice));
            all.collect::<Vec<_>>().join(", ")
        };
        let terms = || {
            let Terms { panels, .. } = call.terms.as_deref().expect("it has products");
            let [factor, invert, gram] =
                [&panels.factor, &panels.invert, &panels.gram].map(|all| groups(all));
            format!("factor: {factor}, invert: {invert}, gram: {gram}")
        };
        let name = RoutineRow::of(call).in_rust;
        let _ = match (call.routine, &call.arguments[..], &call.results[..]) {
            (Routine::Inverse, &[Some(m)], &[out]) => writeln!(
                text,
                "S::{}(rt::{name} {{ m: {}, g: {}, out: {}, {} }});",
                self.runs(),
                self.recast(m),
                self.recast_mut(call.scratch[0]),
                self.recast_mut(out),
                terms(),
            ),
            // Results are what `zeros` made or this function, and the kernel's own memory is zero at first.
            (Routine::Crba, &[Some(q)], [out]) => {
                let n = self.version.kernel.array(*out).columns;
                writeln!(text, "rt::{name}(&TABLES, {}, {GIVEN}, ({n}, true), {});", slice(q), slice_mut(out))
            }
            (Routine::Minv, &[Some(q)], [out]) => {
                let n = self.version.kernel.array(*out).columns;
                writeln!(text, "rt::{name}(&TABLES, {}, {GIVEN}, {n}, {});", slice(q), slice_mut(out))
            }
            (Routine::Rnea | Routine::Aba, &[.., fext], [out]) => writeln!(
                text,
                "rt::{name}(&TABLES, [{}], {GIVEN}, {}, {});",
                vectors("&[]"),
                self.forces(fext),
                slice_mut(out),
            ),
            (Routine::RneaDerivatives, &[.., Some(v), _, fext], [tau, dq, dv, da]) => {
                let rows = self.version.kernel.array(v).rows;
                let [tau, dq, dv, da] = [tau, dq, dv, da].map(slice_mut);
                writeln!(
                    text,
                    "rt::{name}(&TABLES, [{}], {GIVEN}, {}, \
                     rt::loops::rnea_derivatives::Results {{ tau: {tau}, dq: {dq}, dv: {dv}, da: {da}, \
                     leaves_zeros: true }});",
                    vectors(&format!("rt::zeros::<S, {rows}, 1>().as_slice()")),
                    self.forces(fext),
                )
            }
            (Routine::AbaDerivativesSolved, &[.., fext], [ddq, dq, dv, dtau]) => {
                let [ddq, dq, dv, dtau] = [ddq, dq, dv, dtau].map(slice_mut);
                writeln!(
                    text,
                    "rt::{name}(&TABLES, [{}], {GIVEN}, {}, rt::loops::aba_derivatives_solved::Results {{ \
                     ddq: {ddq}, dq: {dq}, dv: {dv}, dtau: {dtau} }});",
                    vectors("&[]"),
                    self.forces(fext),
                )
            }
            (Routine::AbaDerivatives, &[Some(q), Some(v), Some(tau), fext], &[ddq, dq, dv, dtau]) => {
                let Terms { by_q, by_v, knows_base, .. } = call.terms.as_deref().expect("it has products");
                let [q, v, tau] = [q, v, tau].map(|id| self.recast(id));
                let [ddq, dq, dv, dtau] = [ddq, dq, dv, dtau].map(|id| self.recast_mut(id));
                writeln!(
                    text,
                    "rt::{name}(&TABLES, &rt::loops::aba_derivatives::Terms {{ \
                     {}, by_q: {}, by_v: {}, knows_base: {knows_base} }}, \
                     ({q}, match self.angles.given() {{ \
                     rt::Some((sin, cos)) => rt::Some((recast.matrix(sin), recast.matrix(cos))), \
                     rt::None => rt::None }}), \
                     [{v}, {tau}], {}, \
                     rt::loops::aba_derivatives::Results {{ ddq: {ddq}, dq: {dq}, dv: {dv}, dtau: {dtau} }});",
                    terms(),
                    groups(by_q),
                    groups(by_v),
                    self.forces(fext),
                )
            }
            _ => unreachable!("{call:?} has other arrays than its routine"),
        };
    }
}
