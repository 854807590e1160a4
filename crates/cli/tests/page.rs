//! The HTML report in a real browser: Chromium, headless, at desktop and narrow width, light and dark.
//!
//! A copy of the page gets one more script that clicks through it and notes what it sees; the browser then prints the document.

mod common;

use common::{clean, orthant, stderr, succeeds};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The browser that `cargo xtask setup` installs, or another build of it.
fn browser() -> Command {
    let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
    let found = names.iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    let mut command =
        clean(found.expect("no browser: run `cargo xtask setup`, which installs chromium-headless-shell"));
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-extensions",
        "--hide-scrollbars",
    ]);
    command
}

/// Runs in the page: clicks every box and card, and writes down what happened.
const DRIVER: &str = r##"
const seen = { errors: window.errors, inner: innerWidth, boxes: 0, cards: 0, titles: [], overflow: [] };
const overflow = (where) => {
  const width = document.documentElement.scrollWidth;
  if (width > innerWidth) seen.overflow.push(where + " " + width);
};
overflow("start");
seen.title = document.title;
seen.scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
const background = () => getComputedStyle(document.documentElement).backgroundColor;
seen.background = background();
for (const box of document.querySelectorAll(".box[data-nest]")) {
  box.click();
  seen.boxes++;
  seen.titles.push(document.querySelector("#nest h2").textContent);
  overflow("nest " + box.dataset.nest);
}
document.querySelectorAll("details").forEach((d) => { d.open = true; });
for (const card of document.querySelectorAll(".card")) { card.click(); seen.cards++; overflow("card"); }
const kernel = [...document.querySelectorAll(".box[data-nest]")].find((box) => box.title.includes("backprop.c:9 "));
kernel.click();
const section = document.querySelector("#nest");
seen.selected = kernel.getAttribute("aria-selected");
seen.figures = section.querySelectorAll("svg").length;
seen.dots = section.querySelectorAll("circle").length;
seen.arrows = section.querySelectorAll(".arrow").length;
seen.sketches = section.querySelectorAll(".sketch pre").length;
seen.source = section.querySelector(".source").textContent;
seen.text = section.textContent;
seen.visible = section.getBoundingClientRect().height > 0 && kernel.getBoundingClientRect().width > 0;
document.querySelector("#theme").click();
seen.toggled = background();
const out = document.createElement("pre");
out.id = "seen";
out.textContent = JSON.stringify(seen);
document.body.append(out);
"##;

struct Page {
    folder: tempfile::TempDir,
    driven: PathBuf,
}

impl Page {
    fn of_backprop() -> Page {
        let folder = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/backprop.c");
        let program = folder.path().join("backprop");
        succeeds(
            clean("gcc")
                .args(["-O2", "-g"])
                .arg(source.canonicalize().unwrap())
                .arg("-o")
                .arg(&program)
                .arg("-lm"),
        );
        let [page, sarif] = ["page.html", "page.sarif"].map(|name| folder.path().join(name));
        let mut profile = orthant();
        profile.arg("profile").arg("--html").arg(&page).arg("--sarif").arg(&sarif).arg("--").arg(&program);
        let said = stderr(&succeeds(&mut profile));
        assert!(said.contains("html written to") && said.contains("sarif written to"), "{said}");
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(
            !text.contains("http://") && !text.contains("https://"),
            "the page needs nothing from elsewhere"
        );
        let driven = folder.path().join("driven.html");
        let catcher = "<script>window.errors = []; addEventListener(\"error\", (e) => errors.push(e.message)); \
                       addEventListener(\"securitypolicyviolation\", (e) => errors.push(e.violatedDirective));</script>";
        let text = text.replacen("<style>", &format!("{catcher}<style>"), 1);
        std::fs::write(&driven, text.replacen("</body>", &format!("<script>{DRIVER}</script></body>"), 1))
            .unwrap();
        Page { folder, driven }
    }

    fn drive(&self, width: u32, scheme: &str) -> Value {
        let setting = if scheme == "dark" { 0 } else { 1 };
        let mut command = browser();
        command
            .arg(format!("--window-size={width},900"))
            .arg(format!("--blink-settings=preferredColorScheme={setting}"))
            .arg(format!("--user-data-dir={}", self.folder.path().join(format!("{scheme}{width}")).display()))
            .args(["--virtual-time-budget=10000", "--dump-dom"])
            .arg(format!("file://{}", self.driven.display()));
        let output = succeeds(&mut command);
        let document = String::from_utf8_lossy(&output.stdout);
        let seen = document.split_once("<pre id=\"seen\">").and_then(|(_, rest)| rest.split_once("</pre>"));
        let seen = seen.unwrap_or_else(|| panic!("the driver did not finish: {}", stderr(&output))).0;
        let text =
            seen.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ").replace("&amp;", "&");
        serde_json::from_str(&text).unwrap()
    }
}

#[test]
fn the_page_works_in_a_browser() {
    let page = Page::of_backprop();
    let mut backgrounds = Vec::new();
    for (width, scheme) in [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")] {
        let seen = page.drive(width, scheme);
        let at = format!("{width} {scheme}");
        assert_eq!(seen["errors"], Value::Array(Vec::new()), "{at}");
        assert_eq!((&seen["inner"], &seen["scheme"]), (&width.into(), &scheme.into()), "{at}");
        assert_eq!(seen["overflow"], Value::Array(Vec::new()), "{at}: wider than the window");
        assert_eq!((&seen["visible"], &seen["selected"]), (&true.into(), &"true".into()), "{at}");
        assert!(seen["boxes"].as_u64() >= Some(4) && seen["cards"].as_u64() >= Some(6), "{at}: {seen}");
        assert!(seen["titles"].to_string().contains("Nest: main backprop.c:9"), "{at}: {seen}");
        // The domain of 16 x 43 iterations has a window of 12 x 12; the sum goes along k.
        assert_eq!(
            (&seen["figures"], &seen["dots"], &seen["arrows"]),
            (&2.into(), &144.into(), &(12 * 11).into()),
            "{at}"
        );
        assert!(seen["sketches"].as_u64() >= Some(6), "{at}: {seen}");
        assert!(seen["source"].as_str().unwrap().contains("sum += conn[k][j] * l1[k]"), "{at}");
        let text = seen["text"].as_str().unwrap();
        for expected in
            ["interchange", "over-approximated", "(4, *)", "which addresses it reads", "before", "after"]
        {
            assert!(text.contains(expected), "{at}: no {expected}");
        }
        assert_ne!(seen["background"], seen["toggled"], "{at}: the button changes the theme");
        backgrounds.push(seen["background"].clone());
    }
    assert_ne!(backgrounds[0], backgrounds[1], "light and dark differ");
    assert_eq!((&backgrounds[0], &backgrounds[1]), (&backgrounds[2], &backgrounds[3]));
}

#[test]
fn the_page_and_sarif_can_be_made_from_a_saved_profile() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("a.c");
    std::fs::write(
        &source,
        "float a[99];\nint main(void) {\n  for (int i = 0; i < 99; i++) a[i] *= 3;\n  return 0;\n}\n",
    )
    .unwrap();
    let program = folder.path().join("a");
    succeeds(clean("gcc").args(["-O1", "-g"]).arg(&source).arg("-o").arg(&program));
    let path = |name: &str| folder.path().join(name);
    succeeds(orthant().arg("profile").arg("--json").arg(path("p.json")).arg("--").arg(&program));
    let mut report = orthant();
    succeeds(
        report
            .arg("report")
            .arg(path("p.json"))
            .arg("--html")
            .arg(path("p.html"))
            .arg("--sarif")
            .arg(path("p.sarif")),
    );
    assert!(std::fs::read_to_string(path("p.html")).unwrap().contains("a[i] *= 3"));
    let log: Value = serde_json::from_str(&std::fs::read_to_string(path("p.sarif")).unwrap()).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let parallel = results.iter().find(|r| r["ruleId"] == "parallel").expect("a result");
    assert_eq!(parallel["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
    assert!(parallel["message"]["text"].as_str().unwrap().contains("not proved"));
}
