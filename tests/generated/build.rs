//! Writes random URDFs and generates code for them and for some of the real robots, like a user's
//! build script.

#[path = "src/trees.rs"]
#[allow(dead_code)]
mod trees;
#[path = "src/urdf.rs"]
#[allow(dead_code)]
mod urdf;
#[path = "src/variants.rs"]
#[allow(dead_code)]
mod variants;

use rbd_build::{Base, Function};
use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    let out_dir = PathBuf::from(std::env::var("OUT_DIR")?);
    let (mut modules, mut list) = (String::new(), String::new());
    for tree in trees::trees().into_iter().chain(variants::variants()) {
        std::fs::write(out_dir.join(&tree.stem).with_extension("urdf"), tree.urdf.text())?;
        if !trees::compiled(&tree.stem) {
            continue;
        }
        // Not `generate`: it would watch the file, which is written here.
        let robot = tree.compiled_robot(&out_dir);
        let source = robot.trace().map_err(|e| format!("{}: {e}", tree.stem))?.source();
        std::fs::write(out_dir.join(&tree.stem).with_extension("rs"), source)?;
        let functions: Vec<&str> = if tree.functions.is_empty() {
            Function::dynamics().map(Function::name).collect()
        } else {
            tree.functions.iter().map(|f| f.name()).collect()
        };
        let (stem, name) = (&tree.stem, &tree.name);
        writeln!(
            modules,
            "pub mod {stem} {{ ::rbd::include_robot!({stem:?}); crate::compiled!({name}: {}); }}",
            functions.join(" ")
        )?;
        writeln!(list, "crate::Subject::of::<{stem}::{name}>({stem:?}),")?;
    }
    let modules =
        format!("{modules}/// Every random robot.\npub static ALL: &[crate::Subject<f64>] = &[\n{list}];\n");
    std::fs::write(out_dir.join("random.rs"), modules)?;

    // As in docs/front-ends.md. The macro generates the same robots.
    let robots = PathBuf::from("../../robots");
    rbd_build::Robot::from_urdf(robots.join("ur5.urdf")).functions(Function::dynamics()).generate()?;
    rbd_build::Robot::from_urdf(robots.join("hyq.urdf"))
        .name("Quadruped")
        .base(Base::Floating)
        .gravity([0.0, 0.0, -3.72])
        .lock("lf_kfe_joint", -0.5)
        .armature("rf_hfe_joint", 0.02)
        .damping(true)
        .stem("quadruped")
        .visibility("pub(crate)")
        .attributes("#[doc = \" On Mars, with one knee fixed.\"]")
        .functions([Function::Rnea, Function::Aba])
        .generate()?;
    Ok(())
}
