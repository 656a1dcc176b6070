//! Compiled robots behind one interface with sizes known at run time only.

use nalgebra::{DMatrix, SMatrix, SVector};
use rbd_build::Function;
use rbd_runtime::random::State;
use rbd_runtime::{Model, Scalar};

/// What every function takes.
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
    /// The same in another scalar.
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

/// What a function gives, by name.
pub type Outputs<T> = Vec<(&'static str, DMatrix<T>)>;

/// A matrix of a size known at compile time as one of any size.
pub fn dense<T: Scalar, const R: usize, const C: usize>(m: &SMatrix<T, R, C>) -> DMatrix<T> {
    DMatrix::from_column_slice(R, C, m.as_slice())
}

/// A vector of a size known at compile time.
pub fn fixed<T: Scalar, const N: usize>(x: &[T]) -> SVector<T, N> {
    SVector::from_column_slice(x)
}

/// Which of a type's ways to a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `X::rnea(..)`.
    Inherent,
    /// `X::crba_into(..)` into memory that held other numbers; functions without such a form as [`Way::Inherent`].
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
    /// What messages call it.
    pub name: &'static str,
    /// The names of its functions.
    pub functions: &'static [&'static str],
    /// `X::model`.
    pub model: fn() -> Model<f64>,
    /// `X::JOINTS`.
    pub joints: fn() -> &'static [rbd_runtime::Joint],
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

    /// Whether it has this function.
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

/// `Compiled` for a generated type that has these functions.
#[macro_export]
macro_rules! compiled {
    ($type:ident) => {
        $crate::compiled!($type: rnea rnea_fext bias gravity aba aba_fext crba minv rnea_derivatives
            rnea_derivatives_fext aba_derivatives aba_derivatives_fext);
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
            fn run<T: ::rbd_runtime::Scalar>(
                function: &str, way: $crate::Way, x: &$crate::Inputs<T>,
            ) -> $crate::Outputs<T> {
                // Not every function has an `_into` form.
                let _ = way;
                $(if function == stringify!($function) {
                    return $crate::call!($type, $function, way, x);
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

/// One call of one function.
#[doc(hidden)]
#[macro_export]
macro_rules! call {
    (@forces $x:ident) => {
        &std::array::from_fn(|i| $x.fext[i])
    };
    (@vector $name:literal, $value:expr) => {
        vec![($name, $crate::dense(&$value))]
    };
    (@matrix $name:literal, $type:ident, $by_value:ident, $into:ident, $way:ident, $($argument:expr),*) => {{
        let mut m = nalgebra::SMatrix::repeat(T::from_f64(f64::NAN));
        if $way == $crate::Way::Into {
            $type::$into($($argument,)* &mut m);
        } else {
            m = $type::$by_value($($argument),*);
        }
        vec![($name, $crate::dense(&m))]
    }};
    (@derivatives $result:ident { $($field:ident)* },
        $type:ident, $by_value:ident, $into:ident, $way:ident, $($argument:expr),*) => {{
        let nan = T::from_f64(f64::NAN);
        let d = if $way == $crate::Way::Into {
            let mut d = rbd_runtime::$result::<T, { $type::NV }>::zeros();
            $(d.$field.fill(nan);)*
            $type::$into($($argument,)* &mut d);
            d
        } else {
            $type::$by_value($($argument),*)
        };
        vec![$((stringify!($field), $crate::dense(&d.$field))),*]
    }};
    ($t:ident, rnea, $way:ident, $x:ident) => {
        $crate::call!(@vector "tau", $t::rnea(&$crate::fixed(&$x.q), &$crate::fixed(&$x.v), &$crate::fixed(&$x.a)))
    };
    ($t:ident, rnea_fext, $way:ident, $x:ident) => {
        $crate::call!(@vector "tau", $t::rnea_fext(
            &$crate::fixed(&$x.q), &$crate::fixed(&$x.v), &$crate::fixed(&$x.a), $crate::call!(@forces $x)))
    };
    ($t:ident, bias, $way:ident, $x:ident) => {
        $crate::call!(@vector "tau", $t::bias(&$crate::fixed(&$x.q), &$crate::fixed(&$x.v)))
    };
    ($t:ident, gravity, $way:ident, $x:ident) => {
        $crate::call!(@vector "tau", $t::gravity(&$crate::fixed(&$x.q)))
    };
    ($t:ident, aba, $way:ident, $x:ident) => {
        $crate::call!(@vector "ddq", $t::aba(&$crate::fixed(&$x.q), &$crate::fixed(&$x.v), &$crate::fixed(&$x.tau)))
    };
    ($t:ident, aba_fext, $way:ident, $x:ident) => {
        $crate::call!(@vector "ddq", $t::aba_fext(
            &$crate::fixed(&$x.q), &$crate::fixed(&$x.v), &$crate::fixed(&$x.tau), $crate::call!(@forces $x)))
    };
    ($t:ident, crba, $way:ident, $x:ident) => {
        $crate::call!(@matrix "m", $t, crba, crba_into, $way, &$crate::fixed(&$x.q))
    };
    ($t:ident, minv, $way:ident, $x:ident) => {
        $crate::call!(@matrix "minv", $t, minv, minv_into, $way, &$crate::fixed(&$x.q))
    };
    ($t:ident, rnea_derivatives, $way:ident, $x:ident) => {
        $crate::call!(@derivatives RneaDerivatives { tau dtau_dq dtau_dv dtau_da },
            $t, rnea_derivatives, rnea_derivatives_into, $way,
            &$crate::fixed(&$x.q), &$crate::fixed(&$x.v), &$crate::fixed(&$x.a))
    };
    ($t:ident, rnea_derivatives_fext, $way:ident, $x:ident) => {
        $crate::call!(@derivatives RneaDerivatives { tau dtau_dq dtau_dv dtau_da },
            $t, rnea_derivatives_fext, rnea_derivatives_fext_into, $way,
            &$crate::fixed(&$x.q), &$crate::fixed(&$x.v), &$crate::fixed(&$x.a), $crate::call!(@forces $x))
    };
    ($t:ident, aba_derivatives, $way:ident, $x:ident) => {
        $crate::call!(@derivatives AbaDerivatives { ddq ddq_dq ddq_dv ddq_dtau },
            $t, aba_derivatives, aba_derivatives_into, $way,
            &$crate::fixed(&$x.q), &$crate::fixed(&$x.v), &$crate::fixed(&$x.tau))
    };
    ($t:ident, aba_derivatives_fext, $way:ident, $x:ident) => {
        $crate::call!(@derivatives AbaDerivatives { ddq ddq_dq ddq_dv ddq_dtau },
            $t, aba_derivatives_fext, aba_derivatives_fext_into, $way,
            &$crate::fixed(&$x.q), &$crate::fixed(&$x.v), &$crate::fixed(&$x.tau), $crate::call!(@forces $x))
    };
}
