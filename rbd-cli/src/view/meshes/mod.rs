//! Meshes beside a URDF: their files, and the triangles in these.
//!
//! `folders` finds a file, `stl`, `obj`, `collada` and `gltf` read one each into `triangles`.

mod collada;
mod folders;
mod gltf;
mod obj;
mod stl;
mod triangles;

pub use folders::Folders;
pub use triangles::Triangles;

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

/// Largest file, bytes.
const LARGEST: u64 = 32 << 20;

/// Meshes by the names that a URDF gives them.
#[derive(Debug)]
pub struct Meshes {
    /// The meshes.
    pub all: Vec<Triangles>,
    folders: Folders,
    known: HashMap<String, Result<usize, String>>,
}

impl Meshes {
    /// No meshes yet.
    pub fn new(folders: Folders) -> Self {
        Self { all: Vec::new(), folders, known: HashMap::new() }
    }

    /// Index of the mesh in a file, which is read once.
    pub fn index(&mut self, name: &str) -> Result<usize, String> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let read = self.folders.find(name).and_then(|path| read(&path));
        let taken: usize = self.all.iter().map(Triangles::count).sum();
        let index = match read {
            Ok(mesh) if taken + mesh.count() > triangles::MOST => Err(format!(
                "its {} triangles are too many: a page has at most {}",
                mesh.count(),
                triangles::MOST
            )),
            Ok(mesh) => {
                self.all.push(mesh);
                Ok(self.all.len() - 1)
            }
            Err(why) => Err(why),
        };
        let index = index.map_err(|why| format!("{name}: {why}"));
        self.known.insert(name.to_owned(), index.clone());
        index
    }
}

fn read(path: &Path) -> Result<Triangles, String> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let read: fn(&[u8], &Path) -> Result<Triangles, String> = match extension.as_str() {
        "stl" => |bytes, _| stl::read(bytes),
        "obj" => |bytes, _| obj::read(bytes),
        "dae" => |bytes, _| collada::read(bytes),
        "gltf" | "glb" => gltf::read,
        _ => {
            return Err(format!(
                "files that end in .{extension} are not read; STL, OBJ, DAE, glTF and GLB are"
            ));
        }
    };
    let mesh = read(&contents(path)?, path)?;
    let mut numbers = mesh.parts.iter().flat_map(|part| &part.corners).flatten();
    match mesh.count() {
        0 => Err("no triangles".into()),
        _ if numbers.all(|x| x.is_finite()) => Ok(mesh),
        _ => Err("a number that is not finite".into()),
    }
}

/// Contents of a file, unless it is too large.
fn contents(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    file.map_err(|e| format!("cannot be read: {e}"))?;
    if bytes.len() as u64 > LARGEST { Err(format!("larger than {} MiB", LARGEST >> 20)) } else { Ok(bytes) }
}

/// Three numbers with white space between; what follows is ignored.
fn three(text: &str) -> Option<[f32; 3]> {
    let mut numbers = text.split_ascii_whitespace().map(|x| x.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_are_found_in_the_folder_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("arm_description");
        std::fs::create_dir_all(package.join("urdf")).unwrap();
        std::fs::create_dir_all(package.join("meshes")).unwrap();
        std::fs::write(package.join("meshes/a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        let mut meshes = Meshes::new(Folders::new(&package.join("urdf/arm.urdf"), &[]));
        assert_eq!(meshes.index("package://arm_description/meshes/a.obj"), Ok(0));
        for name in [
            "../meshes/a.obj",
            "package://../arm_description/meshes/a.obj",
            "/etc/passwd",
            "file:///etc/passwd",
            "https://x/a.stl",
        ] {
            assert!(meshes.index(name).is_err(), "{name}");
        }
        // The user may let a folder in, and nothing beside it.
        let mut meshes = Meshes::new(Folders::new(&package.join("urdf/arm.urdf"), &[package.join("meshes")]));
        assert_eq!(meshes.index("../meshes/a.obj"), Ok(0));
        std::fs::write(package.join("b.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        assert!(meshes.index("../b.obj").is_err() && meshes.index("../meshes/../b.obj").is_err());
        let mut meshes = Meshes::new(Folders::new(Path::new("elsewhere.urdf"), &[folder.path().to_owned()]));
        assert_eq!(meshes.index("package://arm_description/meshes/a.obj"), Ok(0));
    }

    #[test]
    fn nothing_is_made_of_files_without_triangles() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text, said) in [
            ("a.obj", "v 0 0 0\n", "no triangles"),
            ("b.obj", "v 0 0 inf\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"),
            ("c.ply", "", "files that end in .ply are not read"),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            assert!(read(&path).unwrap_err().contains(said), "{name}");
        }
    }
}
