//! Shapes of a robot's links: `<visual>` and `<collision>`.

use super::meshes::{Folders, Meshes, Triangles};
use nalgebra::{Rotation3, Vector3};
use rbd_runtime::Model;
use rbd_runtime::spatial::Placement;
use roxmltree::{Document, Node};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A shape, m.
#[derive(Clone, Debug, PartialEq)]
pub enum SolidShape {
    /// Edges along the axes.
    Box(Vector3<f64>),
    /// Along z.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Length.
        length: f64,
    },
    /// Radius of the sphere.
    Sphere(f64),
    /// Triangles.
    Mesh {
        /// Index into the meshes.
        index: usize,
        /// Factors along the axes.
        scale: Vector3<f64>,
    },
}

/// A shape on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// The body that carries it, or the world.
    pub body: Option<usize>,
    /// Pose in the body's joint frame.
    pub pose: Placement<f64>,
    /// Shape of the solid.
    pub shape: SolidShape,
    /// Red, green, blue, opacity, if the URDF states them. Meshes may have their own.
    pub color: Option<[f64; 4]>,
    /// True for a `<collision>`.
    pub collision: bool,
}

/// Shapes of all links.
#[derive(Clone, Debug, Default)]
pub struct Geometry {
    /// The shapes.
    pub solids: Vec<Solid>,
    /// The meshes that shapes name.
    pub meshes: Vec<Triangles>,
    /// Shapes that are not drawn, and why.
    pub left_out: Vec<String>,
}

/// Color of collisions.
const COLLISION: [f64; 4] = [0.85, 0.45, 0.2, 0.45];

/// Shapes in a URDF, whose dynamics were accepted. What cannot be read is left out.
pub fn read(document: &Document, urdf: &Path, packages: &[PathBuf], model: &Model<f64>) -> Geometry {
    let mut geometry = Geometry::default();
    let root = document.root_element();
    let mut meshes = Meshes::new(Folders::new(urdf, packages));
    let materials: HashMap<&str, [f64; 4]> = children(root, "material")
        .filter_map(|material| Some((material.attribute("name")?, color(material)?)))
        .collect();
    for link in children(root, "link") {
        let name = link.attribute("name").unwrap_or_default();
        let Some(frame) = model.frames.iter().find(|frame| frame.name == name) else { continue };
        for (tag, collision) in [("visual", false), ("collision", true)] {
            for node in children(link, tag) {
                let shape = match children(node, "geometry").find_map(|g| shape(g, &mut meshes)) {
                    Some(Ok(shape)) => shape,
                    Some(Err(why)) => {
                        let what = format!("<{tag}> of link {name}: {why}");
                        // Several shapes may name one file.
                        if !geometry.left_out.contains(&what) {
                            geometry.left_out.push(what);
                        }
                        continue;
                    }
                    None => continue,
                };
                let material = children(node, "material").next();
                let named = || materials.get(material?.attribute("name")?).copied();
                let own = material.and_then(color).or_else(named);
                geometry.solids.push(Solid {
                    body: frame.body,
                    pose: frame.placement.compose(&origin(node)),
                    shape,
                    color: if collision { Some(COLLISION) } else { own },
                    collision,
                });
            }
        }
    }
    geometry.meshes = meshes.all;
    geometry
}

pub(super) fn children<'a, 'i>(node: Node<'a, 'i>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.tag_name().name() == tag)
}

/// Numbers of an attribute, if there are as many as asked for and all are finite.
pub(super) fn numbers<const N: usize>(node: Node<'_, '_>, name: &str) -> Option<[f64; N]> {
    let numbers: Vec<f64> =
        node.attribute(name)?.split_ascii_whitespace().map(|x| x.parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok().filter(|numbers: &[f64; N]| numbers.iter().all(|x| x.is_finite()))
}

fn color(material: Node<'_, '_>) -> Option<[f64; 4]> {
    let rgba: [f64; 4] = numbers(children(material, "color").next()?, "rgba")?;
    Some(rgba.map(|x| x.clamp(0.0, 1.0)))
}

/// The `<origin>` of a shape, by default the identity.
pub(super) fn origin(node: Node<'_, '_>) -> Placement<f64> {
    let Some(origin) = children(node, "origin").next() else { return Placement::identity() };
    let translation = numbers(origin, "xyz").unwrap_or([0.0; 3]);
    let [roll, pitch, yaw] = numbers(origin, "rpy").unwrap_or([0.0; 3]);
    let rotation = Rotation3::from_euler_angles(roll, pitch, yaw).into_inner();
    Placement { rotation, translation: translation.into() }
}

/// A shape, or why it cannot be drawn. `None` if there is none.
fn shape(geometry: Node<'_, '_>, meshes: &mut Meshes) -> Option<Result<SolidShape, String>> {
    let node = geometry.children().find(Node::is_element)?;
    let one = |name: &str| numbers::<1>(node, name).map(|[x]| x);
    let read = || {
        Some(match node.tag_name().name() {
            "box" => SolidShape::Box(numbers::<3>(node, "size")?.into()),
            "cylinder" | "capsule" => SolidShape::Cylinder { radius: one("radius")?, length: one("length")? },
            "sphere" => SolidShape::Sphere(one("radius")?),
            _ => return None,
        })
    };
    Some(match node.tag_name().name() {
        "mesh" => {
            let scale = numbers::<3>(node, "scale").unwrap_or([1.0; 3]).into();
            meshes
                .index(node.attribute("filename").unwrap_or_default())
                .map(|index| SolidShape::Mesh { index, scale })
        }
        tag => read().ok_or_else(|| format!("a <{tag}> that cannot be read")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rbd_build::Robot;

    const URDF: &str = r#"<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material>
        <link name="base"><collision><geometry><box size="1 2 3"/></geometry></collision></link>
        <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
          <visual><origin xyz="0 0 1" rpy="1.5707963267948966 0 0"/>
            <geometry><cylinder radius="0.1" length="2"/></geometry><material name="red"/></visual>
          <visual><geometry><sphere radius="x"/></geometry></visual>
          <visual><geometry><mesh filename="../../../etc/passwd"/></geometry></visual></link>
        <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"#;

    #[test]
    fn shapes_are_read_and_others_are_left_out() {
        let model = Robot::from_urdf_text("r.urdf", URDF).read().unwrap().model;
        let geometry = read(&Document::parse(URDF).unwrap(), Path::new("r.urdf"), &[], &model);
        let [fixed, arm] = &geometry.solids[..] else { panic!("{geometry:?}") };
        assert_eq!((fixed.body, fixed.collision), (None, true));
        assert_eq!(fixed.shape, SolidShape::Box(Vector3::new(1.0, 2.0, 3.0)));
        assert_eq!((arm.body, arm.color), (Some(0), Some([1.0, 0.0, 0.0, 1.0])));
        assert!((arm.pose.act_point(&Vector3::z()) - Vector3::new(0.0, -1.0, 1.0)).norm() < 1e-12);
        assert_eq!(geometry.left_out.len(), 2, "{:?}", geometry.left_out);
        assert!(geometry.left_out[0].contains("a <sphere> that cannot be read"));
    }
}
