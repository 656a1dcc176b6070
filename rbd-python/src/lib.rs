//! Python's module `rbd._core`: robots that `rbd-jit` makes machine code for, and their functions on numpy
//! arrays. `python/rbd` is what users import.

mod array;
mod call;
mod contact_hessian;
mod contacts;
mod friction;
mod function;
mod layout;
mod load;
mod manifold;
mod parameters;
mod real;
mod robot;
mod rollouts;
mod rows;
mod states;
mod steps;
mod table;
mod triangle;
mod xla;

use pyo3::prelude::*;

/// The parts of `rbd` that are compiled.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::function::Function;
    #[pymodule_export]
    use crate::load::{function_names, load, option_names, result_fields};
    #[pymodule_export]
    use crate::robot::Robot;
    #[pymodule_export]
    use crate::triangle::fold;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("_xla_handler", crate::xla::address())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
