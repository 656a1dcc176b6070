//! Rust types of parameters and results.

use crate::signatures::signature::{Dim, Dims, Kind, Output, Param, Sizes};
use crate::table::functions::{ContactSpec, Spec};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// A number without a suffix.
pub fn number(n: usize) -> Literal {
    Literal::usize_unsuffixed(n)
}

/// An identifier.
pub fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// Sizes of a robot, as numbers or as names of type parameters.
#[derive(Clone, Debug)]
pub struct Names {
    /// Configuration coordinates.
    pub nq: TokenStream,
    /// Velocity coordinates.
    pub nv: TokenStream,
    /// Moving bodies.
    nb: TokenStream,
    /// Inertias at run time.
    np: TokenStream,
    /// Contacts and closed loops.
    pub nc: TokenStream,
    /// Rows of all contacts.
    pub nr: TokenStream,
    /// Entries of the mass matrix's factor below the diagonal.
    nf: TokenStream,
}

impl From<Sizes> for Names {
    fn from(sizes: Sizes) -> Self {
        let Sizes { nq, nv, nb, np, nc, nr, nf } = sizes;
        let [nq, nv, nb, np, nc, nr, nf] = [nq, nv, nb, np, nc, nr, nf].map(number).map(|n| quote!(#n));
        Self { nq, nv, nb, np, nc, nr, nf }
    }
}

impl Names {
    /// Names of type parameters such as `NQ` and `NV`, for code that is generic over robots.
    pub fn generic() -> Self {
        let [nq, nv, np, nc, nr, nf] = ["NQ", "NV", "NP", "NC", "NR", "NF"].map(ident).map(|n| quote!(#n));
        Self { nq, nv, nb: quote!({ Self::NB }), np, nc, nr, nf }
    }

    fn dim(&self, dim: Dim) -> TokenStream {
        match dim {
            Dim::Nq => self.nq.clone(),
            Dim::Nv => self.nv.clone(),
            // Generic code has no result with a size for each body: such functions belong to no trait.
            Dim::Nb => self.nb.clone(),
            Dim::Np => self.np.clone(),
            Dim::Nc => self.nc.clone(),
            Dim::Nr => self.nr.clone(),
            Dim::Nf => self.nf.clone(),
            Dim::Fixed(n) => {
                let n = number(n);
                quote!(#n)
            }
        }
    }

    /// Type of a shape.
    pub fn shape(&self, shape: Dims) -> TokenStream {
        let n = |dim| self.dim(dim);
        match shape {
            Dims::Scalar => quote!(T),
            Dims::Vector(rows) => {
                let rows = n(rows);
                quote!(rt::SVector<T, #rows>)
            }
            Dims::Matrix(rows, columns) => {
                let (rows, columns) = (n(rows), n(columns));
                quote!(rt::SMatrix<T, #rows, #columns>)
            }
            Dims::Tensor(rows, columns, slices) => {
                let (rows, columns, slices) = (n(rows), n(columns), n(slices));
                quote!([rt::SMatrix<T, #rows, #columns>; #slices])
            }
            Dims::Placement => quote!(rt::Placement<T>),
            Dims::Placements(slices) => {
                let slices = n(slices);
                quote!([rt::Placement<T>; #slices])
            }
        }
    }

    /// Type of a function's result.
    pub fn returned(&self, spec: &Spec) -> TokenStream {
        self.result(spec.result, spec.outputs, &quote!(rt))
    }

    /// Type of a result of a function of contacts.
    pub fn returned_of_contacts(&self, spec: &ContactSpec) -> TokenStream {
        self.result(spec.result, spec.outputs, &quote!(rt::contact))
    }

    /// A result struct of `module`, or the type of the only output.
    fn result(&self, result: Option<&str>, outputs: &[Output], module: &TokenStream) -> TokenStream {
        match result.map(ident) {
            Some(result) => {
                let sizes = result_sizes(outputs).into_iter().map(|dim| self.dim(dim));
                quote!(#module::#result<T #(, #sizes)*>)
            }
            None => self.shape(outputs[0].shape),
        }
    }
}

/// Sizes on which the type of a function's result depends, in the order of its parameters.
pub fn result_sizes(outputs: &[Output]) -> Vec<Dim> {
    let dims = |output: &Output| match output.shape {
        Dims::Scalar | Dims::Placement => vec![],
        Dims::Vector(rows) => vec![rows],
        Dims::Matrix(rows, columns) => vec![rows, columns],
        Dims::Tensor(rows, columns, slices) => vec![rows, columns, slices],
        Dims::Placements(slices) => vec![slices],
    };
    let used: Vec<Dim> = outputs.iter().flat_map(dims).collect();
    [Dim::Nq, Dim::Nv, Dim::Nb, Dim::Np, Dim::Nc, Dim::Nr, Dim::Nf]
        .into_iter()
        .filter(|dim| used.contains(dim))
        .collect()
}

/// Types without the spaces that token streams print.
pub fn spelled(types: &str) -> String {
    let spaces =
        [(" :: ", "::"), (" < ", "<"), (" > ", "> "), (" >", ">"), (" , ", ", "), (" ,", ","), (" ; ", "; ")];
    spaces.iter().fold(types.to_owned(), |text, (from, to)| text.replace(from, to)).replace("> ;", ">;")
}

/// Type of an argument of a kernel, behind its reference.
pub fn param(param: Param, sizes: Sizes) -> TokenStream {
    match param.kind {
        // A vector for each body, so that users index bodies.
        Kind::Forces => {
            let nb = number(sizes.nb);
            quote!([rt::SVector<T, 6>; #nb])
        }
        // Arrays, since the user names the type and need not depend on nalgebra.
        Kind::Inertias | Kind::Gravity => {
            let (rows, columns) = param.kind.shape().extent(sizes);
            let (rows, columns) = (number(rows), number(columns));
            quote!([[T; #rows]; #columns])
        }
        kind => Names::from(sizes).shape(kind.shape()),
    }
}
