//! COLLADA files (`.dae`): triangles of the scene, with the colors of their materials.
//!
//! The axis that is up is ignored, as RViz ignores it: published robots rely on that. The unit counts.

use super::triangles::{Color, MOST, Triangles};
use nalgebra::{Matrix4, Point3, Rotation3, Translation3, Unit, Vector3};
use roxmltree::{Document, Node};
use std::collections::HashMap;

/// Most nodes of a scene, each as often as it is instanced, and the deepest nesting.
const MOST_NODES: usize = 100_000;
const DEEPEST: usize = 100;

/// Triangles of a COLLADA file.
pub fn read(bytes: &[u8]) -> Result<Triangles, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "no UTF-8 text")?;
    let document =
        Document::parse(text.trim_start_matches('\u{feff}')).map_err(|e| format!("no XML: {e}"))?;
    let root = document.root_element();
    let named = root.descendants().filter_map(|node| Some((node.attribute("id")?, node)));
    let mut reader = Reader { ids: named.collect(), triangles: Triangles::default(), nodes: 0 };
    let unit = find(root, &["asset", "unit"]).and_then(|unit| unit.attribute("meter")?.parse().ok());
    let to_metres = Matrix4::new_scaling(unit.unwrap_or(1.0));
    let scene =
        find(root, &["scene", "instance_visual_scene"]).and_then(|instance| reader.named(instance, "url"));
    match scene {
        Some(scene) => children(scene, "node").try_for_each(|node| reader.node(node, to_metres, 0))?,
        None => {
            for library in children(root, "library_geometries") {
                for geometry in children(library, "geometry") {
                    reader.geometry(geometry, &to_metres, None)?;
                }
            }
        }
    }
    Ok(reader.triangles)
}

struct Reader<'a, 'i> {
    ids: HashMap<&'a str, Node<'a, 'i>>,
    triangles: Triangles,
    nodes: usize,
}

impl<'a, 'i> Reader<'a, 'i> {
    /// The element that an attribute refers to, such as `url="#body"`.
    fn named(&self, node: Node<'a, 'i>, attribute: &str) -> Option<Node<'a, 'i>> {
        self.ids.get(node.attribute(attribute)?.trim_start_matches('#')).copied()
    }

    fn node(&mut self, node: Node<'a, 'i>, parent: Matrix4<f64>, depth: usize) -> Result<(), String> {
        self.nodes += 1;
        if depth > DEEPEST || self.nodes > MOST_NODES {
            return Err("nodes that are nested too deep, or too many".into());
        }
        let mut pose = parent;
        for child in node.children().filter(Node::is_element) {
            // Transformations stand before what they move.
            match child.tag_name().name() {
                tag @ ("matrix" | "translate" | "rotate" | "scale") => {
                    pose *= transformation(tag, child).ok_or_else(|| format!("a <{tag}> that is none"))?;
                }
                tag @ ("skew" | "lookat" | "instance_controller") => {
                    return Err(format!("a <{tag}> is not read"));
                }
                "instance_geometry" => {
                    let geometry = self.named(child, "url").ok_or("an <instance_geometry> of nothing")?;
                    self.geometry(geometry, &pose, Some(child))?;
                }
                "instance_node" => {
                    let node = self.named(child, "url").ok_or("an <instance_node> of nothing")?;
                    self.node(node, pose, depth + 1)?;
                }
                "node" => self.node(child, pose, depth + 1)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Color of the material that an instance binds to a symbol.
    fn color(&self, symbol: Option<&str>, instance: Option<Node<'a, 'i>>) -> Option<Color> {
        let symbol = symbol?;
        let bound =
            instance.and_then(|instance| find(instance, &["bind_material", "technique_common"])).and_then(
                |bound| children(bound, "instance_material").find(|m| m.attribute("symbol") == Some(symbol)),
            );
        let material =
            bound.and_then(|bound| self.named(bound, "target")).or_else(|| self.ids.get(symbol).copied())?;
        let effect = self.named(children(material, "instance_effect").next()?, "url")?;
        let diffuse = effect
            .descendants()
            .find(|node| node.has_tag_name("diffuse") || node.tag_name().name() == "diffuse")?;
        let [r, g, b, _]: [f64; 4] = numbers(children(diffuse, "color").next()?)?.try_into().ok()?;
        // How opaque a material is has no agreed meaning among exporters.
        Some([r.clamp(0.0, 1.0), g.clamp(0.0, 1.0), b.clamp(0.0, 1.0), 1.0])
    }

    fn geometry(
        &mut self,
        geometry: Node<'a, 'i>,
        pose: &Matrix4<f64>,
        instance: Option<Node<'a, 'i>>,
    ) -> Result<(), String> {
        let mesh = children(geometry, "mesh").next().ok_or("a <geometry> without a <mesh>")?;
        for primitive in mesh.children().filter(Node::is_element) {
            let kind = primitive.tag_name().name();
            if !["triangles", "polylist", "polygons", "tristrips", "trifans"].contains(&kind) {
                continue;
            }
            let broken = || format!("<{kind}> that cannot be read");
            let vertices =
                children(primitive, "input").find(|input| input.attribute("semantic") == Some("VERTEX"));
            let Some(vertices) = vertices else { continue };
            let points = self.points(vertices, pose).ok_or_else(broken)?;
            let offset = |input: Node<'_, '_>| {
                input.attribute("offset").map_or(Some(0), |text| text.parse::<usize>().ok())
            };
            let offsets: Vec<usize> =
                children(primitive, "input").map(offset).collect::<Option<_>>().ok_or_else(broken)?;
            let (first, stride) = (
                offset(vertices).ok_or_else(broken)?,
                offsets.iter().max().map_or(1, |most| most.saturating_add(1)),
            );
            let color = self.color(primitive.attribute("material"), instance);
            let mut lists = Vec::new();
            for list in children(primitive, "p") {
                let indices = whole(list).ok_or_else(broken)?;
                let corners: Option<Vec<[f32; 3]>> = indices
                    .chunks_exact(stride)
                    .map(|corner| points.get(*corner.get(first)?).copied())
                    .collect();
                lists.push(corners.ok_or_else(broken)?);
            }
            let counts = children(primitive, "vcount")
                .next()
                .map(|counts| whole(counts).ok_or_else(broken))
                .transpose()?;
            for corners in &lists {
                self.faces(kind, color, corners, counts.as_deref()).ok_or_else(broken)??;
            }
        }
        Ok(())
    }

    /// Faces of a list of corners. `None` if there are too few corners.
    fn faces(
        &mut self,
        kind: &str,
        color: Option<Color>,
        corners: &[[f32; 3]],
        counts: Option<&[usize]>,
    ) -> Option<Result<(), String>> {
        let triangles = &mut self.triangles;
        Some(match kind {
            "triangles" => corners.chunks_exact(3).try_for_each(|face| triangles.polygon(color, face)),
            "tristrips" => corners.windows(3).try_for_each(|face| triangles.polygon(color, face)),
            "polylist" => {
                let mut at = 0_usize;
                let mut done = Ok(());
                for count in counts? {
                    let end = at.checked_add(*count)?;
                    done = done.and(triangles.polygon(color, corners.get(at..end)?));
                    at = end;
                }
                done
            }
            _ => triangles.polygon(color, corners),
        })
    }

    /// Positions of vertices, moved by a pose.
    fn points(&self, vertices: Node<'a, 'i>, pose: &Matrix4<f64>) -> Option<Vec<[f32; 3]>> {
        let vertices = self.named(vertices, "source")?;
        let input =
            children(vertices, "input").find(|input| input.attribute("semantic") == Some("POSITION"))?;
        let source = self.named(input, "source")?;
        let values = numbers(children(source, "float_array").next()?)?;
        let accessor = find(source, &["technique_common", "accessor"]);
        let number = |name| match accessor.and_then(|accessor| accessor.attribute(name)) {
            Some(text) => text.parse::<usize>().ok(),
            None => Some(if name == "stride" { 3 } else { 0 }),
        };
        let (stride, offset) = (number("stride")?, number("offset")?);
        if stride < 3 || values.len() / 3 > 3 * MOST {
            return None;
        }
        let points = values.get(offset..)?.chunks(stride).filter(|point| point.len() >= 3).map(|point| {
            let moved = pose.transform_point(&Point3::new(point[0], point[1], point[2]));
            [moved.x as f32, moved.y as f32, moved.z as f32]
        });
        Some(points.collect())
    }
}

fn children<'a, 'i>(node: Node<'a, 'i>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.tag_name().name() == tag)
}

/// The first element along a path of tags.
fn find<'a, 'i>(node: Node<'a, 'i>, path: &[&'static str]) -> Option<Node<'a, 'i>> {
    path.iter().try_fold(node, |node, tag| children(node, tag).next())
}

fn numbers(node: Node<'_, '_>) -> Option<Vec<f64>> {
    node.text().unwrap_or_default().split_ascii_whitespace().map(|x| x.parse().ok()).collect()
}

fn whole(node: Node<'_, '_>) -> Option<Vec<usize>> {
    node.text().unwrap_or_default().split_ascii_whitespace().map(|x| x.parse().ok()).collect()
}

fn transformation(tag: &str, node: Node<'_, '_>) -> Option<Matrix4<f64>> {
    let numbers = numbers(node)?;
    Some(match (tag, &numbers[..]) {
        ("matrix", rows) if rows.len() == 16 => Matrix4::from_row_slice(rows),
        ("translate", [x, y, z]) => Translation3::new(*x, *y, *z).to_homogeneous(),
        ("scale", [x, y, z]) => Matrix4::new_nonuniform_scaling(&Vector3::new(*x, *y, *z)),
        ("rotate", [x, y, z, degrees]) => match Unit::try_new(Vector3::new(*x, *y, *z), 1e-12) {
            Some(axis) => Rotation3::from_axis_angle(&axis, degrees.to_radians()).to_homogeneous(),
            None => Matrix4::identity(),
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with a unit of centimetres and a red square, with primitives and a scene.
    fn file(primitives: &str, scene: &str) -> String {
        format!(
            r##"<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"><asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
            <library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong>
              <diffuse><color sid="d">1 0.5 0 0.2</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
            <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
            <library_geometries><geometry id="g"><mesh>
              <source id="s"><float_array count="12">0 0 0 100 0 0 100 100 0 0 100 0</float_array>
                <technique_common><accessor count="4" stride="3" source="#x"/></technique_common></source>
              <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>{primitives}</mesh></geometry></library_geometries>
            <library_visual_scenes><visual_scene id="w">{scene}</visual_scene></library_visual_scenes>
            <scene><instance_visual_scene url="#w"/></scene></COLLADA>"##
        )
    }

    const TRIANGLES: &str = r##"<triangles material="red" count="1"><input semantic="NORMAL" source="#n" offset="0"/>
        <input semantic="VERTEX" source="#v" offset="1"/><p>9 0 9 1 9 2</p></triangles>"##;
    const INSTANCE: &str = r##"<instance_geometry url="#g"><bind_material><technique_common>
        <instance_material symbol="red" target="#m"/></technique_common></bind_material></instance_geometry>"##;

    #[test]
    fn triangles_are_where_the_scene_has_them() {
        let node = format!(
            "<node><translate>0 0 100</translate><rotate>0 0 2 90</rotate><node><scale>2 1 1</scale>{INSTANCE}</node></node>"
        );
        let read = read(file(TRIANGLES, &node).as_bytes()).unwrap();
        let [part] = &read.parts[..] else { panic!("{read:?}") };
        assert_eq!(part.color, Some([1.0, 0.5, 0.0, 1.0]));
        let expected = [[0.0, 0.0, 1.0], [0.0, 2.0, 1.0], [-1.0, 2.0, 1.0]];
        for (corner, expected) in part.corners.iter().zip(expected) {
            let error = (0..3).map(|k| (corner[k] - expected[k]).abs()).fold(0.0, f32::max);
            assert!(error < 1e-6, "{corner:?}");
        }
    }

    #[test]
    fn every_kind_of_face_is_read() {
        let with = |tag: &str, lists: &str| {
            format!(r##"<{tag}><input semantic="VERTEX" source="#v" offset="0"/>{lists}</{tag}>"##)
        };
        let node = format!("<node>{INSTANCE}</node>");
        for (primitives, count) in [
            (with("polylist", "<vcount>4 3</vcount><p>0 1 2 3 0 1 2</p>"), 3),
            (with("polygons", "<p>0 1 2 3</p><p>0 1 2</p>"), 3),
            (with("tristrips", "<p>0 1 2 3</p>"), 2),
            (with("trifans", "<p>0 1 2 3</p>"), 2),
            (with("lines", "<p>0 1</p>"), 0),
        ] {
            assert_eq!(read(file(&primitives, &node).as_bytes()).unwrap().count(), count, "{primitives}");
        }
        for wrong in [
            with("triangles", "<p>0 1 4</p>"),
            with("triangles", "<p>0 1 -1</p>"),
            with("polylist", "<vcount>4 3</vcount><p>0 1 2 3 0</p>"),
            with("polylist", "<vcount>18446744073709551615 3</vcount><p>0 1 2 3 0</p>"),
        ] {
            assert!(read(file(&wrong, &node).as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn scenes_end() {
        // A node within itself, and one that doubles thirty times.
        let own = r##"<node id="a"><instance_node url="#a"/></node>"##;
        let mut doubled = format!(r#"<node id="n0">{INSTANCE}</node>"#);
        for k in 1..30 {
            let inner = format!(r##"<instance_node url="#n{}"/>"##, k - 1);
            doubled += &format!(r#"<node id="n{k}">{inner}{inner}</node>"#);
        }
        for scene in [own, &doubled] {
            assert!(read(file(TRIANGLES, scene).as_bytes()).is_err());
        }
        assert!(read(b"<robot/>").is_ok_and(|triangles| triangles.count() == 0));
        assert!(read(b"<x").unwrap_err().starts_with("no XML"));
    }
}
