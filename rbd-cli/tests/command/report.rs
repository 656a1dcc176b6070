//! Reports, as text and for machines.

use super::*;

#[test]
fn report_weighs_right_angles_with_few_digits() {
    let few = PENDULUM.replace(r#"<origin xyz="0 0 -1"/>"#, r#"<origin xyz="0 0 -1" rpy="1.5708 0 0"/>"#);
    let folder = folder(&[("few.urdf", &few), ("exact.urdf", &few.replace("1.5708", "1.5707963267948966"))]);
    let checked = rbd(&folder, &["check", "few.urdf"]);
    assert!(out(&checked).contains("note[right-angle-digits] few.urdf:15:"), "{}", out(&checked));
    let text = rbd(&folder, &["report", "few.urdf", "--functions", "rnea,crba"]);
    let text = out(&text);
    assert!(text.contains("with snap: 1e-5") && text.contains("more than 3.7e-6 rad"), "{text}");
    let total = |file: &str, more: &[&str]| {
        let json = rbd(&folder, &[&["report", "--json", "--functions", "rnea,crba", file], more].concat());
        let value: serde_json::Value = serde_json::from_str(out(&json)).unwrap();
        let totals = |v: &serde_json::Value, key: &str| -> Vec<u64> {
            v["functions"].as_array().unwrap().iter().map(|f| f[key].as_u64().unwrap()).collect()
        };
        let snapped = (!value["snapped"].is_null()).then(|| totals(&value["snapped"], "snapped"));
        (totals(&value, "total"), snapped)
    };
    let (own, snapped) = total("few.urdf", &[]);
    let (exact, none) = total("exact.urdf", &[]);
    let snapped = snapped.unwrap();
    assert!(none.is_none() && exact == snapped, "{exact:?} {snapped:?}");
    assert!(snapped.iter().zip(&own).all(|(less, more)| less <= more) && snapped != own);
    // With the option set already, it is not proposed again.
    assert_eq!(total("few.urdf", &["--snap", "1e-5"]), (exact, None));
}

#[test]
fn report_weighs_fused_functions() {
    let folder = folder(&[("p.urdf", PENDULUM)]);
    let asked =
        ["report", "p.urdf", "--functions", "rnea", "--fused", "Step: m, bias, jacobian(lower, world)"];
    let text = rbd(&folder, &asked);
    let text = out(&text);
    assert!(text.contains("one by one") && text.contains("frame_jacobian of lower"), "{text}");
    let json = rbd(&folder, &[&asked[..], &["--json"]].concat());
    let value: serde_json::Value = serde_json::from_str(out(&json)).unwrap();
    let step = &value["fused"][0];
    let total = |v: &serde_json::Value| v["total"].as_u64().unwrap();
    assert_eq!((&step["name"], step["parts"].as_array().unwrap().len()), (&"step".into(), 3));
    assert_eq!(
        step["one_by_one"].as_u64().unwrap(),
        step["parts"].as_array().unwrap().iter().map(total).sum::<u64>()
    );
    let dearest = step["parts"].as_array().unwrap().iter().map(total).max().unwrap() as f64;
    assert_eq!(step["dearest"], dearest / step["one_by_one"].as_f64().unwrap());
    assert!(
        text.contains(&format!("one by one ({:.0} %)", 100.0 * step["dearest"].as_f64().unwrap())),
        "{text}"
    );
    assert!(total(step) <= step["one_by_one"].as_u64().unwrap() && step["angles"] == 2, "{step}");
    let wrong = rbd(&folder, &["report", "p.urdf", "--fused", "Step: jacobian(lower, wrold)"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("did you mean `world`?"), "{}", err(&wrong));
}

#[test]
fn report_shows_counts_and_zeros() {
    let folder = folder(&[("double_pendulum.urdf", PENDULUM)]);
    let report = rbd(&folder, &["report", "double_pendulum.urdf"]);
    assert_eq!(report.status.code(), Some(0), "{}", err(&report));
    let text = out(&report);
    assert!(text.starts_with("double_pendulum (DoublePendulum, fixed base)\n"), "{text}");
    assert!(
        text.contains(
            "nq 2   nv 2   bodies 2   mimic 0   frames 3\nmass 3.5000 kg   gravity [0, 0, -9.81] m/s^2\n"
        ),
        "{text}"
    );
    for sentence in ["\nSlowest by its cost: `", "\nLargest: `", "\nTo try: "] {
        assert!(text.contains(sentence), "{text}");
    }
    assert!(text.contains("-2 to 2"));
    for function in rbd_build::Function::default_ones() {
        assert!(text.lines().any(|l| l.split_whitespace().next() == Some(function.name())), "{text}");
    }
    // By hand: M11 = I1 + I2 + m2 l1^2 + 2 m2 l1 r2 cos q2, M12 has that cosine, and M22 is constant. Nothing
    // depends on the first angle but gravity.
    let drawn = text.split("M  2 x 2").nth(1).expect("a drawing of M");
    let rows: Vec<&str> = drawn.lines().skip(2).map(|l| l.split("  ").next().unwrap()).take(2).collect();
    assert_eq!(rows, ["████", "██▒▒"], "{text}");
    assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");

    // Shapes that were compared are a line each; operations of loops are not counted as a straight
    // line's.
    let row = |text: &str, start: &[&str]| -> Vec<String> {
        let rows = text.lines().map(|l| l.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        rows.into_iter()
            .find(|row| row.starts_with(&start.iter().map(|&w| w.to_owned()).collect::<Vec<_>>()))
            .unwrap()
    };
    let compared = row(text, &["rnea_derivatives", "straight"]);
    let cost = |word: &str| word.replace(',', "").parse::<usize>().unwrap();
    assert!(compared[3] == "loops" && cost(&compared[2]) < cost(&compared[4]), "{compared:?}");
    let loops =
        rbd(&folder, &["report", "double_pendulum.urdf", "--functions", "minv", "--shape", "minv=loops"]);
    let counts = row(out(&loops), &["minv"]);
    assert!(cost(&counts[4]) < cost(&counts[6]), "{}", out(&loops));

    let refused = rbd(&folder, &["report", "nowhere.urdf"]);
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn report_for_machines_says_the_same_as_the_builder() {
    let heavy = PENDULUM.replace(
        r#"<link name="base"/>"#,
        r#"<link name="base"><inertial><mass value="1"/>
           <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>"#,
    );
    let folder = folder(&[("double_pendulum.urdf", &heavy)]);
    let report = rbd(&folder, &["report", "--json", "double_pendulum.urdf", "--floating"]);
    let value: serde_json::Value = serde_json::from_str(out(&report)).unwrap();
    assert_eq!((value["nq"].as_u64(), value["nv"].as_u64()), (Some(9), Some(8)));
    assert_eq!(value["joints"][0]["name"], "root_joint");
    assert!(value["joints"][1]["lower"].is_null());
    let robot = rbd_build::Robot::from_urdf(folder.path().join("double_pendulum.urdf"));
    let generated = robot.base(rbd_build::Base::Floating).trace().unwrap();
    let functions = value["functions"].as_array().unwrap();
    assert_eq!(functions.len(), rbd_build::Function::default_ones().count());
    let mut bytes = 0;
    for (shown, traced) in functions.iter().zip(&generated.functions) {
        assert_eq!(shown["name"], traced.function.name());
        assert_eq!(shown["total"].as_u64().unwrap() as usize, traced.count().total());
        // Fusing only merges a product with a sum.
        let count = |name: &str| shown[name].as_u64().unwrap();
        let fused = count("fused");
        assert!(fused <= count("total") && fused >= count("adds").max(count("muls")), "{shown}");
        // The generic algorithms of dynamics are counted.
        if rbd_build::Function::dynamics().any(|f| f == traced.function) {
            assert!(shown["generic"]["total"].as_u64() > shown["total"].as_u64(), "{shown}");
        }
        bytes += count("source_bytes");
    }
    let file = generated.source().len() as u64;
    assert_eq!(value["file_bytes"].as_u64(), Some(file));
    assert!(bytes < file && 2 * bytes > file, "{bytes} of {file}");
    // The plane of motion: forces along the floating base's y are felt by no other linear axis.
    let m = &value["patterns"][0];
    assert_eq!(m["name"], "M");
    let row: &str = m["rows"][1].as_str().unwrap();
    assert_eq!(&row[..3], ".c.");
}
