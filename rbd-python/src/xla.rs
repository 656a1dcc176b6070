//! A handler for XLA's foreign function interface, which `rbd.jax` registers.
//!
//! The structs are those of `xla/ffi/api/c_api.h` in jaxlib's wheel (`jax.ffi.include_dir()`), version 0.1 of
//! its binary interface: a handler takes a call frame and returns an error or null. Nothing of jaxlib is
//! linked.

use crate::call::{Argument, Computes, Job, Loaded};
use crate::contacts::Held;
use crate::layout::Layout;
use crate::load::Source;
use crate::real::{Either, Real};
use crate::table::Item;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, PoisonError};

/// A function that handlers find by its number.
struct Registered<T: Real> {
    loaded: Arc<Loaded<T>>,
    computes: Computes,
    /// Settings of contacts: all of them hold, by default settings.
    held: Held<T>,
    name: String,
    takes: Vec<Layout>,
    gives: Vec<Layout>,
}

/// A function of a robot of either precision.
trait Handler: Send + Sync {
    /// Computes what a frame asks for.
    fn call(&self, frame: &CallFrame) -> Result<(), String>;
}

/// All of them. They stay: compiled programs of JAX name them by number, and nobody says when these end.
static REGISTERED: Mutex<Option<HashMap<i64, Arc<dyn Handler>>>> = Mutex::new(None);

/// The number of a function. It depends on the robot's source and the function alone, so that a program that
/// JAX keeps on disk finds the function in another process that has loaded the robot.
pub fn register(robot: &Either, source: &Source, computes: Computes, item: &Item) -> i64 {
    let mut hasher = DefaultHasher::new();
    (source, &item.name, computes, env!("CARGO_PKG_VERSION")).hash(&mut hasher);
    let number = hasher.finish().cast_signed();
    let function = || match robot {
        Either::Double(loaded) => registered(loaded, computes, item),
        Either::Single(loaded) => registered(loaded, computes, item),
    };
    let mut all = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    all.get_or_insert_default().entry(number).or_insert_with(function);
    number
}

fn registered<T: Real>(loaded: &Arc<Loaded<T>>, computes: Computes, item: &Item) -> Arc<dyn Handler> {
    let (takes, gives, name) = (item.takes.clone(), item.gives.clone(), item.name.clone());
    let held = Held::by_default(loaded.robot.contacts().len());
    Arc::new(Registered { loaded: Arc::clone(loaded), computes, held, name, takes, gives })
}

/// The address of the handler.
pub fn address() -> usize {
    handler as *const () as usize
}

#[repr(C)]
struct Extension {
    struct_size: usize,
    kind: c_int,
    next: *mut Self,
}

/// `XLA_FFI_Extension_Metadata`.
const METADATA: c_int = 1;

#[repr(C)]
struct MetadataExtension {
    base: Extension,
    metadata: *mut Metadata,
}

#[repr(C)]
struct Version {
    struct_size: usize,
    extension: *mut Extension,
    major: c_int,
    minor: c_int,
}

#[repr(C)]
struct Metadata {
    struct_size: usize,
    version: Version,
    traits: u32,
}

/// Nothing is known of these but their addresses.
type Opaque = *mut c_void;

#[repr(C)]
struct ErrorArguments {
    struct_size: usize,
    extension: *mut Extension,
    message: *const c_char,
    code: c_int,
}

/// `XLA_FFI_Error_Code_INVALID_ARGUMENT`.
const INVALID_ARGUMENT: c_int = 3;

#[repr(C)]
struct ScheduleArguments {
    struct_size: usize,
    extension: *mut Extension,
    context: Opaque,
    task: unsafe extern "C" fn(*mut c_void),
    data: *mut c_void,
}

#[repr(C)]
struct ThreadsArguments {
    struct_size: usize,
    extension: *mut Extension,
    context: Opaque,
    threads: *mut i64,
}

type Unused = Option<unsafe extern "C" fn()>;

#[repr(C)]
struct Api {
    struct_size: usize,
    extension: *mut Extension,
    version: Version,
    internal: *const c_void,
    error_create: Option<unsafe extern "C" fn(*mut ErrorArguments) -> Opaque>,
    error_message: Unused,
    error_destroy: Option<unsafe extern "C" fn(*mut DestroyArguments)>,
    unused: [Unused; 8],
    schedule: Option<unsafe extern "C" fn(*mut ScheduleArguments) -> Opaque>,
    threads: Option<unsafe extern "C" fn(*mut ThreadsArguments) -> Opaque>,
}

#[repr(C)]
struct DestroyArguments {
    struct_size: usize,
    extension: *mut Extension,
    error: Opaque,
}

#[repr(C)]
struct Buffer {
    struct_size: usize,
    extension: *mut Extension,
    kind: c_int,
    data: *mut c_void,
    rank: i64,
    axes: *const i64,
}

#[repr(C)]
struct Buffers {
    struct_size: usize,
    extension: *mut Extension,
    size: i64,
    kinds: *const c_int,
    buffers: *const *const Buffer,
}

#[repr(C)]
struct ByteSpan {
    data: *const u8,
    size: usize,
}

#[repr(C)]
struct Number {
    kind: c_int,
    value: *const c_void,
}

/// `XLA_FFI_AttrType_SCALAR`, and `XLA_FFI_DataType_S64`.
const SCALAR: c_int = 3;
const S64: c_int = 5;

#[repr(C)]
struct Attributes {
    struct_size: usize,
    extension: *mut Extension,
    size: i64,
    kinds: *const c_int,
    names: *const *const ByteSpan,
    values: *const *const c_void,
}

#[repr(C)]
pub struct CallFrame {
    struct_size: usize,
    extension: *mut Extension,
    api: *const Api,
    context: Opaque,
    stage: c_int,
    arguments: Buffers,
    results: Buffers,
    attributes: Attributes,
}

/// The handler: arguments and results of a function, each with axes for states before its own.
unsafe extern "C" fn handler(frame: *mut CallFrame) -> Opaque {
    // SAFETY: XLA calls with a frame that is valid while the call lasts.
    let frame = unsafe { &mut *frame };
    // SAFETY: as above; the kind says which struct it is.
    if let Some(extension) = unsafe { frame.extension.as_mut() }
        && extension.kind == METADATA
    {
        // SAFETY: as above.
        let metadata = unsafe { &mut *(*std::ptr::from_mut(extension).cast::<MetadataExtension>()).metadata };
        (metadata.version.major, metadata.version.minor, metadata.traits) = (0, 1, 0);
        return null_mut();
    }
    // No panic may leave: the caller is C++.
    let done = catch_unwind(AssertUnwindSafe(|| call(frame)));
    let said = match done {
        Ok(Ok(())) => return null_mut(),
        Ok(Err(said)) => said,
        Err(_) => "rbd: an internal error; please report it".to_owned(),
    };
    let message = CString::new(said).unwrap_or_default();
    let struct_size = size_of::<ErrorArguments>();
    let mut arguments = ErrorArguments {
        struct_size,
        extension: null_mut(),
        message: message.as_ptr(),
        code: INVALID_ARGUMENT,
    };
    // SAFETY: the table of functions is there while XLA is; XLA copies the message.
    unsafe { (*frame.api).error_create.map_or(null_mut(), |create| create(&raw mut arguments)) }
}

/// A list of C's.
///
/// # Safety
/// So many items are there while the result is.
unsafe fn list<'a, T>(data: *const T, size: i64) -> &'a [T] {
    match usize::try_from(size) {
        // SAFETY: what the caller promises.
        Ok(size) if size > 0 => unsafe { std::slice::from_raw_parts(data, size) },
        _ => &[],
    }
}

impl Buffers {
    fn all(&self) -> impl ExactSizeIterator<Item = &Buffer> {
        // SAFETY: they are there while the call lasts.
        unsafe { list(self.buffers, self.size) }.iter().map(|buffer| unsafe { &**buffer })
    }
}

impl Buffer {
    fn axes(&self) -> &[i64] {
        // SAFETY: as in `Buffers::all`.
        unsafe { list(self.axes, self.rank) }
    }

    fn size(&self) -> i64 {
        self.axes().iter().product()
    }

    /// Axes for states, if the others are the function's.
    fn states(&self, layout: &Layout) -> Option<&[i64]> {
        let axes = self.axes();
        let (states, own) = axes.split_at(axes.len().checked_sub(layout.shape.len())?);
        let same = own.iter().zip(&layout.shape).all(|(a, b)| usize::try_from(*a) == Ok(*b));
        same.then_some(states)
    }

    fn numbers<T: Real>(&self) -> Option<Cow<'_, [T]>> {
        match self.kind {
            // SAFETY: so many numbers of this kind, in C's order, which nobody changes while the call lasts.
            kind if kind == T::XLA => Some(unsafe { list(self.data.cast::<T>(), self.size()) }.into()),
            // SAFETY: as above.
            f64::XLA => Some(unsafe { self.converted::<f64, T>() }.into()),
            // SAFETY: as above.
            f32::XLA => Some(unsafe { self.converted::<f32, T>() }.into()),
            _ => None,
        }
    }

    /// Converts the buffer's numbers to another type.
    ///
    /// # Safety
    /// The numbers are of the type `A`.
    unsafe fn converted<A: Real, B: Real>(&self) -> Vec<B> {
        // SAFETY: as in `numbers`.
        unsafe { list(self.data.cast::<A>(), self.size()) }.iter().map(|x| B::of(*x)).collect()
    }

    /// Writes numbers in another type than theirs.
    ///
    /// # Safety
    /// There is room for so many numbers of the type `B`, which are this call's alone.
    unsafe fn write<A: Real, B: Real>(&self, numbers: &[A]) {
        let to = self.data.cast::<B>();
        // SAFETY: what the caller promises.
        numbers.iter().enumerate().for_each(|(k, x)| unsafe { to.add(k).write(B::of(*x)) });
    }
}

fn call(frame: &CallFrame) -> Result<(), String> {
    named(&frame.attributes)?.call(frame)
}

impl<T: Real> Handler for Registered<T> {
    fn call(&self, frame: &CallFrame) -> Result<(), String> {
        let Self { loaded, computes, held, name, takes, gives } = self;
        let (arguments, results) = (frame.arguments.all(), frame.results.all());
        if arguments.len() != takes.len() || results.len() != gives.len() {
            return Err(format!("{name}: the program was made by another version of rbd"));
        }
        let wrong = |layout: &Layout, buffer: &Buffer| {
            let (what, axes) = (&layout.name, buffer.axes());
            format!("{name}: {what} has shape {axes:?}; its last axes must be {:?}", layout.shape)
        };
        let mut states: Option<&[i64]> = None;
        for (buffer, layout) in frame.results.all().zip(gives) {
            states = Some(buffer.states(layout).ok_or_else(|| wrong(layout, buffer))?);
        }
        let states = states.unwrap_or_default();
        let count: usize = states.iter().map(|n| usize::try_from(*n).unwrap_or(0)).product();
        let mut numbers = Vec::with_capacity(takes.len());
        for (buffer, layout) in arguments.zip(takes) {
            let own = buffer.states(layout).ok_or_else(|| wrong(layout, buffer))?;
            let all = buffer
                .numbers()
                .ok_or_else(|| format!("{name}: {} must be float32 or float64", layout.name))?;
            let is_each = own.iter().any(|n| *n != 1) || !states.is_empty() && own == states;
            let all = if is_each && own != states { repeated(&all, own, states, layout.length) } else { all };
            numbers.push((all, layout.length, is_each));
        }
        let inputs: Vec<Argument<'_, T>> = numbers
            .iter()
            .map(|(numbers, length, is_each)| Argument { numbers, length: *length, is_each: *is_each })
            .collect();
        // Results in the other precision are computed beside them.
        let room = |b: &Buffer| if b.kind == T::XLA { 0 } else { b.size() as usize };
        let mut beside: Vec<Vec<T>> = frame.results.all().map(|b| vec![T::zero(); room(b)]).collect();
        let outputs = results.zip(&mut beside).map(|(buffer, beside)| match buffer.kind {
            // SAFETY: so many numbers of this kind, in C's order, which are this call's alone.
            kind if kind == T::XLA && buffer.size() > 0 => unsafe {
                std::slice::from_raw_parts_mut(buffer.data.cast::<T>(), buffer.size() as usize)
            },
            _ => beside.as_mut_slice(),
        });
        let job = Job::new(loaded, *computes, held, count, &inputs, gives, outputs);
        run(frame, job).map_err(|error| error.to_string())?;
        for (buffer, from) in frame.results.all().zip(&beside) {
            match buffer.kind {
                kind if kind == T::XLA => {}
                // SAFETY: as above.
                f64::XLA => unsafe { buffer.write::<T, f64>(from) },
                // SAFETY: as above.
                f32::XLA => unsafe { buffer.write::<T, f32>(from) },
                _ => return Err(format!("{name}: results must be float32 or float64")),
            }
        }
        Ok(())
    }
}

/// The function that the attribute `function` names.
fn named(attributes: &Attributes) -> Result<Arc<dyn Handler>, String> {
    // SAFETY: as in `Buffers::all`.
    let (kinds, names, values) = unsafe {
        let n = attributes.size;
        (list(attributes.kinds, n), list(attributes.names, n), list(attributes.values, n))
    };
    for ((kind, name), value) in kinds.iter().zip(names).zip(values) {
        // SAFETY: as above; the kind says which struct the value is.
        let name = unsafe { list((**name).data, (**name).size as i64) };
        if name != b"function" || *kind != SCALAR {
            continue;
        }
        // SAFETY: as above.
        let number = unsafe { &*value.cast::<Number>() };
        if number.kind == S64 {
            // SAFETY: as above.
            let number = unsafe { number.value.cast::<i64>().read_unaligned() };
            let all = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
            return all.as_ref().and_then(|all| all.get(&number)).cloned().ok_or_else(|| {
                "rbd: this process has not loaded the robot of this program; call rbd.load first, and its function once"
                    .to_owned()
            });
        }
    }
    Err("rbd: the call names no function".to_owned())
}

/// Numbers of states, where axes of length one stand for all.
fn repeated<'a, T: Real>(numbers: &[T], own: &[i64], states: &[i64], length: usize) -> Cow<'a, [T]> {
    let count: i64 = states.iter().product();
    let missing = states.len().saturating_sub(own.len());
    let mut all = Vec::with_capacity(count as usize * length);
    for state in 0..count {
        let (mut rest, mut at, mut step) = (state, 0, 1);
        for (k, n) in states.iter().enumerate().rev() {
            let index = rest % n;
            rest /= n;
            if let Some(of) = k.checked_sub(missing).map(|k| own[k]) {
                at += if of == 1 { 0 } else { index * step };
                step *= of;
            }
        }
        all.extend_from_slice(&numbers[at as usize * length..][..length]);
    }
    all.into()
}

/// Computes all states, on XLA's threads where there are several.
fn run<T: Real>(frame: &CallFrame, job: Job<'_, T>) -> Result<(), rbd_jit::Error> {
    // SAFETY: the table of functions is there while XLA is.
    let api = unsafe { &*frame.api };
    let threads = match api.schedule {
        Some(_) => job.begin(pool_size(frame, api)),
        None => 1,
    };
    if threads == 1 {
        job.work();
        return job.finish();
    }
    // SAFETY: lifetimes are those of this call's arguments. A task that starts after this call has returned
    // finds no block to take and reads nothing else, because `finish` waits for every block.
    let job: Arc<Job<'static, T>> =
        Arc::new(unsafe { std::mem::transmute::<Job<'_, T>, Job<'static, T>>(job) });
    for _ in 1..threads {
        schedule(frame, api, Arc::clone(&job));
    }
    job.work();
    job.finish()
}

/// Number of threads of XLA's pool.
fn pool_size(frame: &CallFrame, api: &Api) -> usize {
    let mut threads = 1_i64;
    let mut arguments = ThreadsArguments {
        struct_size: size_of::<ThreadsArguments>(),
        extension: null_mut(),
        context: frame.context,
        threads: &raw mut threads,
    };
    // SAFETY: as the header says.
    let error = api.threads.map_or(null_mut(), |ask| unsafe { ask(&raw mut arguments) });
    dropped(api, error);
    if error.is_null() { usize::try_from(threads).unwrap_or(1) } else { 1 }
}

fn schedule<T: Real>(frame: &CallFrame, api: &Api, job: Arc<Job<'static, T>>) {
    let data = Arc::into_raw(job);
    let mut arguments = ScheduleArguments {
        struct_size: size_of::<ScheduleArguments>(),
        extension: null_mut(),
        context: frame.context,
        task: task::<T>,
        data: data.cast_mut().cast(),
    };
    // SAFETY: as the header says.
    let error = api.schedule.map_or(null_mut(), |schedule| unsafe { schedule(&raw mut arguments) });
    if !error.is_null() {
        dropped(api, error);
        // SAFETY: made by `into_raw` above, and no task will take it.
        drop(unsafe { Arc::from_raw(data) });
    }
}

/// Frees an error that XLA made.
fn dropped(api: &Api, error: Opaque) {
    if let (false, Some(destroy)) = (error.is_null(), api.error_destroy) {
        let struct_size = size_of::<DestroyArguments>();
        let mut arguments = DestroyArguments { struct_size, extension: null_mut(), error };
        // SAFETY: an error that XLA made, once.
        unsafe { destroy(&raw mut arguments) };
    }
}

unsafe extern "C" fn task<T: Real>(data: *mut c_void) {
    // SAFETY: made by `into_raw` in `schedule`, for this task.
    let job = unsafe { Arc::from_raw(data.cast_const().cast::<Job<'static, T>>()) };
    job.work();
}
