#!/usr/bin/env python3
"""Makes the pictures of `rbd view`: docs/view.webp, docs/findings.webp, docs/replay.webp and docs/ground.webp.

    pip install pillow; cargo build -p rbd-cli; tools/view_pictures.py target/debug/rbd target/recordings/trot.csv

Names of pictures after these make no others.

Needs headless Chromium. Robots with their meshes are those of the package that tools/fetch_robots.py takes them from; the
recording is that of `cargo run --release --example trot`.
"""

import pathlib
import subprocess
import sys
import tempfile
import zipfile

from PIL import Image

from fetch_robots import ERD, ROBOTS, ROOTS

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader", "--disable-background-networking", "--hide-scrollbars"]
# Name: robot, flags, and what a person would do on the page before the picture is taken.
PICTURES = {
    "view": ("g1", ["--floating"], """
        for (const name of ["inertia", "center", "gravity"]) document.getElementById(`show-${name}`).click();
        [...document.querySelectorAll("#joints input")].forEach((slider, k) => {
            slider.value = 0.9 * Number(slider.value) + 0.1 * Number(k % 2 ? slider.max : slider.min);
            slider.dispatchEvent(new Event("input"));
        });
        rbd.view.zoom(0.66);
        rbd.view.turn(0.1, -0.2);
    """),
    "findings": ("anymal_c", ["--floating"], "rbd.view.zoom(0.62); rbd.view.turn(0.3, 0);"),
    # It falls for four seconds.
    "ground": ("hyq", ["--floating"], """
        rbd.state.damping = 5;
        for (let k = 0; k < 4000; k++) rbd.state.step();
        for (const name of ["findings", "forces"]) document.getElementById(`show-${name}`).click();
        rbd.view.target = rbd.state.pose(0).slice(12, 15);
        rbd.view.zoom(0.6);
        rbd.view.turn(0.5, 0.1);
    """),
    "replay": ("hyq", ["--floating", "--trajectory", "RECORDING"], """
        const time = document.getElementById("time");
        time.value = 1.35;
        time.dispatchEvent(new Event("input"));
        document.getElementById("show-findings").click();
        document.getElementById("show-center").click();
        rbd.view.zoom(0.85);
        rbd.view.turn(0.3, 0);
    """),
}


def main():
    rbd, recording = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, "--dest", str(folder), ERD], check=True)
        (wheel,) = folder.glob("*.whl")
        zipfile.ZipFile(wheel).extractall(folder)
        for name in sys.argv[3:] or PICTURES:
            robot, flags, script = PICTURES[name]
            urdf = folder / ROOTS[ERD] / ROBOTS[robot][1]
            page, png = folder / f"{name}.html", folder / f"{name}.png"
            flags = [recording if flag == "RECORDING" else flag for flag in flags]
            subprocess.run([rbd, "view", str(urdf), "-o", str(page), *flags], check=True)
            text = page.read_text()
            page.write_text(text.replace("</body>", f"<script>{{{script}; rbd.draw();}}</script></body>"))
            # Twice the size, made smaller: without a graphics processor the page's edges are not smoothed.
            options = ["--window-size=1100,680", "--force-device-scale-factor=2", f"--user-data-dir={folder / 'profile'}", f"--screenshot={png}"]
            subprocess.run([*CHROMIUM, *options, f"file://{page}"], check=True, stderr=subprocess.DEVNULL)
            picture = Image.open(png).convert("RGB").resize((1100, 680), Image.Resampling.LANCZOS)
            picture.save(DOCS / f"{name}.webp", quality=82, method=6)


if __name__ == "__main__":
    main()
