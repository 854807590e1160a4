//! Signals that ask Orthant to end while a program runs.
//!
//! Ctrl-C reaches the program too, and QEMU ends as it does; `kill` reaches Orthant only. In both cases there is a profile of what
//! happened until then, so while somebody watches, these signals do not end Orthant: it asks the program to end, and reports.

use std::sync::atomic::{AtomicBool, Ordering};

/// What asks a program to end. A signal that was ignored when Orthant started stays ignored.
const SIGNALS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

static CAUGHT: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_: libc::c_int) {
    CAUGHT.store(true, Ordering::Relaxed);
}

/// Holds these signals back until it is dropped.
pub struct Watch {
    before: Vec<(libc::c_int, libc::sigaction)>,
}

impl Watch {
    /// Starts to watch.
    pub fn start() -> Watch {
        CAUGHT.store(false, Ordering::Relaxed);
        Watch { before: SIGNALS.iter().filter_map(|signal| Some((*signal, hold_back(*signal)?))).collect() }
    }

    /// Whether somebody has asked to end.
    pub fn caught(&self) -> bool {
        CAUGHT.load(Ordering::Relaxed)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        for (signal, before) in &self.before {
            // SAFETY: what `sigaction` itself has given us for this signal.
            unsafe { libc::sigaction(*signal, before, std::ptr::null_mut()) };
        }
    }
}

/// Notes a signal from now on; what was done before, unless it was ignored.
fn hold_back(signal: libc::c_int) -> Option<libc::sigaction> {
    // SAFETY: zeros are a valid value of this plain structure; the handler only sets an atomic flag.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut before);
        if before.sa_sigaction == libc::SIG_IGN {
            return None;
        }
        let mut new: libc::sigaction = std::mem::zeroed();
        new.sa_sigaction = note as *const () as usize;
        new.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &new, std::ptr::null_mut());
        Some(before)
    }
}
