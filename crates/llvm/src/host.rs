//! The plugin's two sides: what the host compiler calls, and what a plugin implements.
//!
//! A host compiler loads the library, asks [`plugin_info`] who it is, declares the options, and later
//! registers the pass. The pass calls `orthant_rs_run` for each function. Nothing may unwind into the
//! host: every entry point catches panics, and a panic in one function leaves that function as it is.

use crate::ffi::{self, OrthantPass, Sink};
use crate::pass::Pass;
use crate::text::{borrow, collect, send};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// An option as the host's command line shows it.
#[derive(Clone, Debug)]
pub struct OptionDecl {
    /// The whole name, such as `orthant-report`.
    pub name: String,
    /// One sentence.
    pub help: String,
    /// What the value is called.
    pub metavar: String,
    /// Whether the value may be left out.
    pub is_flag: bool,
}

/// Validated options, remembered by the plugin under a number.
#[derive(Clone, Copy, Debug)]
pub struct Configured {
    /// The number to pass to [`Plugin::run`].
    pub session: usize,
    /// Run before inlining instead of before the vectorizer.
    pub early: bool,
    /// Run at all.
    pub enabled: bool,
}

/// What the plugin does. Methods may panic: the host does not notice.
pub trait Plugin: Send + Sync {
    /// Validates options: those given on the host's command line (whole name, value), and the pass
    /// parameters if the pass was named with any.
    fn configure(&self, given: &[(String, String)], params: Option<&str>) -> Result<Configured, String>;

    /// Looks at one function; true if it was changed.
    fn run(&self, session: usize, pass: Pass<'_>) -> bool;

    /// `run`, or a pass before it, failed with this message in this function, which stays as it is.
    fn run_failed(&self, session: usize, pass: Pass<'_>, message: &str);

    /// What to add to the host's `--version`.
    fn version(&self) -> String;

    /// The host is about to end.
    fn at_exit(&self);
}

/// LLVM's `PassPluginLibraryInfo`; the shim asserts its size.
#[repr(C)]
pub struct PluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(*mut c_void),
    pre_codegen: Option<extern "C" fn()>,
}

/// The API of LLVM 22; the shim asserts it.
const API_VERSION: u32 = 2;
/// An API that no host has: makes it refuse the plugin.
const NO_API: u32 = u32::MAX;

static PLUGIN: OnceLock<Box<dyn Plugin>> = OnceLock::new();

thread_local! {
    /// Where the last panic of this thread happened and what it said.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Installs the plugin and answers the host's question who it is. Called when the host loads the library; a second call changes
/// nothing, also if it comes from another thread before the first one ends.
pub fn plugin_info(
    name: &'static CStr,
    version: &'static CStr,
    options: &[OptionDecl],
    plugin: impl FnOnce() -> Box<dyn Plugin>,
) -> PluginInfo {
    // A linker asks from several threads at once; all wait for the first.
    PLUGIN.get_or_init(|| {
        std::panic::set_hook(Box::new(remember_panic));
        options.iter().for_each(declare);
        // SAFETY: LLVM is loaded; the function registers a callback and has no other precondition.
        unsafe { ffi::orthant_add_version_printer() };
        plugin()
    });
    info(API_VERSION, name, version)
}

/// What to answer to a host that must not use the plugin: it will say that the API does not fit.
pub fn refusing_info(name: &'static CStr, version: &'static CStr) -> PluginInfo {
    info(NO_API, name, version)
}

fn info(api_version: u32, name: &'static CStr, version: &'static CStr) -> PluginInfo {
    PluginInfo { api_version, name: name.as_ptr(), version: version.as_ptr(), register, pre_codegen: None }
}

/// The LLVM this was built for, and the one that runs.
pub fn llvm_versions() -> (String, String) {
    let mut built = String::new();
    let running = collect(|running_sink, running_data| {
        built = collect(|built_sink, built_data| {
            // SAFETY: both sinks take the data they are paired with.
            unsafe { ffi::orthant_llvm_versions(built_sink, running_sink, built_data, running_data) }
        });
    });
    (built, running)
}

/// The file of an LLVM in this process that is not the one this library is bound to.
pub fn foreign_llvm() -> Option<String> {
    // SAFETY: the sink takes the data it is paired with.
    let file = collect(|sink, data| unsafe { ffi::orthant_foreign_llvm(sink, data) });
    (!file.is_empty()).then_some(file)
}

/// LLVM keeps the pointers for the rest of the process, so the strings are leaked.
fn declare(option: &OptionDecl) {
    let leak = |text: &str| CString::new(text).unwrap_or_default().into_raw().cast_const();
    let (name, help, metavar) = (leak(&option.name), leak(&option.help), leak(&option.metavar));
    // SAFETY: the strings are terminated and never freed.
    unsafe { ffi::orthant_declare_option(name, help, metavar, option.is_flag) }
}

fn given_options() -> Vec<(String, String)> {
    extern "C" fn visit(data: *mut c_void, name: *const c_char, value: *const c_char) {
        // SAFETY: the shim passes terminated strings, valid during the call.
        let text = |raw: *const c_char| unsafe { CStr::from_ptr(raw) }.to_string_lossy().into_owned();
        // SAFETY: `data` is the vector below, which nobody else touches during the call.
        unsafe { (*data.cast::<Vec<(String, String)>>()).push((text(name), text(value))) }
    }
    let mut given = Vec::new();
    // SAFETY: `visit` takes the vector it is paired with.
    unsafe { ffi::orthant_given_options(visit, (&raw mut given).cast()) };
    given
}

/// The default hook prints several lines; the one line that matters is printed where the panic is caught.
fn remember_panic(info: &std::panic::PanicHookInfo<'_>) {
    let said = info.payload_as_str().unwrap_or("no message");
    let at = info.location().map(|place| format!(" at {place}")).unwrap_or_default();
    LAST_PANIC.with_borrow_mut(|last| *last = format!("{said}{at}"));
}

/// Runs `body`; a panic becomes its message.
fn guarded<T>(body: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|_| LAST_PANIC.take())
}

extern "C" fn register(pass_builder: *mut c_void) {
    // SAFETY: LLVM passes its PassBuilder here, which outlives the call.
    unsafe { ffi::orthant_register(pass_builder) }
}

#[unsafe(no_mangle)]
extern "C" fn orthant_rs_configure(
    params: *const c_char,
    length: usize,
    has_params: bool,
    early: &mut bool,
    enabled: &mut bool,
    error: Sink,
    data: *mut c_void,
) -> c_int {
    let result = guarded(|| {
        // SAFETY: the shim passes a StringRef's pointer and length.
        let params = has_params.then(|| unsafe { borrow(params, length) });
        let plugin = PLUGIN.get().ok_or("the plugin is not installed")?;
        plugin.configure(&given_options(), params.as_deref())
    });
    match result.unwrap_or_else(Err) {
        Ok(configured) => {
            (*early, *enabled) = (configured.early, configured.enabled);
            c_int::try_from(configured.session).unwrap_or(-1)
        }
        Err(message) => {
            send(&message, error, data);
            -1
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn orthant_rs_run(raw: *mut OrthantPass, session: c_int) -> bool {
    let (Some(plugin), Ok(session)) = (PLUGIN.get(), usize::try_from(session)) else { return false };
    // SAFETY: the shim's context lives until this call returns, and so do all views made from it.
    let pass = unsafe { Pass::from_raw(raw) };
    guarded(|| plugin.run(session, pass)).unwrap_or_else(|message| {
        // Nothing is left to do if even the report of a failure fails.
        let _ = guarded(|| plugin.run_failed(session, pass, &message));
        false
    })
}

#[unsafe(no_mangle)]
extern "C" fn orthant_rs_failed(
    raw: *mut OrthantPass,
    session: c_int,
    message: *const c_char,
    length: usize,
) {
    let (Some(plugin), Ok(session)) = (PLUGIN.get(), usize::try_from(session)) else { return };
    // SAFETY: the shim's context and its message live until this call returns.
    let (pass, message) = unsafe { (Pass::from_raw(raw), borrow(message, length)) };
    // As above.
    let _ = guarded(|| plugin.run_failed(session, pass, &message));
}

#[unsafe(no_mangle)]
extern "C" fn orthant_rs_version(sink: Sink, data: *mut c_void) {
    let text = guarded(|| PLUGIN.get().map(|plugin| plugin.version()).unwrap_or_default());
    send(&text.unwrap_or_default(), sink, data);
}

#[unsafe(no_mangle)]
extern "C" fn orthant_rs_at_exit() {
    let _ = guarded(|| PLUGIN.get().map(|plugin| plugin.at_exit()));
}
