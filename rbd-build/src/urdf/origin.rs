//! Poses: `<origin xyz="..." rpy="..."/>`, or with `quat_xyzw` in place of `rpy`.

use super::elements::{Element, SHORTEST, UNIT};
use super::rigid;
use super::units::Stated;
use crate::urdf::findings::{At, Report};
use crate::urdf::options::ReadOptions;
use nalgebra::{Matrix3, Vector3, Vector4};
use rbd_runtime::spatial::Placement;
use roxmltree::Node;

/// An `<origin>`, and its numbers as they stand there; `None` where it is faulty.
pub(super) fn read(
    element: Element<'_, '_, '_>,
    options: &ReadOptions,
    report: &mut Report,
) -> Option<(Placement<f64>, Stated)> {
    let xyz = element.vector("xyz", report);
    let stated = |xyz: Vector3<f64>, rpy: Vector3<f64>| Stated {
        xyz: (xyz.into(), element.at_attribute("xyz")),
        rpy: (rpy.into(), element.at_attribute("rpy")),
    };
    if !element.node.has_attribute("quat_xyzw") {
        let rpy = element.vector("rpy", report);
        let (xyz, rpy) = (xyz?, rpy?);
        return Some((rigid::origin(xyz, rpy, options.snapping()), stated(xyz, rpy)));
    }
    if element.node.has_attribute("rpy") {
        report.error(
            "two-rotations",
            element.at_attribute("quat_xyzw"),
            element.subject,
            "`<origin>` has both `rpy` and `quat_xyzw`",
            "keep the one that is meant",
        );
        return None;
    }
    let rotation = quaternion(element, report);
    let (rotation, xyz) = (rotation?, xyz?);
    Some((Placement { rotation, translation: xyz }, stated(xyz, Vector3::zeros())))
}

/// The rotation of a quaternion x, y, z, w of any length.
fn quaternion(element: Element<'_, '_, '_>, report: &mut Report) -> Option<Matrix3<f64>> {
    let q = Vector4::from(element.numbers::<4>("quat_xyzw", report)?);
    let largest = q.amax();
    if largest < SHORTEST {
        let what = if largest == 0.0 {
            "the quaternion is zero"
        } else {
            "the quaternion is too short to be a rotation"
        };
        report.error(
            "zero-quaternion",
            element.at_attribute("quat_xyzw"),
            element.subject,
            what,
            "give x, y, z and w; no rotation is `quat_xyzw=\"0 0 0 1\"`",
        );
        return None;
    }
    let scaled = q / largest;
    let norm = largest * scaled.norm();
    if (norm - 1.0).abs() > UNIT {
        let unit = scaled / scaled.norm();
        report.warn(
            "non-unit-quaternion",
            element.at_attribute("quat_xyzw"),
            element.subject,
            format!("the quaternion has length {norm}; it is normalised"),
            format!("write `quat_xyzw=\"{} {} {} {}\"`", unit.x, unit.y, unit.z, unit.w),
        );
    }
    Some(rotation(scaled))
}

/// Rotation of a nonzero quaternion.
///
/// Dividing by its square, not by its length, makes quarter turns exact: every term of (1, 0, 0, 1)
/// is a whole number.
fn rotation(q: Vector4<f64>) -> Matrix3<f64> {
    let (v, w) = (Vector3::new(q.x, q.y, q.z), q.w);
    let s = 2.0 / q.norm_squared();
    let mut r = (v * v.transpose() + v.cross_matrix() * w) * s;
    for i in 0..3 {
        r[(i, i)] = 1.0 - (v.norm_squared() - v[i] * v[i]) * s;
    }
    r
}

/// Warns, once for the file, of `quat_xyzw` where the file's version says that it is not there.
pub(super) fn judge_version(root: Node<'_, '_>, report: &mut Report) {
    let version = root.attribute("version").unwrap_or("1.0").trim();
    let mut numbers = version.split('.').map(|n| n.parse::<u32>().unwrap_or(0));
    let (major, minor) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if (major, minor) >= (1, 1) {
        return;
    }
    let read = |n: &Node<'_, '_>| {
        let carried = n.parent().is_some_and(|p| matches!(p.tag_name().name(), "joint" | "inertial"));
        carried && n.tag_name().name() == "origin"
    };
    let found = root.descendants().filter(read).find_map(|n| n.attribute_node("quat_xyzw"));
    if let Some(attribute) = found {
        report.warn(
            "quaternion-version",
            At::Byte(attribute.range().start),
            "robot",
            format!(
                "`quat_xyzw` is read, but the file's version is {version}, in which other readers ignore it"
            ),
            "write `<robot name=\"...\" version=\"1.1\">`, where all agree on it, or `rpy`",
        );
    }
}
