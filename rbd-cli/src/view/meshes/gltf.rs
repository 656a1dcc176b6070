//! glTF 2.0 files (`.gltf`, `.glb`): triangles of the scene, with the base colors of their materials.
//!
//! The files' y axis is up, a link's z axis: the scene is turned, as RViz and Drake turn it.
//!
//! The crate `gltf` panics on files with accessors that are empty or of a wrong size. What is read
//! here is little: positions, indices, poses and colors.

use super::triangles::{Color, MOST, Point, Triangles};
use nalgebra::{Matrix4, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use serde_json::Value;
use std::path::{Component, Path};

/// Most nodes of a scene, each as often as it is named, and the deepest nesting.
const MOST_NODES: usize = 100_000;
const DEEPEST: usize = 100;

/// Triangles of a file.
pub fn read(bytes: &[u8], path: &Path) -> Result<Triangles, String> {
    let (json, own) = match bytes.strip_prefix(b"glTF") {
        Some(rest) => chunks(rest).ok_or("no GLB file of version 2")?,
        None => (bytes, None),
    };
    let json: Value = serde_json::from_slice(json).map_err(|e| format!("no glTF file: {e}"))?;
    let needed = json["extensionsRequired"].as_array().into_iter().flatten().filter_map(Value::as_str);
    // What is left changes materials and not shapes.
    if let Some(extension) = needed.into_iter().find(|name| !name.starts_with("KHR_materials_")) {
        return Err(format!("it needs the extension {extension}, which is not read"));
    }
    let mut buffers = Vec::new();
    for buffer in list(&json["buffers"]) {
        buffers.push(match buffer["uri"].as_str() {
            None => own.ok_or("a buffer without data")?.to_vec(),
            Some(uri) => data(uri, path)?,
        });
    }
    let mut reader = Reader { json: &json, buffers, triangles: Triangles::default(), nodes: 0 };
    let scene = &json["scenes"][json["scene"].as_u64().unwrap_or(0) as usize];
    let upright =
        Matrix4::new(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0);
    for node in list(&scene["nodes"]) {
        reader.node(node, &upright, 0)?;
    }
    Ok(reader.triangles)
}

/// The chunks of a GLB file after its magic number: JSON, and a buffer.
fn chunks(rest: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let word = |at: usize| Some(u32::from_le_bytes(rest.get(at..at.checked_add(4)?)?.try_into().ok()?));
    let chunk = |at: usize| {
        let (size, kind) = (usize::try_from(word(at)?).ok()?, word(at.checked_add(4)?)?);
        let begin = at.checked_add(8)?;
        Some((kind, rest.get(begin..begin.checked_add(size)?)?))
    };
    let (kind, json) = chunk(8)?;
    let second =
        chunk(16_usize.checked_add(json.len())?).filter(|(kind, _)| *kind == u32::from_le_bytes(*b"BIN\0"));
    (word(0)? == 2 && kind == u32::from_le_bytes(*b"JSON"))
        .then_some((json, second.map(|(_, buffer)| buffer)))
}

/// A buffer: within the address, or a file in the folder of the mesh.
fn data(uri: &str, path: &Path) -> Result<Vec<u8>, String> {
    if let Some(rest) = uri.strip_prefix("data:") {
        let base64 = rest.split_once(";base64,").ok_or("a buffer that is not base 64")?.1;
        let decoded = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, base64);
        return decoded.map_err(|e| format!("a buffer that is not base 64: {e}"));
    }
    let descends =
        Path::new(uri).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let file = folder.as_ref().and_then(|folder| folder.join(uri).canonicalize().ok());
    match (folder, file) {
        (Some(folder), Some(file)) if descends && file.starts_with(&folder) => super::contents(&file),
        _ => Err("a buffer that is no file in the folder of the mesh".into()),
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn index(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

/// Numbers of a list that has as many as asked for.
fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let numbers: Vec<f64> = value.as_array()?.iter().map(Value::as_f64).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

struct Reader<'a> {
    json: &'a Value,
    buffers: Vec<Vec<u8>>,
    triangles: Triangles,
    nodes: usize,
}

impl<'a> Reader<'a> {
    /// An object that an index names, such as a node.
    fn named(&self, kind: &str, at: &Value) -> Option<&'a Value> {
        self.json[kind].get(index(at)?)
    }

    fn node(&mut self, at: &Value, parent: &Matrix4<f64>, depth: usize) -> Result<(), String> {
        self.nodes += 1;
        if depth > DEEPEST || self.nodes > MOST_NODES {
            return Err("nodes that are nested too deep, or too many".into());
        }
        let node = self.named("nodes", at).ok_or("a node that is not there")?;
        let pose = parent * pose(node).ok_or("a pose that is none")?;
        if !node["mesh"].is_null() {
            let mesh = self.named("meshes", &node["mesh"]).ok_or("a mesh that is not there")?;
            for primitive in list(&mesh["primitives"]) {
                self.primitive(primitive, &pose)?;
            }
        }
        list(&node["children"]).try_for_each(|child| self.node(child, &pose, depth + 1))
    }

    fn primitive(&mut self, primitive: &Value, pose: &Matrix4<f64>) -> Result<(), String> {
        let mode = primitive["mode"].as_u64().unwrap_or(4);
        if !(4..=6).contains(&mode) {
            // Points and lines.
            return Ok(());
        }
        let points: Vec<Point> = self
            .accessor(&primitive["attributes"]["POSITION"], "VEC3")
            .filter(|(kind, bytes)| *kind == 5126 && bytes[0].len() == 12)
            .map(|(_, bytes)| bytes.into_iter().map(|bytes| point(bytes, pose)).collect())
            .ok_or("positions that cannot be read")?;
        let corners: Vec<Point> = if primitive["indices"].is_null() {
            points
        } else {
            let (kind, bytes) =
                self.accessor(&primitive["indices"], "SCALAR").ok_or("indices that cannot be read")?;
            let corner = |bytes: &[u8]| {
                let at = match kind {
                    5121 | 5123 | 5125 => bytes.iter().rev().fold(0, |at, byte| at << 8 | usize::from(*byte)),
                    _ => return None,
                };
                points.get(at).copied()
            };
            bytes.into_iter().map(corner).collect::<Option<_>>().ok_or("an index without a point")?
        };
        let color = self.named("materials", &primitive["material"]).map(color);
        match mode {
            4 => corners.chunks_exact(3).try_for_each(|face| self.triangles.polygon(color, face)),
            5 => corners.windows(3).try_for_each(|face| self.triangles.polygon(color, face)),
            _ => self.triangles.polygon(color, &corners),
        }
    }

    /// Kind of an accessor's numbers, and the bytes of each of its elements, at least one.
    fn accessor(&self, at: &Value, shape: &str) -> Option<(u64, Vec<&[u8]>)> {
        let accessor = self.named("accessors", at)?;
        let view = self.named("bufferViews", &accessor["bufferView"])?;
        let or_zero = |value: &Value| if value.is_null() { Some(0) } else { index(value) };
        let (begin, length) = (or_zero(&view["byteOffset"])?, index(&view["byteLength"])?);
        let bytes = self.buffers.get(index(&view["buffer"])?)?.get(begin..begin.checked_add(length)?)?;
        let kind = accessor["componentType"].as_u64()?;
        let of_one = match kind {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            5125 | 5126 => 4,
            _ => return None,
        };
        let size = if shape == "VEC3" { 3 * of_one } else { of_one };
        let (count, offset) = (index(&accessor["count"])?, or_zero(&accessor["byteOffset"])?);
        let stride = if view["byteStride"].is_null() { size } else { index(&view["byteStride"])? };
        if accessor["type"] != shape
            || !accessor["sparse"].is_null()
            || !(1..=3 * MOST).contains(&count)
            || stride < size
        {
            return None;
        }
        let element = |k: usize| {
            let at = offset.checked_add(k.checked_mul(stride)?)?;
            bytes.get(at..at.checked_add(size)?)
        };
        Some((kind, (0..count).map(element).collect::<Option<_>>()?))
    }
}

fn point(bytes: &[u8], pose: &Matrix4<f64>) -> Point {
    let number = |k: usize| f64::from(f32::from_le_bytes(std::array::from_fn(|i| bytes[4 * k + i])));
    let moved = pose.transform_point(&Point3::new(number(0), number(1), number(2)));
    [moved.x as f32, moved.y as f32, moved.z as f32]
}

/// Base color of a material, as displays show it: the file has linear light.
fn color(material: &Value) -> Color {
    let base = numbers(&material["pbrMetallicRoughness"]["baseColorFactor"]).unwrap_or([1.0; 4]);
    let shown = |x: f64| {
        let x = x.clamp(0.0, 1.0);
        if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
    };
    let opacity = if material["alphaMode"] == "BLEND" { base[3].clamp(0.0, 1.0) } else { 1.0 };
    [shown(base[0]), shown(base[1]), shown(base[2]), opacity]
}

/// Pose of a node in its parent. `None` if its numbers are none.
fn pose(node: &Value) -> Option<Matrix4<f64>> {
    if !node["matrix"].is_null() {
        return Some(Matrix4::from_column_slice(&numbers::<16>(&node["matrix"])?));
    }
    let or =
        |name: &str, other: [f64; 3]| if node[name].is_null() { Some(other) } else { numbers(&node[name]) };
    let [x, y, z] = or("translation", [0.0; 3])?;
    let scale = or("scale", [1.0; 3])?;
    let [i, j, k, w] =
        if node["rotation"].is_null() { [0.0, 0.0, 0.0, 1.0] } else { numbers(&node["rotation"])? };
    let rotation = UnitQuaternion::try_new(Quaternion::new(w, i, j, k), 1e-12)?;
    Some(
        Translation3::new(x, y, z).to_homogeneous()
            * rotation.to_homogeneous()
            * Matrix4::new_nonuniform_scaling(&Vector3::from(scale)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A triangle with indices, in a buffer: three points, then three indices of two bytes.
    fn buffer() -> Vec<u8> {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0_f32]];
        let mut bytes: Vec<u8> = points.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        bytes.extend([0_u16, 1, 2].iter().flat_map(|k| k.to_le_bytes()));
        bytes
    }

    fn file() -> Value {
        json!({
            "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [{"translation": [0, 0, 5], "children": [1]}, {"mesh": 0, "scale": [2, 2, 2]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
            "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0.2140411, 0.5]}}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
                          {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
            "buffers": [{"byteLength": 42}],
        })
    }

    fn glb(json: &Value) -> Vec<u8> {
        let json = json.to_string().into_bytes();
        let mut bytes = b"glTF".to_vec();
        bytes.extend([2_u32, 0, json.len() as u32].iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(*b"JSON");
        bytes.extend(json);
        bytes.extend((buffer().len() as u32).to_le_bytes());
        bytes.extend(*b"BIN\0");
        bytes.extend(buffer());
        bytes
    }

    #[test]
    fn triangles_are_where_the_scene_has_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gltf");
        std::fs::write(folder.path().join("a.bin"), buffer()).unwrap();
        let mut beside = file();
        beside["buffers"][0]["uri"] = "a.bin".into();
        let mut within = file();
        let base64 = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, buffer());
        within["buffers"][0]["uri"] = format!("data:application/octet-stream;base64,{base64}").into();
        for bytes in [glb(&file()), beside.to_string().into_bytes(), within.to_string().into_bytes()] {
            let read = read(&bytes, &path).unwrap();
            let [part] = &read.parts[..] else { panic!("{read:?}") };
            // y is up in the file, z in the link.
            assert_eq!(part.corners, [[0.0, -5.0, 0.0], [2.0, -5.0, 0.0], [0.0, -5.0, 2.0]]);
            let color = part.color.unwrap();
            let errors = color.iter().zip([1.0, 0.0, 0.5, 1.0]).map(|(x, y)| (x - y).abs());
            assert!(errors.fold(0.0, f64::max) < 1e-6);
        }
    }

    #[test]
    fn what_is_wrong_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("meshes/a.gltf");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(folder.path().join("a.bin"), buffer()).unwrap();
        let wrong: [(&str, Value); 13] = [
            ("/accessors/0/count", 4.into()),
            ("/accessors/0/count", 0.into()),
            ("/accessors/0/count", u64::MAX.into()),
            ("/accessors/1/count", 4.into()),
            ("/accessors/1/componentType", 5126.into()),
            ("/bufferViews/0/byteLength", u64::MAX.into()),
            ("/bufferViews/0/buffer", 7.into()),
            ("/nodes/0/children", json!([0])),
            ("/nodes/0/children", json!([9])),
            ("/nodes/1/mesh", 3.into()),
            ("/nodes/1/scale", json!([1])),
            ("/buffers/0", json!({"uri": "../a.bin"})),
            ("/buffers/0", json!({"uri": "https://x/a.bin"})),
        ];
        for (at, value) in wrong {
            let mut json = file();
            *json.pointer_mut(at).unwrap() = value;
            assert!(read(&glb(&json), &path).is_err(), "{at}");
        }
        let mut draco = file();
        draco["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
        assert!(read(&glb(&draco), &path).unwrap_err().contains("KHR_draco_mesh_compression"));
        // Every file that is cut off.
        let whole = glb(&file());
        for end in 0..whole.len() {
            let _ = read(&whole[..end], &path);
        }
    }
}
