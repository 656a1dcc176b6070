//! Packed second derivatives of inverse dynamics: without what is zero in every state, for those who contract them.
//!
//! A robot with `rnea_second_derivatives` has `rnea_second_derivatives_packed_into`, which fills an array of its
//! `PACKED_SECOND_DERIVATIVES` numbers, and `packed_entries`, which says which is which: an iterator of [`Entries`], one for each
//! tensor and ordered pair of variables that are on one path of the tree, in an order that is the same for every state.
//!
//! ```no_run
//! use rbd_runtime::loops::second::{packed_entries, packed_len, rnea_second_derivatives_packed, Given};
//! # use rbd_runtime::{loops::of_model::Owned, random::{random_model, random_state, Options}, second::Tensor};
//! # let model = random_model(1, &Options { bodies: 7, ..Options::default() });
//! # let (owned, state) = (Owned::from_model(&model).unwrap(), random_state(&model, 1));
//! # let tables = owned.tables::<16>().unwrap();
//! # let (q, v, a) = (state.q.as_slice(), state.v.as_slice(), state.a.as_slice());
//! let mut packed = vec![0.0; packed_len::<16>(&tables.topology)];
//! let given = Given { q, v, a, mu: &[], fext: &[], turned: None };
//! rnea_second_derivatives_packed(&tables, given, &mut packed);
//! // The Hessian by q and v of a weighted sum of torques.
//! let (mu, mut dqdv) = ([1.0; 7], [[0.0; 7]; 7]);
//! for entries in packed_entries::<f64, 16>(&tables.topology, &packed) {
//!     if entries.tensor == Tensor::Qv {
//!         dqdv[entries.first][entries.second] += entries.rows().map(|(i, x)| mu[i] * x).sum::<f64>();
//!     }
//! }
//! ```

pub use crate::loops::second::{Entries, PackedEntries, Tensor};
