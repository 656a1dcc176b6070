//! Kernels that functions are made of, traced or read from a cache on disk. No machine code is kept.

use rbd_build::contact_rows::{CONTACT_ROWS, RowsSpec};
use rbd_build::kernel::bytes::{Known, Reader, Writer};
use rbd_build::kernel::{ArrayId, Kernel};
use rbd_build::plan::{Plan, Row, Stage, Version, Wire, verify_kernels_with};
use rbd_build::second_order::{LAMBDA, MU};
use rbd_build::signature::{A, FEXT, GRAVITY, INERTIA, Output, Param, Q, Sizes, TAU_GIVEN, V};
use rbd_build::{Function as Id, Generated, Kept, RowsPlan, interned};
use rbd_runtime::Model;
use rbd_runtime::loops::of_model::Owned;
use std::sync::Arc;

/// Kind of cache entries: their content, and the version of their format.
pub const KIND: &str = "kernels for run time, form 2";

/// The parameters that kernels read, by their numbers in files.
const PARAMS: [Param; 9] = [Q, V, A, TAU_GIVEN, FEXT, INERTIA, GRAVITY, MU, LAMBDA];

/// A kernel with its arrays in place.
#[derive(Clone, Debug)]
pub struct Wired {
    /// Kernel.
    pub kernel: Kernel,
    /// Location of each array.
    pub wires: Vec<Wire>,
}

/// The kernels of a function.
#[derive(Clone, Debug)]
pub struct Source {
    /// Kernels for every scalar, one after the other.
    pub scalar: Vec<Arc<Wired>>,
    /// Kernels for one state where registers have room for limbs side by side, if that pays.
    pub limbs: Option<Vec<Arc<Wired>>>,
    /// Kernels of the functions of whose results this one is made.
    pub parts: Vec<Self>,
}

/// A kernel of the rows of all contacts.
#[derive(Clone, Debug)]
pub struct RowsSource {
    /// Row of the kernel in the table, by its number.
    pub number: usize,
    /// Numbers of the factors of the mass matrix.
    pub nf: usize,
    /// Kernel of the only stage.
    pub source: Source,
}

/// The kernels of a robot's functions, of its fused functions and of its contacts.
#[derive(Clone, Debug)]
pub struct Sources {
    /// Kernels of functions, in the order of [`Kept::functions`].
    pub functions: Vec<Source>,
    /// Kernels of fused functions, in the order of [`Kept::fused`].
    pub fused: Vec<Source>,
    /// Kernels of the contacts' rows.
    pub rows: Vec<RowsSource>,
}

impl RowsSource {
    fn of(plan: &RowsPlan) -> Self {
        let stages = std::slice::from_ref(&plan.stage);
        Self { number: plan.number, nf: plan.sizes.nf, source: Source::of_stages(stages) }
    }

    /// The row of the table.
    pub fn spec(&self) -> &'static RowsSpec {
        &CONTACT_ROWS[self.number]
    }

    fn write(&self, to: &mut Writer) {
        to.number(self.number);
        to.number(self.nf);
        self.source.write(&arrays(self.spec()), &[], to);
    }

    fn read(sizes: Sizes, from: &mut Reader<'_>, known: Known<'_>) -> Option<Self> {
        let (number, nf) = (from.number()?, from.number()?);
        let spec = CONTACT_ROWS.get(number)?;
        let arrays = arrays(spec);
        let source = Source::read(&arrays, &[], from, known)?;
        let sizes = Sizes { nf, ..sizes };
        source.verify_with(spec.reads, &arrays, sizes).is_ok().then_some(Self { number, nf, source })
    }
}

/// Results that a kernel of rows reads, and those that it gives.
pub fn arrays(spec: &RowsSpec) -> Vec<Output> {
    spec.arrays().copied().collect()
}

impl Wired {
    fn of(version: &Version) -> Arc<Self> {
        Arc::new(Self { kernel: version.kernel.clone(), wires: version.wires.clone() })
    }

    /// Location of an array.
    pub fn wire(&self, array: ArrayId) -> Wire {
        self.wires[array.index()]
    }

    fn write(&self, outputs: &[Output], to: &mut Writer) {
        self.kernel.write(to);
        to.list(&self.wires, |to, wire| match wire {
            Wire::Own => to.number(0),
            Wire::Param(param) => {
                let known = PARAMS.iter().position(|known| known == param);
                to.number(1 + known.expect("kernels read no other parameters"));
            }
            Wire::Output(output) => {
                let known = outputs.iter().position(|known| known == output);
                to.number(1 + PARAMS.len() + known.expect("it is a result of the function"));
            }
        });
    }

    fn read(outputs: &[Output], from: &mut Reader<'_>, known: Known<'_>) -> Option<Arc<Self>> {
        let kernel = Kernel::read(from, known)?;
        let wires = from.list(|from| match from.number()?.checked_sub(1) {
            None => Some(Wire::Own),
            Some(k) => match k.checked_sub(PARAMS.len()) {
                None => Some(Wire::Param(PARAMS[k])),
                Some(k) => outputs.get(k).map(|output| Wire::Output(*output)),
            },
        })?;
        Some(Arc::new(Self { kernel, wires }))
    }
}

impl Source {
    /// Kernels of a plan.
    pub fn of_plan(plan: &Plan) -> Self {
        Self {
            parts: plan.dependencies().iter().map(Self::of_plan).collect(),
            ..Self::of_stages(&plan.stages)
        }
    }

    /// Kernels of stages.
    pub fn of_stages(stages: &[Stage]) -> Self {
        let scalar: Vec<Arc<Wired>> = stages.iter().map(|stage| Wired::of(&stage.scalar)).collect();
        let fastest = |(stage, scalar): (&Stage, &Arc<Wired>)| match &stage.simd[..] {
            [] => vec![scalar.clone()],
            all => all.iter().map(Wired::of).collect(),
        };
        let has_limbs = stages.iter().any(|stage| !stage.simd.is_empty());
        let limbs = has_limbs.then(|| stages.iter().zip(&scalar).flat_map(fastest).collect());
        Self { scalar, limbs, parts: Vec::new() }
    }

    fn write(&self, outputs: &[Output], parts: &[Id], to: &mut Writer) {
        to.list(&self.scalar, |to, wired| wired.write(outputs, to));
        to.number(self.limbs.is_some().into());
        for (k, wired) in self.limbs.iter().flatten().enumerate() {
            // Kernels without limbs are written once.
            let is_same = self.scalar.get(k).is_some_and(|scalar| Arc::ptr_eq(scalar, wired));
            to.number(if is_same { 1 } else { 2 });
            if !is_same {
                wired.write(outputs, to);
            }
        }
        to.number(0);
        for (part, id) in self.parts.iter().zip(parts) {
            part.write(id.spec().outputs, &[], to);
        }
    }

    fn read(outputs: &[Output], parts: &[Id], from: &mut Reader<'_>, known: Known<'_>) -> Option<Self> {
        let scalar = from.list(|from| Wired::read(outputs, from, known))?;
        let has_limbs = from.number()? == 1;
        let mut limbs = Vec::new();
        loop {
            match from.number()? {
                0 => break,
                1 => limbs.push(scalar.get(limbs.len())?.clone()),
                2 => limbs.push(Wired::read(outputs, from, known)?),
                _ => return None,
            }
        }
        let part = |id: &Id| Self::read(id.spec().outputs, &[], from, known);
        let parts = parts.iter().map(part).collect::<Option<Vec<Self>>>()?;
        Some(Self { scalar, limbs: has_limbs.then_some(limbs), parts })
    }

    /// Checks every kernel and that they fit together: each array is as long as what it stands for, what one
    /// reads an earlier one has made, and each result is made once.
    ///
    /// # Errors
    /// Says what does not hold.
    pub fn verify(&self, outputs: &[Output], sizes: Sizes) -> Result<(), String> {
        self.verify_with(&[], outputs, sizes)
    }

    /// [`Self::verify`] of kernels that also read these results of others.
    ///
    /// # Errors
    /// Says what does not hold.
    pub fn verify_with(&self, given: &[Output], outputs: &[Output], sizes: Sizes) -> Result<(), String> {
        verify(&self.scalar, given, outputs, sizes)?;
        self.limbs.as_ref().map_or(Ok(()), |limbs| verify(limbs, given, outputs, sizes))
    }
}

fn verify(kernels: &[Arc<Wired>], given: &[Output], outputs: &[Output], sizes: Sizes) -> Result<(), String> {
    let all = kernels.iter().map(|wired| (&wired.kernel, &wired.wires[..]));
    verify_kernels_with(given, all, outputs)?;
    let length = |(rows, columns): (usize, usize)| rows * columns;
    for (decl, wire) in kernels.iter().flat_map(|wired| wired.kernel.arrays.iter().zip(&wired.wires)) {
        let expected = match wire {
            Wire::Param(param) => length(param.kind.shape().extent(sizes)),
            Wire::Output(of) => length(of.shape.extent(sizes)),
            Wire::Own => decl.len(),
        };
        if decl.len() != expected {
            return Err(format!("{} has another length", decl.name));
        }
    }
    Ok(())
}

impl Sources {
    /// Kernels of a traced robot.
    pub fn of(generated: &Generated) -> Self {
        Self {
            functions: generated.functions.iter().map(Source::of_plan).collect(),
            fused: generated.fused.iter().map(|plan| Source::of_stages(&plan.stages)).collect(),
            rows: generated.contact_rows().iter().map(RowsSource::of).collect(),
        }
    }

    /// The sources as bytes.
    pub fn write(&self, kept: &Kept) -> Vec<u8> {
        let mut to = Writer::default();
        for (source, (id, _)) in self.functions.iter().zip(&kept.functions) {
            to.number(source.parts.len());
            source.write(id.spec().outputs, id.dependencies(&kept.model), &mut to);
        }
        for (source, call) in self.fused.iter().zip(&kept.fused) {
            source.write(&call.outputs(), &[], &mut to);
        }
        to.list(&self.rows, |to, rows| rows.write(to));
        to.bytes
    }

    /// Reads what [`Self::write`] wrote for the same robot, if every kernel is sound.
    pub fn read(kept: &Kept, bytes: &[u8]) -> Option<Self> {
        let Kept { model, functions, fused, contacts, .. } = kept;
        let robot = Owned::from_model(model).map(Arc::new);
        let known = Known { robot: robot.as_ref(), interned };
        let sizes = Sizes::from(model).with_contacts(contacts);
        let from = &mut Reader { bytes };
        let function = |id: Id, from: &mut Reader<'_>| -> Option<Source> {
            let outputs = id.spec().outputs;
            let parts = parts_of(id, model, from.number()?)?;
            let source = Source::read(outputs, parts, from, known)?;
            let is_composed = id.is_second_order() && source.scalar.is_empty();
            let is_sound = is_composed || source.verify(outputs, sizes).is_ok();
            let are_sound = source.parts.iter().zip(parts).all(|(part, id)| {
                id.is_second_order() && part.scalar.is_empty()
                    || part.verify(id.spec().outputs, sizes).is_ok()
            });
            (is_sound && are_sound).then_some(source)
        };
        let functions = functions.iter().map(|(id, _)| function(*id, from)).collect::<Option<_>>()?;
        let fused = fused.iter().map(|call| {
            let outputs = call.outputs();
            let source = Source::read(&outputs, &[], from, known)?;
            source.verify(&outputs, sizes).is_ok().then_some(source)
        });
        let fused = fused.collect::<Option<_>>()?;
        let rows = from.list(|from| RowsSource::read(sizes, from, known))?;
        from.bytes.is_empty().then_some(Self { functions, fused, rows })
    }
}

/// The functions of whose results a function of the robot is made, as many as there are.
fn parts_of(id: Id, model: &Model<f64>, count: usize) -> Option<&'static [Id]> {
    match count {
        0 => Some(&[]),
        _ => Some(id.dependencies(model)).filter(|parts| parts.len() == count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::{Engine, Function, Loaded, Options};
    use rbd_build::Shape;
    use std::path::Path;

    /// Bytes are the sources that they were written from; with a bit turned they are none, or those of sound
    /// kernels.
    #[test]
    fn bytes_are_the_sources() {
        let urdf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../robots/double_pendulum.urdf");
        let functions = [Id::Rnea, Id::Minv, Id::AbaDerivatives, Id::RneaHessian, Id::AbaHessian];
        let robot = rbd_build::Robot::from_urdf(urdf).functions(functions).contacts(["link2"]);
        let robot = robot.shape_of(Id::AbaDerivatives, Shape::Loops).shape_of(Id::Minv, Shape::Loops);
        let generated = robot.trace().unwrap();
        let sources = Sources::of(&generated);
        let kept = Kept {
            contacts: generated.contacts.clone(),
            functions: generated.functions.iter().map(|plan| (plan.function, plan.frame)).collect(),
            fused: generated.fused.iter().map(|plan| plan.function.clone()).collect(),
            integrator: None,
            controls: Vec::new(),
            model: generated.model,
            warnings: generated.warnings,
        };
        let bytes = sources.write(&kept);
        let read = Sources::read(&kept, &bytes).unwrap();
        assert_eq!(read.write(&kept), bytes);
        assert!(Sources::read(&kept, &bytes[1..]).is_none());
        let (mut sound, machine) = (0, Machine::new(Engine::Interpreter));
        for k in (0..8 * bytes.len()).step_by(101) {
            let mut other = bytes.clone();
            other[k / 8] ^= 1 << (k % 8);
            let Some(sources) = Sources::read(&kept, &other) else { continue };
            sound += 1;
            for ((id, frame), source) in kept.functions.iter().zip(&sources.functions) {
                let _ = Function::<f64>::new(*id, *frame, source, &kept.model, &machine);
            }
        }
        assert!(sound > 0, "some bits are those of constants");
        let options = Options { engine: Some(Engine::Interpreter), ..Options::default() };
        Loaded::<f64>::of_sources(kept, &read, &options).unwrap();
    }
}
