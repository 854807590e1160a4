//! QEMU's plugin interface, looked up by name when the plugin is loaded.
//!
//! Nothing is linked: the functions are found with `dlsym` in the program that has loaded the plugin, so that the same file
//! serves every version of the interface from 1 (QEMU 4.2) on, and a missing function is a message instead of a
//! failure of the dynamic linker.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// Number of a plugin.
pub type Id = u64;
/// A translation block, only valid while it is translated.
pub type Tb = *mut c_void;
/// An instruction of a translation block, only valid while it is translated.
pub type InsnHandle = *mut c_void;
/// Describes a memory access.
pub type MemInfo = u32;

/// Called when a block is translated.
pub type TransCb = unsafe extern "C" fn(Id, Tb);
/// Called before an instruction is executed.
pub type ExecCb = unsafe extern "C" fn(c_uint, *mut c_void);
/// Called after memory was accessed.
pub type MemCb = unsafe extern "C" fn(c_uint, MemInfo, u64, *mut c_void);
/// Called at the end.
pub type ExitCb = unsafe extern "C" fn(Id, *mut c_void);
/// Called when a processor (a thread, in user mode) starts.
pub type VcpuCb = unsafe extern "C" fn(Id, c_uint);
/// Called before a system call.
pub type SyscallCb = unsafe extern "C" fn(Id, c_uint, i64, u64, u64, u64, u64, u64, u64, u64, u64);

/// What QEMU says about itself.
#[repr(C)]
pub struct Info {
    /// `x86_64`
    pub target_name: *const c_char,
    /// The least version of the interface that it knows.
    pub version_min: c_int,
    /// Its own version of the interface.
    pub version_cur: c_int,
    /// Whether it emulates a whole machine.
    pub system_emulation: bool,
}

macro_rules! api {
    ($($(#[$doc:meta])* $field:ident = $symbol:literal : $type:ty;)*) => {
        /// The functions.
        pub struct Api { $($(#[$doc])* pub $field: $type,)* }

        impl Api {
            /// Finds the functions; the error is the name of one that is missing.
            pub fn find() -> Result<Api, &'static str> {
                Ok(Api { $($field: {
                    let address = symbol(concat!($symbol, "\0")).ok_or($symbol)?;
                    // SAFETY: QEMU's function of this name has this type in all versions of the interface.
                    unsafe { std::mem::transmute::<*mut c_void, $type>(address) }
                },)* })
            }
        }
    };
}

api! {
    /// Asks to be called for each translated block.
    register_trans = "qemu_plugin_register_vcpu_tb_trans_cb": unsafe extern "C" fn(Id, TransCb);
    /// Asks to be called before an instruction runs.
    register_exec = "qemu_plugin_register_vcpu_insn_exec_cb": unsafe extern "C" fn(InsnHandle, ExecCb, c_int, *mut c_void);
    /// Asks to be called after an instruction's memory accesses.
    register_mem = "qemu_plugin_register_vcpu_mem_cb": unsafe extern "C" fn(InsnHandle, MemCb, c_int, c_int, *mut c_void);
    /// Asks to be called at the end.
    register_exit = "qemu_plugin_register_atexit_cb": unsafe extern "C" fn(Id, ExitCb, *mut c_void);
    /// Asks to be called when a thread starts.
    register_init = "qemu_plugin_register_vcpu_init_cb": unsafe extern "C" fn(Id, VcpuCb);
    /// Asks to be called before system calls.
    register_syscall = "qemu_plugin_register_vcpu_syscall_cb": unsafe extern "C" fn(Id, SyscallCb);
    /// Instructions of a block.
    tb_n_insns = "qemu_plugin_tb_n_insns": unsafe extern "C" fn(Tb) -> usize;
    /// An instruction of a block.
    tb_get_insn = "qemu_plugin_tb_get_insn": unsafe extern "C" fn(Tb, usize) -> InsnHandle;
    /// The program's address of an instruction.
    insn_vaddr = "qemu_plugin_insn_vaddr": unsafe extern "C" fn(InsnHandle) -> u64;
    /// The host's address of an instruction.
    insn_haddr = "qemu_plugin_insn_haddr": unsafe extern "C" fn(InsnHandle) -> *mut c_void;
    /// Its length.
    insn_size = "qemu_plugin_insn_size": unsafe extern "C" fn(InsnHandle) -> usize;
    /// Whether an access writes.
    mem_is_store = "qemu_plugin_mem_is_store": unsafe extern "C" fn(MemInfo) -> bool;
    /// The logarithm of the bytes of an access.
    mem_size_shift = "qemu_plugin_mem_size_shift": unsafe extern "C" fn(MemInfo) -> c_uint;
}

/// A symbol of the program that has loaded the plugin; `name` ends with a zero byte.
fn symbol(name: &str) -> Option<*mut c_void> {
    let name = CStr::from_bytes_with_nul(name.as_bytes()).ok()?;
    // SAFETY: the name is terminated.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

/// Reading registers, which QEMU can since version 9.0.
pub struct Registers {
    read: unsafe extern "C" fn(*mut c_void, *mut Bytes) -> c_int,
    clear: unsafe extern "C" fn(*mut Bytes, c_uint) -> *mut Bytes,
    buffer: *mut Bytes,
    /// Handles of the general registers, by number.
    general: [*mut c_void; 16],
}

/// GLib's growing array.
#[repr(C)]
struct Bytes {
    data: *const u8,
    length: c_uint,
}

/// A register as QEMU lists it.
#[repr(C)]
struct Descriptor {
    handle: *mut c_void,
    name: *const c_char,
    feature: *const c_char,
}

/// The general registers, as QEMU calls them, in the order of their numbers.
const GENERAL: [&str; 16] = [
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
    "r15",
];

impl Registers {
    /// Finds the registers, on a thread of the program. `None` if QEMU cannot read them.
    pub fn find() -> Option<Registers> {
        type New = unsafe extern "C" fn() -> *mut Bytes;
        let (list, read) = (symbol("qemu_plugin_get_registers\0")?, symbol("qemu_plugin_read_register\0")?);
        let (new, clear) = (symbol("g_byte_array_new\0")?, symbol("g_byte_array_set_size\0")?);
        // SAFETY: functions of these names have these types in QEMU and GLib; the list is one of descriptors whose names are
        // strings, and it stays.
        unsafe {
            let list = std::mem::transmute::<*mut c_void, New>(list)();
            let read = std::mem::transmute::<
                *mut c_void,
                unsafe extern "C" fn(*mut c_void, *mut Bytes) -> c_int,
            >(read);
            let clear = std::mem::transmute::<
                *mut c_void,
                unsafe extern "C" fn(*mut Bytes, c_uint) -> *mut Bytes,
            >(clear);
            let buffer = std::mem::transmute::<*mut c_void, New>(new)();
            if list.is_null() || buffer.is_null() || (*list).data.is_null() {
                return None;
            }
            let all = std::slice::from_raw_parts((*list).data.cast::<Descriptor>(), (*list).length as usize);
            let handle = |name: &str| {
                let named = |d: &&Descriptor| {
                    !d.name.is_null() && CStr::from_ptr(d.name).to_bytes() == name.as_bytes()
                };
                all.iter().find(named).map_or(std::ptr::null_mut(), |d| d.handle)
            };
            let general = GENERAL.map(handle);
            (!general.contains(&std::ptr::null_mut())).then_some(Registers { read, clear, buffer, general })
        }
    }

    /// What a general register holds, in a callback that asked for registers.
    pub fn general(&self, number: u8) -> Option<u64> {
        let handle = *self.general.get(usize::from(number))?;
        // SAFETY: handle and buffer are QEMU's and GLib's own; the bytes read are in the buffer.
        unsafe {
            (self.clear)(self.buffer, 0);
            let size = (self.read)(handle, self.buffer);
            (size == 8 && (*self.buffer).length >= 8)
                .then(|| u64::from_le_bytes(*(*self.buffer).data.cast::<[u8; 8]>()))
        }
    }
}

/// Whether QEMU's interface is of version 2 or later (register values, and refusing plugins of version 1).
pub fn is_modern() -> bool {
    symbol("qemu_plugin_read_register\0").is_some()
}
