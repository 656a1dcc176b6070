//! A kernel that can run: in machine code, or interpreted.

#[cfg(target_arch = "aarch64")]
use crate::aarch64 as native;
use crate::arrays::{Array, Arrays, Location};
use crate::interpret::Interpreted;
use crate::lower::{At, Lowered};
use crate::machine::Machine;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::pointers::Pointers;
use crate::sines::is_fused;
#[cfg(target_arch = "x86_64")]
use crate::x86_64 as native;
use crate::{Engine, Error, Number};
use rbd_ir::kernel::{Kernel, Role};

/// Kernels that run one after the other.
#[derive(Debug)]
pub struct Stages<T> {
    codes: Vec<Code<T>>,
    /// Length of each argument.
    inputs: Vec<usize>,
    /// Length of each result.
    outputs: Vec<usize>,
    /// Zeros that kernels read in place of a missing argument.
    zeros: Vec<T>,
    work: usize,
}

impl<T: Number> Stages<T> {
    /// Kernels of arguments and results of these lengths.
    ///
    /// # Panics
    /// If a kernel's array is longer.
    pub fn new(codes: Vec<Code<T>>, inputs: Vec<usize>, outputs: Vec<usize>) -> Self {
        let work = codes.iter().map(Code::work).max().unwrap_or(0);
        let mut zeros = 0;
        for Array { location, length } in codes.iter().flat_map(|code| &code.arrays) {
            match *location {
                Location::Input(k) if k == inputs.len() => zeros = zeros.max(*length),
                Location::Input(k) => assert!(*length <= inputs[k], "an argument is longer"),
                Location::Output(k) => assert!(*length <= outputs[k], "a result is longer"),
                Location::Work(_) => {}
            }
        }
        Self { codes, inputs, outputs, zeros: vec![T::zero(); zeros], work }
    }

    /// Runs them with memory of the kernels' own, if there are as many arguments and results, of these
    /// lengths, and enough memory. Returns whether there are.
    #[inline(always)]
    pub fn run_if_equal(&self, inputs: &[&[T]], outputs: &mut [&mut [T]], work: &mut [T]) -> bool {
        let fit = self.do_fit(|given, length| given == length, inputs, outputs, work);
        if fit {
            // SAFETY: the lengths are equal.
            unsafe { self.run_fitting(inputs, outputs, work) };
        }
        fit
    }

    /// Runs them on arrays that may be longer.
    ///
    /// # Panics
    /// If an array or the memory is shorter, or there are more or fewer arrays.
    #[inline(always)]
    pub fn run(&self, inputs: &[&[T]], outputs: &mut [&mut [T]], work: &mut [T]) {
        let fit = self.do_fit(|given, length| given >= length, inputs, outputs, work);
        assert!(fit, "the kernels' arrays are longer");
        // SAFETY: no array is shorter.
        unsafe { self.run_fitting(inputs, outputs, work) };
    }

    /// True if the number of arrays is right, their lengths pass `fits`, and the memory suffices.
    #[inline(always)]
    fn do_fit(
        &self,
        fits: impl Fn(usize, usize) -> bool,
        inputs: &[&[T]],
        outputs: &[&mut [T]],
        work: &[T],
    ) -> bool {
        inputs.len() == self.inputs.len()
            && inputs.iter().zip(&self.inputs).all(|(input, length)| fits(input.len(), *length))
            && outputs.len() == self.outputs.len()
            && outputs.iter().zip(&self.outputs).all(|(output, length)| fits(output.len(), *length))
            && work.len() >= self.work
    }

    /// # Safety
    /// There are as many arguments and results as [`Self::new`] was given lengths, and none is shorter. The
    /// memory has [`Self::work`] numbers.
    #[inline(always)]
    unsafe fn run_fitting(&self, inputs: &[&[T]], outputs: &mut [&mut [T]], work: &mut [T]) {
        let mut arrays = Arrays { arrays: &[], inputs, zeros: &self.zeros, outputs, work };
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        let mut pointers = Pointers::new();
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        pointers.set(&mut arrays);
        for code in &self.codes {
            arrays.arrays = &code.arrays;
            match &code.made {
                // SAFETY: the pointers are to these arrays, which nobody moved since. The arrays are the
                // kernel's, in its order. Arguments and results are as long as it declares, since they are no
                // shorter than these lengths (the caller), which are no shorter than its own (`new`, as are
                // the zeros); those of its own are within its memory, which is as long as it asks for (the
                // caller). Where it writes are neither arguments nor the same (`Code::new`). Different
                // arguments and results are different memory, since results are borrowed mutably; arrays of
                // its own are apart (`Lowered::new`).
                #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
                Made::Native(native) => unsafe { native.run(&pointers, &mut arrays) },
                Made::Interpreted(interpreted) => interpreted.run(&mut arrays),
            }
        }
    }

    /// Workspace size that the kernels need, in numbers.
    pub fn work(&self) -> usize {
        self.work
    }

    /// Number of bytes of machine code.
    pub fn bytes(&self) -> usize {
        let bytes = |code: &Code<T>| match &code.made {
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Made::Native(native) => native.bytes(),
            Made::Interpreted(_) => 0,
        };
        self.codes.iter().map(bytes).sum()
    }

    /// True if all kernels are machine code.
    pub fn is_native(&self) -> bool {
        !self.codes.iter().any(|code| matches!(code.made, Made::Interpreted(_)))
    }
}

/// A kernel that can run, and its arrays.
#[derive(Debug)]
pub struct Code<T> {
    made: Made<T>,
    arrays: Vec<Array>,
}

#[derive(Debug)]
enum Made<T> {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    Native(native::Native<T>),
    Interpreted(Box<Interpreted<T>>),
}

/// The instructions of an engine, if it is one of this architecture's.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn level(engine: Engine, is_double: bool) -> Option<native::Level> {
    match engine {
        #[cfg(target_arch = "x86_64")]
        Engine::Avx512 => Some(native::Level::Avx512),
        #[cfg(target_arch = "x86_64")]
        Engine::Avx2 => Some(native::Level::Avx2),
        #[cfg(target_arch = "aarch64")]
        Engine::Neon if is_double => Some(native::Level::Neon),
        _ => {
            // Only code of aarch64 is for doubles alone.
            let _ = is_double;
            None
        }
    }
}

/// True if this processor has the instructions of an engine.
pub fn is_there(engine: Engine) -> bool {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if let Some(level) = level(engine, true) {
        return level.is_there();
    }
    engine == Engine::Interpreter
}

impl<T: Number> Code<T> {
    /// The code of a sound kernel without calls, for one state or as many side by side as the engine has.
    /// `location` says where an array is that is not the kernel's own.
    pub fn new(
        kernel: &Kernel,
        machine: &Machine,
        states: usize,
        location: impl Fn(usize) -> Location,
    ) -> Result<Self, Error> {
        let lowered = Lowered::new(kernel, states, T::IS_DOUBLE);
        let at = |(k, at): (usize, &At)| match at {
            At::Work(begin) => Location::Work(*begin as usize * states),
            At::Pointer => location(k),
        };
        let locations = lowered.arrays.iter().enumerate().map(at);
        let arrays = locations.zip(&lowered.lengths);
        let arrays: Vec<Array> =
            arrays.map(|(location, length)| Array { location, length: length * states }).collect();
        // `Stages::run` relies on it: no array that is written is an argument, and no two share memory.
        for (k, decl) in kernel.arrays.iter().enumerate().filter(|(_, decl)| decl.role != Role::In) {
            assert!(!matches!(arrays[k].location, Location::Input(_)), "{} is written", decl.name);
            let is_same =
                |(other, a): (usize, &Array)| other != k && a.location == arrays[k].location && a.length > 0;
            let is_shared = arrays[k].length > 0 && arrays.iter().enumerate().any(is_same);
            assert!(!is_shared, "{} is another array as well", decl.name);
        }
        Ok(Self { made: Made::new(lowered, machine, states, &arrays)?, arrays })
    }

    fn work(&self) -> usize {
        match &self.made {
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Made::Native(native) => native.work(),
            Made::Interpreted(interpreted) => interpreted.work(),
        }
    }
}

impl<T: Number> Made<T> {
    fn new(lowered: Lowered, machine: &Machine, states: usize, arrays: &[Array]) -> Result<Self, Error> {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(level) = level(machine.engine(), T::IS_DOUBLE) {
            match native::Native::new(&lowered, level, machine.memory(), states, arrays) {
                Ok(native) => return Ok(Self::Native(native)),
                Err(native::Error::Memory(error)) => return Err(Error::Memory(error)),
                // A batch goes state by state then.
                Err(_) if states > 1 => return Err(Error::TooManyArrays),
                Err(_) => {}
            }
        }
        let _ = (machine, states, arrays);
        Ok(Self::Interpreted(Box::new(Interpreted::new(lowered, is_fused()))))
    }
}
