//! `rbd new`: a crate of robots only, so that saving other code expands none of them.

use crate::options::InCrate;
use crate::output::{self, Error};
use crate::source;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Make a crate of robots, which others depend on
#[derive(clap::Args)]
pub struct Arguments {
    /// The crate's folder, whose name is the crate's
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The robots; they are copied into the crate
    #[arg(value_name = "FILE.urdf", required = true)]
    urdfs: Vec<PathBuf>,
    /// The folder of rbd's source; by default that which this command was built from, or a version
    /// from the registry where there is none
    #[arg(long, value_name = "FOLDER")]
    rbd: Option<PathBuf>,
    #[command(flatten)]
    options: InCrate,
}

/// A robot of the crate.
struct Member {
    /// File name in the crate's folder `robots`.
    file: String,
    type_name: String,
    urdf: String,
}

/// Judges all files before anything is written.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    let folder = &arguments.folder;
    let wrong = |what: String| Err(Error::Request(what));
    if folder.read_dir().is_ok_and(|mut entries| entries.next().is_some()) || folder.is_file() {
        return wrong(format!("{} exists already", folder.display()));
    }
    let Some(name) = folder.file_name().and_then(|name| name.to_str()).filter(|name| is_crate_name(name))
    else {
        return wrong(format!(
            "{} ends in no name for a crate: letters, digits, `-` and `_`",
            folder.display()
        ));
    };
    let mut members: Vec<Member> = Vec::new();
    for urdf in &arguments.urdfs {
        let member = member(urdf, &arguments.options)?;
        if let Some(twin) = members.iter().find(|m| m.type_name == member.type_name || m.file == member.file)
        {
            return wrong(format!("{} and {} would both be `{}`", twin.file, member.file, member.type_name));
        }
        members.push(member);
    }
    let dependency = dependency(arguments.rbd.as_deref())?;
    let write = |path: &str, text: &str| output::write_file(&folder.join(path), text);
    for inner in ["src", "robots"].map(|inner| folder.join(inner)) {
        std::fs::create_dir_all(&inner).map_err(|e| output::cannot_write(inner, e))?;
    }
    for member in &members {
        write(&format!("robots/{}", member.file), &member.urdf)?;
    }
    write("Cargo.toml", &manifest(name, &dependency))?;
    write("src/lib.rs", &library(&members, &arguments.options))?;
    write("README.md", &readme(name, &members))?;
    let types: Vec<&str> = members.iter().map(|member| member.type_name.as_str()).collect();
    eprintln!(
        "wrote {}: a crate with {}; its README.md says how to use it",
        folder.display(),
        types.join(", ")
    );
    Ok(ExitCode::SUCCESS)
}

/// A robot that can be generated: read and judged, not searched.
fn member(path: &Path, options: &InCrate) -> Result<Member, Error> {
    let written = options.robot(path)?.outline()?;
    if !written.warnings.is_empty() {
        eprintln!("{}\n", written.warnings.brief());
    }
    let urdf = std::fs::read_to_string(path);
    let urdf = urdf.map_err(|e| Error::Request(format!("cannot read {}: {e}", path.display())))?;
    // Characters that a Rust string cannot hold unescaped become `_`.
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let file = file.chars().map(|c| if c.is_ascii_graphic() && !matches!(c, '"' | '\\') { c } else { '_' });
    Ok(Member { file: file.collect(), type_name: written.type_name, urdf })
}

fn is_crate_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// Value of `rbd =` in the manifest.
fn dependency(folder: Option<&Path>) -> Result<String, Error> {
    Ok(match source::folder(folder)? {
        Some(source) => format!("{{ path = {:?} }}", source.display().to_string()),
        None => format!("{:?}", env!("CARGO_PKG_VERSION")),
    })
}

/// Profile settings that a workspace's own manifest needs for large robots.
const PROFILE: &str = "\
[profile.dev]
# More of it doubles what large functions take to compile.
debug = \"line-tables-only\"
# In incremental builds nothing is inlined before LLVM, which takes ten times as long over a humanoid then.
incremental = false

[profile.dev.package.rbd-ir]
# What searches a robot that is new or has changed.
opt-level = 2
";

fn manifest(name: &str, dependency: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nrbd = {dependency}\n\n\
         # These count where this crate is built alone. Copy them into the Cargo.toml of your workspace, or of the crate\n\
         # that you build if there is none.\n{PROFILE}"
    )
}

fn library(members: &[Member], options: &InCrate) -> String {
    let mut text = String::from("//! Dynamics of robots, each a type.\n\npub use rbd;\n");
    for Member { file, type_name, .. } in members {
        let _ = write!(
            text,
            "\nrbd::rbd_robot! {{\n    pub struct {type_name} {{\n        urdf: \"robots/{file}\",\n{}    }}\n}}\n",
            options.lines()
        );
    }
    text
}

fn readme(name: &str, members: &[Member]) -> String {
    let (module, first) = (name.replace('-', "_"), &members[0].type_name);
    let list: String = members.iter().fold(String::new(), |mut list, member| {
        let _ = writeln!(list, "- `{}`, from `robots/{}`", member.type_name, member.file);
        list
    });
    format!(
        "# {name}\n\nDynamics of robots, generated by `rbd` while this crate is compiled:\n\n{list}\n\
         In the crate that uses them:\n\n```toml\n[dependencies]\n{name} = {{ path = \"../{name}\" }}\n```\n\n\
         ```rust,ignore\nuse {module}::{first};\n\nlet q = {first}::neutral::<f64>();\nlet torques = {first}::gravity(&q);\n\
         println!(\"{{torques}}\");\n```\n\n\
         The order of the joints is on the type's page of `cargo doc --no-deps --open`, with limits; in code it is \
         `{first}::JOINTS`.\n\n\
         These lines belong into the `Cargo.toml` of your workspace, or of the crate that you build:\n\n\
         ```toml\n{PROFILE}```\n\n\
         This crate is compiled again when it or a URDF changes, and not when other crates do. Options (locked joints, \
         armature, fewer functions) go into `src/lib.rs`.\n"
    )
}
