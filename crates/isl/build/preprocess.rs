//! From the installed headers to one flat text of C declarations.
//!
//! The headers define the ownership annotations (`__isl_give`, `__isl_take`, `__isl_keep`, `__isl_null`) as empty
//! only where nobody defined them before. Defining each as another word therefore carries it through the
//! preprocessor, which at the same time expands isl's list and multi-value declaration macros.

use std::path::Path;

/// The word that stands for the annotation `__isl_NAME` in the flat text.
pub const ANNOTATIONS: [(&str, &str); 4] = [
    ("__isl_give", "annotated_give"),
    ("__isl_take", "annotated_take"),
    ("__isl_keep", "annotated_keep"),
    ("__isl_null", "annotated_null"),
];

/// The headers whose declarations are bound. Those that only serve isl itself or duplicate a Rust facility
/// (argument parsing, hash tables, streams, GMP) are left out.
const HEADERS: &[&str] = &[
    "ctx",
    "options",
    "version",
    "id",
    "val",
    "vec",
    "mat",
    "space",
    "local_space",
    "point",
    "constraint",
    "aff",
    "set",
    "map",
    "ilp",
    "lp",
    "union_set",
    "union_map",
    "polynomial",
    "vertices",
    "fixed_box",
    "stride_info",
    "id_to_id",
    "id_to_pw_aff",
    "id_to_ast_expr",
    "map_to_basic_set",
    "flow",
    "schedule",
    "schedule_node",
    "ast",
    "ast_build",
    "printer",
];

/// Headers pulled in by the others whose declarations are not wanted.
const IGNORED: &[&str] = &["arg.h", "hash.h", "obj.h", "stream.h", "maybe_templ.h"];

/// The preprocessed text of [`HEADERS`], without what comes from elsewhere.
pub fn expand(include_dir: &Path, out: &Path) -> Result<String, String> {
    let source = out.join("headers.c");
    let includes: String = HEADERS.iter().map(|name| format!("#include <isl/{name}.h>\n")).collect();
    std::fs::write(&source, includes).map_err(|e| format!("cannot write {}: {e}", source.display()))?;
    let mut compiler = cc::Build::new();
    compiler.cargo_metadata(false).include(include_dir).file(&source);
    for (annotation, word) in ANNOTATIONS {
        compiler.define(annotation, word);
    }
    let text = compiler.try_expand().map_err(|e| format!("the headers cannot be preprocessed ({e})"))?;
    Ok(only_isl(&String::from_utf8_lossy(&text)))
}

/// Drops the line markers (`# 12 "file" flags`) and every line that comes from a header other than isl's.
fn only_isl(text: &str) -> String {
    let mut wanted = false;
    let mut kept = String::new();
    for line in text.lines() {
        if let Some(marker) = line.strip_prefix('#') {
            wanted = marker.split('"').nth(1).is_some_and(is_wanted);
        } else if wanted {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

fn is_wanted(file: &str) -> bool {
    let path = Path::new(file);
    let folder = path.parent().and_then(Path::file_name);
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    folder.is_some_and(|f| f == "isl") && !IGNORED.contains(&name)
}
