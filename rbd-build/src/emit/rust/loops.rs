//! Calls of the runtime's loops.

use super::body::Body;
use crate::calls::Call;
use crate::kernel::{ArrayDecl, ArrayId, Kernel, Role, Stmt};
use crate::products::{ColumnGroup, RowBlock};
use proc_macro2::TokenStream;
use quote::quote;
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

/// Runs a kernel that was made of these arguments. One that is nothing but loops leaves it to these to ask the processor: they may
/// have wider registers than straight lines are to have.
pub(super) fn run(kernel: &Kernel, arguments: TokenStream) -> TokenStream {
    if is_wide(kernel) {
        quote!(rt::Kernel::run::<T>(#arguments, rt::Recast::identity());)
    } else {
        quote!(T::dispatch(#arguments);)
    }
}

/// Whether a kernel is nothing but loops.
fn is_wide(kernel: &Kernel) -> bool {
    !kernel.body.is_empty() && kernel.body.iter().all(|stmt| matches!(stmt, Stmt::Product(_) | Stmt::Call(_)))
}

/// Whether a kernel has loops.
pub(super) fn has_any(kernel: &Kernel) -> bool {
    kernel.body.iter().any(|stmt| matches!(stmt, Stmt::Product(_) | Stmt::Call(_)))
}

/// Sines and cosines of the configuration, if the caller has them.
const GIVEN: &str = "match self.angles.given() { \
    rt::Some((sin, cos)) => rt::Some([recast.matrix(sin).as_slice(), recast.matrix(cos).as_slice()]), \
    rt::None => rt::None }";

impl Body<'_> {
    /// Memory of the kernel's own that only loops write.
    pub(super) fn memory_of_loops(&self, text: &mut String, is_stored: impl Fn(ArrayId) -> bool) {
        for (id, ArrayDecl { name, rows, columns, role }) in self.version.kernel.declared() {
            if *role == Role::Scratch && !is_stored(id) {
                let _ = writeln!(text, "let mut {name} = rt::zeros::<S, {rows}, {columns}>();");
            }
        }
    }

    /// What runs a kernel of the runtime: where there is nothing but such, the processor is yet to be asked.
    pub(super) fn runs(&self) -> &'static str {
        if is_wide(&self.version.kernel) { "dispatch" } else { "nested" }
    }

    /// External forces, or that there are none.
    fn forces(&self, fext: Option<ArrayId>) -> String {
        let some = |id| format!("rt::Some(&recast.matrices({})[..])", self.place_of(id));
        fext.map_or_else(|| "rt::None".to_owned(), some)
    }

    /// A call of loops.
    pub(super) fn loops(&self, text: &mut String, call: &Call) {
        let _ = match call {
            Call::Inverse { m, g, out, panels } => writeln!(
                text,
                "S::{}(rt::SymmetricInverse {{ m: {}, g: {}, out: {}, factor: {}, invert: {}, gram: {} }});",
                self.runs(),
                self.recast(*m),
                self.recast_mut(*g),
                self.recast_mut(*out),
                groups(&panels.factor),
                groups(&panels.invert),
                groups(&panels.gram),
            ),
            Call::MassMatrix { q, out, n, .. } => writeln!(
                text,
                "rt::loops::crba::crba(&TABLES, ({}).as_slice(), {GIVEN}, {n}, ({}).as_mut_slice());",
                self.recast(*q),
                self.recast_mut(*out),
            ),
            Call::Torques { q, v, a, fext, out, .. } => {
                let slice = |id: ArrayId| format!("({}).as_slice()", self.recast(id));
                let [v, a] = [v, a].map(|id| id.map_or("&[]".to_owned(), slice));
                writeln!(
                    text,
                    "rt::loops::rnea::rnea(&TABLES, [{}, {v}, {a}], {GIVEN}, {}, ({}).as_mut_slice());",
                    slice(*q),
                    self.forces(*fext),
                    self.recast_mut(*out),
                )
            }
            Call::Accelerations { q, v, tau, fext, out, .. } => {
                let [q, v, tau] = [q, v, tau].map(|id| format!("({}).as_slice()", self.recast(*id)));
                writeln!(
                    text,
                    "rt::loops::aba::aba(&TABLES, [{q}, {v}, {tau}], {GIVEN}, {}, ({}).as_mut_slice());",
                    self.forces(*fext),
                    self.recast_mut(*out),
                )
            }
            Call::ForwardDerivatives { terms, q, v, tau, fext, out, .. } => {
                let [q, v, tau] = [q, v, tau].map(|id| self.recast(*id));
                writeln!(
                    text,
                    "rt::loops::aba_derivatives::aba_derivatives(&TABLES, &rt::loops::aba_derivatives::Terms {{ \
                     factor: {}, invert: {}, gram: {}, by_q: {}, by_v: {}, knows_base: {} }}, \
                     ({q}, match self.angles.given() {{ \
                     rt::Some((sin, cos)) => rt::Some((recast.matrix(sin), recast.matrix(cos))), \
                     rt::None => rt::None }}), \
                     [{v}, {tau}], {}, rt::loops::aba_derivatives::Results {{ ddq: {}, dq: {}, dv: {}, dtau: {} }});",
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
                    "rt::loops::rnea_derivatives::rnea_derivatives_of_slices(&TABLES, [{}, {}, {a}], {GIVEN}, {fext}, \
                     rt::loops::rnea_derivatives::Results {{ tau: {tau}, dq: {dq}, dv: {dv}, da: {da} }});",
                    slice(*q),
                    slice(*v),
                )
            }
        };
    }
}
