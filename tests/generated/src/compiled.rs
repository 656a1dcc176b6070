//! Compiled robots behind one interface with sizes known at run time only.

use nalgebra::{DMatrix, SMatrix, SVector};
use rbd_build::Function;
use rbd_runtime::random::State;
use rbd_runtime::{Model, Scalar, Structure};

/// Inputs of every function.
#[derive(Clone, Debug)]
pub struct Inputs<T> {
    /// Configuration.
    pub q: Vec<T>,
    /// Velocity.
    pub v: Vec<T>,
    /// Acceleration.
    pub a: Vec<T>,
    /// Torques.
    pub tau: Vec<T>,
    /// Forces on the bodies.
    pub fext: Vec<SVector<T, 6>>,
}

impl Inputs<f64> {
    /// The inputs in another scalar.
    pub fn cast<T: Scalar>(&self) -> Inputs<T> {
        let cast = |x: &[f64]| x.iter().map(|x| T::from_f64(*x)).collect();
        Inputs {
            q: cast(&self.q),
            v: cast(&self.v),
            a: cast(&self.a),
            tau: cast(&self.tau),
            fext: self.fext.iter().map(|f| f.map(T::from_f64)).collect(),
        }
    }
}

impl From<&State> for Inputs<f64> {
    fn from(s: &State) -> Self {
        let list = |x: &nalgebra::DVector<f64>| x.as_slice().to_vec();
        Self { q: list(&s.q), v: list(&s.v), a: list(&s.a), tau: list(&s.tau), fext: s.fext.clone() }
    }
}

/// Outputs of a function, by name.
pub type Outputs<T> = Vec<(&'static str, DMatrix<T>)>;

/// Numbers in columns, of a size known at compile time or none at all, as a matrix of any size.
pub trait Dense<T> {
    /// The numbers as a matrix, with the matrices of a tensor side by side.
    fn dense(&self) -> DMatrix<T>;
    /// Puts this number in place of each that is not zero.
    fn fill_with(&mut self, x: T);
}

impl<T: Scalar> Dense<T> for T {
    fn dense(&self) -> DMatrix<T> {
        DMatrix::from_element(1, 1, *self)
    }
    fn fill_with(&mut self, x: T) {
        *self = x;
    }
}

impl<T: Scalar, const R: usize, const C: usize> Dense<T> for SMatrix<T, R, C> {
    fn dense(&self) -> DMatrix<T> {
        DMatrix::from_column_slice(R, C, self.as_slice())
    }
    fn fill_with(&mut self, x: T) {
        self.iter_mut().filter(|entry| !entry.is_zero()).for_each(|entry| *entry = x);
    }
}

impl<T: Scalar, const R: usize, const C: usize, const N: usize> Dense<T> for [SMatrix<T, R, C>; N] {
    fn dense(&self) -> DMatrix<T> {
        let columns: Vec<T> = self.iter().flat_map(|m| m.as_slice()).copied().collect();
        DMatrix::from_column_slice(R, C * N, &columns)
    }
    fn fill_with(&mut self, x: T) {
        self.iter_mut().for_each(|m| Dense::fill_with(m, x));
    }
}

/// A matrix of a size known at compile time as one of any size.
pub fn dense<T: Scalar, D: Dense<T>>(m: &D) -> DMatrix<T> {
    m.dense()
}

/// A vector of a size known at compile time.
pub fn fixed<T: Scalar, const N: usize>(x: &[T]) -> SVector<T, N> {
    SVector::from_column_slice(x)
}

/// Variant of a type's function to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `X::rnea(..)`.
    Inherent,
    /// `X::crba_into(..)` into memory that held other numbers where the result is not zero. Functions
    /// without such a variant as [`Way::Inherent`].
    Into,
}

/// A generated type. Implemented by [`compiled!`](crate::compiled).
pub trait Compiled {
    /// The functions that it was generated with.
    const FUNCTIONS: &'static [&'static str];
    /// `X::model`.
    fn model() -> Model<f64>;
    /// `X::JOINTS`.
    fn joints() -> &'static [rbd_runtime::Joint];
    /// `X::structure`.
    fn structure(function: &str, output: &str) -> Option<Structure<'static>>;
    /// Any function by name.
    fn run<T: Scalar>(function: &str, way: Way, x: &Inputs<T>) -> Outputs<T>;
    /// `X::neutral`.
    fn neutral<T: Scalar>() -> Vec<T>;
    /// `X::integrate`.
    fn integrate<T: Scalar>(q: &[T], dv: &[T]) -> Vec<T>;
    /// `X::difference`.
    fn difference<T: Scalar>(q0: &[T], q1: &[T]) -> Vec<T>;
}

type Unary<T> = fn(&[T], &[T]) -> Vec<T>;

/// A generated type as data, for one scalar.
#[derive(Clone, Copy)]
pub struct Subject<T> {
    /// Name in messages.
    pub name: &'static str,
    /// The names of its functions.
    pub functions: &'static [&'static str],
    /// `X::model`.
    pub model: fn() -> Model<f64>,
    /// `X::JOINTS`.
    pub joints: fn() -> &'static [rbd_runtime::Joint],
    /// `X::structure`.
    pub structure: fn(&str, &str) -> Option<Structure<'static>>,
    run: fn(&str, Way, &Inputs<T>) -> Outputs<T>,
    /// `X::neutral`.
    pub neutral: fn() -> Vec<T>,
    /// `X::integrate`.
    pub integrate: Unary<T>,
    /// `X::difference`.
    pub difference: Unary<T>,
}

impl<T: Scalar> Subject<T> {
    /// The type `X`.
    pub const fn of<X: Compiled>(name: &'static str) -> Self {
        Self {
            name,
            functions: X::FUNCTIONS,
            model: X::model,
            joints: X::joints,
            structure: X::structure,
            run: X::run::<T>,
            neutral: X::neutral::<T>,
            integrate: X::integrate::<T>,
            difference: X::difference::<T>,
        }
    }

    /// Its functions.
    pub fn functions(&self) -> impl Iterator<Item = Function> + '_ {
        self.functions.iter().map(|f| Function::from_name(f).expect("a known function"))
    }

    /// Returns whether the type has this function.
    pub fn has(&self, function: Function) -> bool {
        self.functions.contains(&function.name())
    }

    /// Calls a function.
    pub fn run(&self, function: Function, x: &Inputs<T>) -> Outputs<T> {
        (self.run)(function.name(), Way::Inherent, x)
    }

    /// Calls a function's `_into` form.
    pub fn run_into(&self, function: Function, x: &Inputs<T>) -> Outputs<T> {
        (self.run)(function.name(), Way::Into, x)
    }

    /// The only output, or the one of this name.
    pub fn get(&self, function: Function, output: &str, x: &Inputs<T>) -> DMatrix<T> {
        let outputs = self.run(function, x);
        outputs.into_iter().find(|(name, _)| *name == output).expect("an output of this name").1
    }
}

/// Implements `Compiled` for a generated type with these functions; by default all.
#[macro_export]
macro_rules! compiled {
    ($type:ident) => {
        ::rbd_runtime::dynamics_functions!([$crate::compiled] $type:);
    };
    ($type:ident: $($function:ident)*) => {
        impl $crate::Compiled for $type {
            const FUNCTIONS: &'static [&'static str] = &[$(stringify!($function)),*];
            fn model() -> ::rbd_runtime::Model<f64> {
                $type::model()
            }
            fn joints() -> &'static [::rbd_runtime::Joint] {
                const JOINTS: &[::rbd_runtime::Joint] = &$type::JOINTS;
                JOINTS
            }
            fn structure(function: &str, output: &str) -> Option<::rbd_runtime::Structure<'static>> {
                $type::structure(function, output)
            }
            fn run<T: ::rbd_runtime::Scalar>(
                function: &str, way: $crate::Way, x: &$crate::Inputs<T>,
            ) -> $crate::Outputs<T> {
                // Not every function has an `_into` form.
                let _ = way;
                $(if function == stringify!($function) {
                    return ::rbd_runtime::function_row!($function [$crate::call] $type, way, x,
                        &$crate::fixed::<T, { $type::NQ }>(&x.q));
                })*
                panic!("there is no {function}")
            }
            fn neutral<T: ::rbd_runtime::Scalar>() -> Vec<T> {
                $type::neutral().as_slice().to_vec()
            }
            fn integrate<T: ::rbd_runtime::Scalar>(q: &[T], dv: &[T]) -> Vec<T> {
                $type::integrate(&$crate::fixed(q), &$crate::fixed(dv)).as_slice().to_vec()
            }
            fn difference<T: ::rbd_runtime::Scalar>(q0: &[T], q1: &[T]) -> Vec<T> {
                $type::difference(&$crate::fixed(q0), &$crate::fixed(q1)).as_slice().to_vec()
            }
        }
    };
}

/// A call of one function, by its row in the table, for this type, variant, inputs and
/// configuration.
#[doc(hidden)]
#[macro_export]
macro_rules! call {
    (@argument q $x:ident $q:expr) => { $q };
    (@argument fext $x:ident $q:expr) => { &std::array::from_fn(|i| $x.fext[i]) };
    (@argument $name:ident $x:ident $q:expr) => { &$crate::fixed(&$x.$name) };
    // A small result has one form.
    ([$f:ident $into:ident ($($p:ident)*) scalar ($name:ident)] $type:ident, $way:ident, $x:ident, $q:expr) => {
        vec![(stringify!($name), $crate::dense(&$type::$f($($crate::call!(@argument $p $x $q)),*)))]
    };
    ([$f:ident $into:ident ($($p:ident)*) vector ($name:ident)] $type:ident, $way:ident, $x:ident, $q:expr) => {
        vec![(stringify!($name), $crate::dense(&$type::$f($($crate::call!(@argument $p $x $q)),*)))]
    };
    ([$f:ident $into:ident ($($p:ident)*) matrix ($name:ident)] $type:ident, $way:ident, $x:ident, $q:expr) => {{
        let mut m = $type::$f($($crate::call!(@argument $p $x $q)),*);
        if $way == $crate::Way::Into {
            $crate::Dense::fill_with(&mut m, ::rbd_runtime::Scalar::from_f64(f64::NAN));
            $type::$into($($crate::call!(@argument $p $x $q),)* &mut m);
        }
        vec![(stringify!($name), $crate::dense(&m))]
    }};
    ([$f:ident $into:ident ($($p:ident)*) $result:ident ($($name:ident)*)] $type:ident, $way:ident, $x:ident, $q:expr) => {{
        let d = if $way == $crate::Way::Into {
            let mut d = $type::$f($($crate::call!(@argument $p $x $q)),*);
            $($crate::Dense::fill_with(&mut d.$name, ::rbd_runtime::Scalar::from_f64(f64::NAN));)*
            $type::$into($($crate::call!(@argument $p $x $q),)* &mut d);
            d
        } else {
            $type::$f($($crate::call!(@argument $p $x $q)),*)
        };
        vec![$((stringify!($name), $crate::dense(&d.$name))),*]
    }};
}
