//! `liborthant.so`: the LLVM pass plugin.
//!
//! A thin shell: it declares the options of [`options::TABLE`] on the host's command line, keeps one
//! [`Session`] per way in which the pass was named, and passes each function on to it.

use driver::{Session, Timers};
use llvm::Pass;
use llvm::host::{
    Configured, OptionDecl, Plugin, PluginInfo, foreign_llvm, llvm_versions, plugin_info, refusing_info,
};
use options::{Kind, Layer, Options, Position, Setting, TABLE};
use std::sync::{Arc, Mutex, PoisonError};

/// The plugin's own objects; the host keeps its allocator.
#[global_allocator]
static MEMORY: driver::Memory = driver::Memory;

const NAME: &std::ffi::CStr = c"orthant";
const VERSION: &str = env!("CARGO_PKG_VERSION");
const VERSION_C: &std::ffi::CStr =
    match std::ffi::CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"unknown",
    };
const PREFIX: &str = "orthant-";

/// The symbol that every LLVM host asks a plugin for.
// The one unsafe thing here is the symbol's fixed name.
#[allow(unsafe_code, non_snake_case)]
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PluginInfo {
    match unfit_host() {
        Some(sentence) => {
            eprintln!("orthant: {sentence}");
            refusing_info(NAME, VERSION_C)
        }
        None => plugin_info(NAME, VERSION_C, &declarations(), || Box::<Orthant>::default()),
    }
}

/// Why this host must not use the plugin.
fn unfit_host() -> Option<String> {
    let (built, running) = llvm_versions();
    let release = |version: &str| version.split('.').take(2).collect::<Vec<_>>().join(".");
    let remedy = "load it into clang-22, opt-22 or flang-22, or rebuild it with the host's llvm-config";
    if release(&built) != release(&running) {
        return Some(format!(
            "this plugin was built for LLVM {built}, but LLVM {running} is running; {remedy}"
        ));
    }
    let other = foreign_llvm()?;
    Some(format!("this plugin was built for LLVM {built}, but its host uses another LLVM, {other}; {remedy}"))
}

fn declarations() -> Vec<OptionDecl> {
    let declaration = |spec: &options::Spec| OptionDecl {
        name: format!("{PREFIX}{}", spec.name),
        help: spec.help.to_owned(),
        metavar: spec.metavar.to_owned(),
        is_flag: spec.kind == Kind::Flag,
    };
    TABLE.iter().map(declaration).collect()
}

#[derive(Default)]
struct Orthant {
    sessions: Mutex<Vec<Arc<Session>>>,
    timers: Timers,
}

impl Orthant {
    fn session(&self, number: usize) -> Option<Arc<Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).get(number).cloned()
    }
}

impl Plugin for Orthant {
    fn configure(&self, given: &[(String, String)], params: Option<&str>) -> Result<Configured, String> {
        let options = gather(given, params).map_err(|message| format!("orthant: {message}"))?;
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let (early, enabled) = (options.position == Position::Early, options.enable);
        sessions.push(Arc::new(Session::new(options)));
        Ok(Configured { session: sessions.len() - 1, early, enabled })
    }

    fn run(&self, session: usize, pass: Pass<'_>) -> bool {
        self.session(session).is_some_and(|session| session.run(pass, &self.timers))
    }

    fn run_failed(&self, session: usize, pass: Pass<'_>, message: &str) {
        if let Some(session) = self.session(session) {
            session.run_failed(pass, message);
        }
    }

    fn version(&self) -> String {
        let (built, running) = llvm_versions();
        format!(
            "Orthant {VERSION}\n  LLVM {built} (built for), {running} (loaded)\n  isl {}\n",
            isl::version()
        )
    }

    fn at_exit(&self) {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if sessions.iter().any(|session| session.options().time) {
            eprint!("{}", self.timers.table());
        }
    }
}

/// All layers in the documented order.
fn gather(given: &[(String, String)], params: Option<&str>) -> Result<Options, String> {
    let mut layers = Vec::new();
    if let Some(name) = variable("ORTHANT_CONFIG")? {
        let text = std::fs::read_to_string(&name)
            .map_err(|error| format!("cannot read the file {name} named by ORTHANT_CONFIG: {error}"))?;
        layers.push(Layer::config_file(&name, &text));
    }
    if let Some(text) = variable("ORTHANT_OPTS")? {
        layers.push(Layer::environment(&text));
    }
    layers.push(Ok(command_line(given)));
    layers.extend(params.map(Layer::pass_parameters));
    let layers: Vec<_> = layers.into_iter().collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    Options::from_layers(&layers).map_err(|error| error.to_string())
}

fn variable(name: &str) -> Result<Option<String>, String> {
    let text = std::env::var_os(name).map(|text| text.into_string());
    text.transpose().map_err(|text| format!("{name} is not UTF-8: {}", text.display()))
}

fn command_line(given: &[(String, String)]) -> Layer {
    let setting = |(name, value): &(String, String)| {
        let name = name.strip_prefix(PREFIX).unwrap_or(name);
        // LLVM gives a bare flag an empty value.
        let is_bare = value.is_empty() && options::spec(name).is_some_and(|spec| spec.kind == Kind::Flag);
        Setting { name: name.to_owned(), value: (!is_bare).then(|| value.clone()) }
    };
    Layer::command_line(given.iter().map(setting).collect())
}
