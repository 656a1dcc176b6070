//! `rbd view` without a browser: what is in the page, and what is refused.

use super::{PENDULUM, err, folder, names, rbd};

#[test]
fn view_writes_one_page_without_connections() {
    let mesh = r#"<visual><geometry><mesh filename="package://arm/rod.obj"/></geometry></visual>
        <collision><geometry><mesh filename="package://arm/rod.ply"/></geometry></collision>"#;
    let urdf = PENDULUM.replacen(r#"<link name="upper">"#, &format!(r#"<link name="upper">{mesh}"#), 1);
    let rod = "v 0 0 0\nv 1 0 0\nv 0 0 -1\nf 1 2 3\n";
    let folder = folder(&[("arm.urdf", &urdf), ("rod.obj", rod), ("rod.ply", "")]);
    let made = rbd(&folder, &["view", "arm.urdf", "-o", "arm.html"]);
    assert!(made.status.success(), "{}", err(&made));
    assert!(
        err(&made).contains(
            "<collision> of link upper: package://arm/rod.ply: files that end in .ply are not read"
        )
    );
    let page = std::fs::read_to_string(folder.path().join("arm.html")).unwrap();
    assert!(page.contains("default-src 'none'") && !page.contains("src=") && !page.contains("@import"));
    assert!(!page.contains("export ") && page.matches("</script>").count() == 2);
    assert!(page.contains("function aba_fext(") && page.contains(r#""kind":"mesh""#));
    for placeholder in ["STYLE", "SCRIPT", ">DATA<"] {
        assert!(!page.contains(placeholder), "{placeholder}");
    }
}

#[test]
fn view_replays_recordings() {
    let folder =
        folder(&[("arm.urdf", PENDULUM), ("run.csv", "t,q0,q1\n0,0,0\n1,0.5,1\n"), ("bad.csv", "0,1\n")]);
    let made = rbd(&folder, &["view", "arm.urdf", "-o", "arm.html", "--trajectory", "run.csv"]);
    assert!(made.status.success(), "{}", err(&made));
    let page = std::fs::read_to_string(folder.path().join("arm.html")).unwrap();
    assert!(page.contains(r#""trajectory":{"times":[0.0,1.0],"configurations":[[0.0,0.0],[0.5,1.0]]}"#));
    let bad = rbd(&folder, &["view", "arm.urdf", "-o", "bad.html", "--trajectory", "bad.csv"]);
    assert!(
        err(&bad).contains("bad.csv: line 1 has 2 numbers; a time and q are 3, with v 5"),
        "{}",
        err(&bad)
    );
    assert!(!names(folder.path()).contains(&folder.path().join("bad.html")));
}

#[test]
fn view_writes_nothing_of_what_is_wrong() {
    let folder = folder(&[("arm.urdf", PENDULUM), ("bad.urdf", &super::bad())]);
    let over = rbd(&folder, &["view", "arm.urdf", "-o", "arm.urdf"]);
    assert!(err(&over).contains("arm.urdf is the URDF itself"));
    let bad = rbd(&folder, &["view", "bad.urdf", "-o", "bad.html"]);
    assert!(err(&bad).contains("zero-axis") && names(folder.path()).len() == 2);
}

#[test]
fn view_follows_no_path_out_of_the_folder() {
    let names = [
        "../secret.obj",
        "package://../secret.obj",
        "package://arm/../secret.obj",
        "linked.obj",
        "buffer.gltf",
    ];
    let visuals = |folder: &str| -> String {
        let absolute = format!("{folder}/secret.obj");
        let all = names.iter().copied().chain([absolute.as_str()]);
        all.map(|name| format!(r#"<visual><geometry><mesh filename="{name}"/></geometry></visual>"#))
            .collect()
    };
    let folder =
        folder(&[("secret.obj", "v 0 0 0\nv 1 0 0\nv 0 0 -1\nf 1 2 3\n"), ("secret.bin", "123456789012")]);
    let path = folder.path().display().to_string();
    let own = folder.path().join("own");
    std::fs::create_dir(&own).unwrap();
    let link = r#"<link name="upper">"#;
    std::fs::write(own.join("arm.urdf"), PENDULUM.replacen(link, &format!("{link}{}", visuals(&path)), 1))
        .unwrap();
    std::fs::write(own.join("buffer.gltf"), r#"{"buffers":[{"byteLength":12,"uri":"../secret.bin"}]}"#)
        .unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("secret.obj"), own.join("linked.obj")).unwrap();
    let made = rbd(&folder, &["view", "own/arm.urdf", "-o", "arm.html"]);
    assert!(made.status.success(), "{}", err(&made));
    let page = std::fs::read_to_string(folder.path().join("arm.html")).unwrap();
    assert!(!page.contains(r#""kind":"mesh""#) && page.contains(r#""meshes":[]"#));
    assert_eq!(err(&made).matches("left out: ").count(), names.len() + 1, "{}", err(&made));
}
