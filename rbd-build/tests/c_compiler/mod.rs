//! Compiling C and running it, with whatever compilers are there.
#![allow(dead_code, reason = "each test uses its part")]

#[path = "../common/composed.rs"]
pub mod composed;
#[path = "../common/hessians.rs"]
pub mod hessians;
mod objects;

use objects::{objects, without_warnings};
use rbd_build::Function;
use rbd_build::plan::Plan;
use rbd_build::signature::{A, FEXT, Param, Q, TAU_GIVEN, V};
use rbd_runtime::random::State;
use rbd_runtime::{Model, ReferenceFrame};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A call and its expected result.
#[derive(Clone, Debug)]
pub struct Case {
    /// The function.
    pub function: String,
    /// Type of its results, if there are several.
    pub result: Option<String>,
    /// Arguments.
    pub arguments: Vec<Vec<f64>>,
    /// Outputs: names and numbers of entries.
    pub outputs: Vec<(&'static str, usize)>,
    /// Expected entries of all outputs.
    pub expected: Vec<f64>,
}

/// A function's argument, by columns.
pub fn argument(state: &State, param: Param) -> Vec<f64> {
    match param {
        Q => state.q.as_slice().to_vec(),
        V => state.v.as_slice().to_vec(),
        A => state.a.as_slice().to_vec(),
        TAU_GIVEN => state.tau.as_slice().to_vec(),
        FEXT => state.fext.iter().flat_map(|f| f.iter().copied()).collect(),
        other => panic!("{} has no value here", other.name),
    }
}

/// Name of a function after the robot's prefix, for frames whose names are identifiers.
pub fn name_in_c(plan: &Plan, model: &Model<f64>) -> String {
    let name = plan.spec().name;
    let Some(at) = plan.frame else { return name.into() };
    let reference = match at.reference {
        _ if !plan.function.has_reference() => "",
        ReferenceFrame::Local => "_local",
        ReferenceFrame::World => "_world",
        ReferenceFrame::LocalWorldAligned => "_local_world_aligned",
    };
    format!("{}_{name}{reference}", model.frames[at.index].name)
}

/// The first of these, or with `RBD_ALL_SEEDS` all: compiling C takes seconds a robot.
pub fn some<T>(first: usize, all: &[T]) -> &[T] {
    &all[..if all_seeds() { all.len() } else { first }]
}

/// Whether everything is asked for, as `.ci/everything` does.
pub fn all_seeds() -> bool {
    std::env::var_os("RBD_ALL_SEEDS").is_some()
}

/// The first compiler that is there, or with `RBD_ALL_SEEDS` all that are.
pub fn compilers() -> Vec<&'static str> {
    let there = |name: &&str| Command::new(name).arg("-v").output().is_ok_and(|o| o.status.success());
    let found: Vec<_> = ["gcc", "clang", "tcc"].into_iter().filter(there).collect();
    if found.is_empty() {
        println!("skipped: no C compiler is found");
        return found;
    }
    some(1, &found).to_vec()
}

/// Returns whether this processor has fused multiply-add.
pub fn has_fma() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("fma") && is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

fn folder(name: &str, files: &[(String, String)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        std::fs::write(folder.join(file), text).unwrap();
    }
    folder
}

/// Compiles these files and a `main` without warnings, runs it, and returns its output.
pub fn printed(
    compiler: &str,
    name: &str,
    files: &[(String, String)],
    main: &str,
    flags: &[&str],
) -> Vec<u8> {
    let output = ran(compiler, name, files, main, flags);
    assert!(output.status.success(), "{name} of {compiler} ends with {}", output.status);
    output.stdout
}

/// Compiles these files and a `main` without warnings and runs it, however it ends.
pub fn ran(compiler: &str, name: &str, files: &[(String, String)], main: &str, flags: &[&str]) -> Output {
    Command::new(compiled(compiler, name, files, main, flags)).output().unwrap()
}

/// Compiles these files and a `main` without warnings, lets it read `input`, and returns the numbers that it
/// prints.
pub fn answered(
    compiler: &str,
    name: &str,
    files: &[(String, String)],
    main: &str,
    flags: &[&str],
    input: &str,
) -> Vec<f64> {
    let program = compiled(compiler, name, files, main, flags);
    let file = program.with_extension("txt");
    std::fs::write(&file, input).unwrap();
    let output = Command::new(program).stdin(std::fs::File::open(file).unwrap()).output().unwrap();
    assert!(output.status.success(), "{name} of {compiler} ends with {}", output.status);
    let numbers = String::from_utf8(output.stdout).unwrap();
    numbers.lines().map(|line| line.parse().unwrap_or(f64::NAN)).collect()
}

/// Compiles these files and a `main` without warnings. Returns the program.
fn compiled(compiler: &str, name: &str, files: &[(String, String)], main: &str, flags: &[&str]) -> PathBuf {
    let folder = folder(name, files);
    std::fs::write(folder.join("main.c"), main).unwrap();
    let strict: &[&str] = match compiler {
        // tcc knows few of these flags.
        "tcc" => &["-Wall", "-Werror"],
        _ => &["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-O0"],
    };
    let flags = [strict, flags].concat();
    let mut command = Command::new(compiler);
    command
        .current_dir(&folder)
        .args(&flags)
        .arg("main.c")
        .args(objects(compiler, &folder, files, &flags))
        .args(["-o", "main", "-lm"]);
    without_warnings(compiler, &mut command);
    folder.join("main")
}

fn header(files: &[(String, String)]) -> &str {
    &files.iter().find(|(name, _)| name.ends_with(".h")).unwrap().0
}

/// Reads a header as C++, if a compiler of that is there.
pub fn as_cpp((name, text): &(String, String)) {
    let folder = folder("cpp", &[(name.clone(), text.clone())]);
    let strict = ["-std=c++98", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-x", "c++"];
    let includes = format!("#include \"{name}\"\n");
    std::fs::write(folder.join("main.cpp"), includes).unwrap();
    match Command::new("g++").current_dir(&folder).args(strict).arg("main.cpp").output() {
        Ok(read) => assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr)),
        Err(_) => println!("skipped: no C++ compiler is found"),
    }
}

/// Results of every case.
pub fn run(
    compiler: &str,
    name: &str,
    files: &[(String, String)],
    flags: &[&str],
    cases: &[Case],
) -> Vec<Vec<f64>> {
    let mut main = format!(
        "#include \"{}\"\n#include <stdio.h>\n#ifndef REAL\n#define REAL double\n#endif\n\
         static void show(const REAL *x, int n)\n{{\n    int i;\n    \
         for (i = 0; i < n; i++) printf(\"%.17g\\n\", (double)x[i]);\n}}\n",
        header(files)
    );
    let mut calls = String::new();
    for (k, case) in cases.iter().enumerate() {
        let mut names = Vec::new();
        for (j, argument) in case.arguments.iter().enumerate() {
            let numbers: Vec<String> = argument.iter().map(|x| format!("(REAL){x:?}")).collect();
            let numbers = if numbers.is_empty() { "0".into() } else { numbers.join(", ") };
            let _ = writeln!(main, "static const REAL x{k}_{j}[] = {{{numbers}}};");
            names.push(format!("x{k}_{j}"));
        }
        let mut shown = String::new();
        match &case.result {
            Some(result) => {
                let _ = writeln!(main, "static {result} made{k};");
                names.push(format!("&made{k}"));
                for (output, n) in &case.outputs {
                    let _ = writeln!(shown, "    show(made{k}.{output}, {n});");
                }
            }
            None => {
                let n = case.outputs[0].1;
                let _ = writeln!(main, "static REAL made{k}[{}];", n.max(1));
                names.push(format!("made{k}"));
                let _ = writeln!(shown, "    show(made{k}, {n});");
            }
        }
        let _ = write!(calls, "    {}({});\n{shown}", case.function, names.join(", "));
    }
    let _ = write!(main, "int main(void)\n{{\n    (void)show;\n{calls}    return 0;\n}}\n");
    let printed = String::from_utf8(printed(compiler, name, files, &main, flags)).unwrap();
    let mut numbers = printed.lines().map(|line| line.parse::<f64>().unwrap_or(f64::NAN));
    let results = cases.iter().map(|case| numbers.by_ref().take(case.expected.len()).collect()).collect();
    assert!(numbers.next().is_none(), "more numbers than were asked for");
    results
}

/// Plan of loops over tables. Whether they include friction depends on the target, not on the plan.
pub fn traced_loops(function: Function, model: &Model<f64>) -> Plan {
    let without = Model { friction_smoothing: None, ..model.clone() };
    function.trace_loops(&without).expect("it has loops")
}

/// Calls of functions one after the other, with shared arguments.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The functions.
    pub functions: Vec<String>,
    /// The first arguments, which are integers.
    pub whole: Vec<usize>,
    /// The arrays that are read.
    pub arguments: Vec<Vec<f64>>,
    /// The lengths of those that are written.
    pub outputs: Vec<usize>,
}

/// Results of every batch, its outputs one after the other. Entries that are not written are NaN.
/// The file is included.
pub fn batches(
    compiler: &str,
    name: &str,
    file: &(String, String),
    real: &str,
    flags: &[&str],
    batches: &[Batch],
) -> Vec<Vec<f64>> {
    let mut main = format!(
        "#include \"{}\"\n#include <math.h>\n#include <stdio.h>\n\
         static void clear({real} *x, int n)\n{{\n    for (int i = 0; i < n; i++) x[i] = ({real})NAN;\n}}\n\
         static void show(const {real} *x, int n)\n{{\n    \
         for (int i = 0; i < n; i++) printf(\"%.17g\\n\", (double)x[i]);\n}}\n",
        file.0
    );
    let mut calls = String::new();
    for (k, batch) in batches.iter().enumerate() {
        let mut names: Vec<String> = batch.whole.iter().map(usize::to_string).collect();
        for (j, argument) in batch.arguments.iter().enumerate() {
            let numbers: Vec<String> = argument.iter().map(|x| format!("({real}){x:?}")).collect();
            let numbers = if numbers.is_empty() { "0".into() } else { numbers.join(", ") };
            let _ = writeln!(main, "static const {real} x{k}_{j}[] = {{{numbers}}};");
            names.push(format!("x{k}_{j}"));
        }
        let mut shown = String::new();
        for (j, n) in batch.outputs.iter().enumerate() {
            let _ = writeln!(main, "static {real} y{k}_{j}[{}];", n.max(&1));
            let _ = writeln!(calls, "    clear(y{k}_{j}, {n});");
            let _ = writeln!(shown, "    show(y{k}_{j}, {n});");
            names.push(format!("y{k}_{j}"));
        }
        for function in &batch.functions {
            let _ = writeln!(calls, "    {function}({});", names.join(", "));
        }
        calls += &shown;
    }
    let _ = write!(main, "int main(void)\n{{\n    (void)show;\n    (void)clear;\n{calls}    return 0;\n}}\n");
    let printed = printed(compiler, name, std::slice::from_ref(file), &main, flags);
    let printed = String::from_utf8(printed).unwrap();
    let mut numbers = printed.lines().map(|line| line.parse::<f64>().unwrap_or(f64::NAN));
    let lengths = batches.iter().map(|batch| batch.outputs.iter().sum());
    let results = lengths.map(|n| numbers.by_ref().take(n).collect()).collect();
    assert!(numbers.next().is_none(), "more numbers than were asked for");
    results
}

/// The names in a robot's table, as C has them.
pub fn printed_names(compiler: &str, prefix: &str, joints: usize, files: &[(String, String)]) -> Vec<String> {
    let main = format!(
        "#include \"{}\"\n#include <stdio.h>\nint main(void)\n{{\n    int i;\n    \
         printf(\"%s%c\", {prefix}_name, 0);\n    \
         for (i = 0; i < {joints}; i++) printf(\"%s%c\", {prefix}_joints[i].name, 0);\n    return 0;\n}}\n",
        header(files)
    );
    let printed = printed(compiler, &format!("names_{compiler}"), files, &main, &[]);
    let names = printed.split(|byte| *byte == 0).map(|name| String::from_utf8(name.to_vec()).unwrap());
    let mut names: Vec<String> = names.collect();
    assert_eq!(names.pop().as_deref(), Some(""));
    names
}

/// Numbers of arguments and results of `aba`, the shape of its result, that result without a
/// velocity, and two of its three Jacobians.
pub fn casadi(compiler: &str, files: &[(String, String)], state: &State) -> Vec<f64> {
    let list = |x: &[f64]| x.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
    let main = format!(
        "#include <stdio.h>\n\
         int double_pendulum_casadi_aba(const double **, double **, long long *, double *, int);\n\
         long long double_pendulum_casadi_aba_n_in(void);\nlong long double_pendulum_casadi_aba_n_out(void);\n\
         const long long *double_pendulum_casadi_aba_sparsity_out(long long);\n\
         int jac_double_pendulum_casadi_aba(const double **, double **, long long *, double *, int);\n\
         static const double q[] = {{{}}}, v[] = {{{}}}, tau[] = {{{}}};\n\
         int main(void)\n{{\n    const double *arg[4];\n    double *res[3], y[10];\n    int i;\n    \
         const long long *shape = double_pendulum_casadi_aba_sparsity_out(0);\n    \
         printf(\"%lld\\n%lld\\n\", double_pendulum_casadi_aba_n_in(), double_pendulum_casadi_aba_n_out());\n    \
         printf(\"%lld\\n%lld\\n%lld\\n\", shape[0], shape[1], shape[2]);\n    \
         arg[0] = q; arg[1] = 0; arg[2] = tau; arg[3] = 0; res[0] = y;\n    \
         if (double_pendulum_casadi_aba(arg, res, 0, 0, 0)) return 1;\n    \
         arg[1] = v; res[0] = y + 2; res[1] = 0; res[2] = y + 6;\n    \
         if (jac_double_pendulum_casadi_aba(arg, res, 0, 0, 0)) return 1;\n    \
         for (i = 0; i < 10; i++) printf(\"%.17g\\n\", y[i]);\n    return 0;\n}}\n",
        list(state.q.as_slice()),
        list(state.v.as_slice()),
        list(state.tau.as_slice())
    );
    let main = main.replace("long long ", "long long int ");
    let printed = printed(compiler, &format!("casadi_{compiler}"), files, &main, &[]);
    String::from_utf8(printed).unwrap().lines().map(|line| line.parse().unwrap()).collect()
}

/// The text without comments and with all strings equal, including strings that are written byte by
/// byte.
pub fn without_strings_and_comments(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(c) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").expect("comments end").1;
        } else if let Some(string) = rest.strip_prefix('"') {
            let mut escaped = false;
            let end = string.find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            out.push_str("STRING");
            rest = &string[end.expect("strings end") + 1..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    // A string too long for a literal is an array next to the table.
    while let Some(at) = out.find("static const char ") {
        let name_at = at + "static const char ".len();
        let name = out[name_at..].split('[').next().unwrap().to_owned();
        let end = at + out[at..].find("};\n").expect("arrays end") + 3;
        out.replace_range(at..end, "");
        out = out.replace(&name, "STRING");
    }
    out
}
